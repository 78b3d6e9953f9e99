"""Between the nq numbers of configurations and motions ν, on the GPU: for torch or jax.numpy, whose names are the same here."""

from __future__ import annotations

from typing import Any, Callable, Sequence


def _rows(x: Any, matrix: Any) -> Any:
    """xᵀ M of small matrices, as sums of products: matrix products of float32 may be rounded to less"""
    return (x[..., :, None] * matrix).sum(-2)


def _columns(matrix: Any, x: Any) -> Any:
    return (matrix * x[..., None, :]).sum(-1)


class Coordinates:
    """Velocities and gradients of configurations, joint by joint: those of the nq numbers, and those of motions ν.

    q̇ = F ν and ν = G q̇; a free joint has F = diag(R, L/2) and G = diag(Rᵀ, 2 Lᵀ), with L ω = q ∘ (0, ω).
    """

    def __init__(self, library: Any, model: Any) -> None:
        self.library, self.nq, self.nv = library, model.nq, model.nv
        self.joints = [(j.type, j.q, j.nq, j.v, j.nv) for j in model.joints if j.nv]

    def _matrix(self, rows: Sequence[Sequence[Any]]) -> Any:
        return self.library.stack([self.library.stack(list(row), -1) for row in rows], -2)

    def _left(self, r: Any) -> Any:
        """L of quaternions, (…, 4, 3)"""
        w, x, y, z = (r[..., k] for k in range(4))
        return self._matrix([(-x, -y, -z), (w, -z, y), (z, w, -x), (-y, x, w)])

    def _rotation(self, r: Any) -> Any:
        """R of unit quaternions, (…, 3, 3)"""
        w, x, y, z = (r[..., k] for k in range(4))
        return self._matrix(
            [
                (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
            ]
        )

    def _plane(self, angle: Any) -> Any:
        c, s = self.library.cos(angle), self.library.sin(angle)
        return self._matrix([(c, -s), (s, c)])

    def _by_joint(self, q: Any, x: Any, numbers: bool, product: Callable[[Any, Any], Any], half: float) -> Any:
        """Pieces of x, which has nq entries (numbers) or nv, through product(piece, R or L · half)"""
        out = []
        for kind, at, nq, first, nv in self.joints:
            own = q[..., at : at + nq]
            piece = x[..., at : at + nq] if numbers else x[..., first : first + nv]
            if kind == "free":
                out.append(product(piece[..., :3], self._rotation(own[..., 3:])))
                out.append(product(piece[..., 3:], self._left(own[..., 3:]) * half))
            elif kind == "spherical":
                out.append(product(piece, self._left(own) * half))
            elif kind in ("planar", "schoenflies"):
                out.append(product(piece[..., :2], self._plane(own[..., nq - 1])))
                out.append(piece[..., 2:])
            else:
                out.append(piece)
        return self.library.concatenate(out, -1) if out else x

    def to_motions(self, q: Any, g: Any) -> Any:
        """Fᵀ g: from a gradient by the numbers to one by motions"""
        return self._by_joint(q, g, True, _rows, 0.5)

    def to_numbers(self, q: Any, g: Any) -> Any:
        """Gᵀ g: from a gradient by motions to one by the numbers"""
        return self._by_joint(q, g, False, lambda x, matrix: _columns(matrix, x), 2.0)

    def motions(self, q: Any, rate: Any) -> Any:
        """ν = G q̇"""
        return self._by_joint(q, rate, True, _rows, 2.0)

    def rates(self, q: Any, v: Any) -> Any:
        """q̇ = F ν"""
        return self._by_joint(q, v, False, lambda x, matrix: _columns(matrix, x), 0.5)

    def unit(self, q: Any) -> Any:
        """q with quaternions of length one"""
        out = []
        for kind, at, nq, _, _ in self.joints:
            own = q[..., at : at + nq]
            if kind in ("free", "spherical"):
                r = own[..., nq - 4 :]
                out.append(own[..., : nq - 4])
                out.append(r / self.library.sqrt((r * r).sum(-1))[..., None])
            else:
                out.append(own)
        return self.library.concatenate(out, -1) if out else q
