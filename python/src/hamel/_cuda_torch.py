"""Functions of a batch on a GPU for torch, with derivatives that stay there."""

from __future__ import annotations

from typing import Any, Callable

from ._errors import InvalidArgumentError
from ._names import did_you_mean
from ._optional import need

NAMES = ("forward_dynamics", "step")


class _Coordinates:
    """Gradients of configurations, joint by joint: between those of the nq numbers and those of motions ν.

    q̇ = F ν and ν = G q̇; a free joint has F = diag(R, L/2) and G = diag(Rᵀ, 2 Lᵀ), with L ω = q ∘ (0, ω).
    """

    def __init__(self, torch: Any, model: Any) -> None:
        self.torch, self.nq, self.nv = torch, model.nq, model.nv
        self.joints = [(j.type, j.q, j.nq, j.v, j.nv) for j in model.joints if j.nv]

    def _left(self, r: Any) -> Any:
        """L of quaternions, (…, 4, 3)"""
        w, x, y, z = r.unbind(-1)
        rows = [(-x, -y, -z), (w, -z, y), (z, w, -x), (-y, x, w)]
        return self.torch.stack([self.torch.stack(row, -1) for row in rows], -2)

    def _rotation(self, r: Any) -> Any:
        """R of unit quaternions, (…, 3, 3)"""
        w, x, y, z = r.unbind(-1)
        rows = [
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        ]
        return self.torch.stack([self.torch.stack(row, -1) for row in rows], -2)

    def _plane(self, angle: Any) -> Any:
        c, s = self.torch.cos(angle), self.torch.sin(angle)
        return self.torch.stack([self.torch.stack([c, -s], -1), self.torch.stack([s, c], -1)], -2)

    def to_motions(self, q: Any, g: Any) -> Any:
        """Fᵀ g: from a gradient by the numbers to one by motions"""
        torch, out = self.torch, []
        for kind, at, nq, _, nv in self.joints:
            x, own = q[..., at : at + nq], g[..., at : at + nq]
            if kind == "free":
                r = x[..., 3:]
                out.append((own[..., None, :3] @ self._rotation(r))[..., 0, :])
                out.append((own[..., None, 3:] @ self._left(r))[..., 0, :] / 2)
            elif kind == "spherical":
                out.append((own[..., None, :] @ self._left(x))[..., 0, :] / 2)
            elif kind in ("planar", "schoenflies"):
                out.append((own[..., None, :2] @ self._plane(x[..., nq - 1]))[..., 0, :])
                out.append(own[..., 2:])
            else:
                out.append(own)
        return torch.cat(out, -1)

    def to_numbers(self, q: Any, g: Any) -> Any:
        """Gᵀ g: from a gradient by motions to one by the numbers"""
        torch, out = self.torch, []
        for kind, at, nq, first, nv in self.joints:
            x, own = q[..., at : at + nq], g[..., first : first + nv]
            if kind == "free":
                r = x[..., 3:]
                out.append((self._rotation(r) @ own[..., :3, None])[..., 0])
                out.append((self._left(r) @ own[..., 3:, None])[..., 0] * 2)
            elif kind == "spherical":
                out.append((self._left(x) @ own[..., None])[..., 0] * 2)
            elif kind in ("planar", "schoenflies"):
                out.append((self._plane(x[..., nq - 1]) @ own[..., :2, None])[..., 0])
                out.append(own[..., 2:])
            else:
                out.append(own)
        return torch.cat(out, -1)


def torch_function(batch: Any, name: str, h: float) -> Callable[..., Any]:
    """See Batch.torch_function."""
    torch = need("torch", "torch", "Batch.torch_function")
    if name not in NAMES:
        raise InvalidArgumentError(f"name is one of {', '.join(NAMES)}, not {name!r}{did_you_mean(str(name), NAMES)}")
    n, coordinates = batch.robot.nv, _Coordinates(torch, batch.robot)

    def product(g: Any, J: Any) -> Any:
        return (g[..., None, :] @ J)[..., 0, :]

    class ForwardDynamics(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, q: Any, v: Any, tau: Any) -> Any:
            x = batch.linearize(q, v, tau)
            ctx.save_for_backward(q, x.Dq, x.Dv, x.Minv)
            return x.acceleration

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, g: Any) -> Any:
            q, Dq, Dv, Minv = ctx.saved_tensors
            return coordinates.to_numbers(q, product(g, Dq)), product(g, Dv), product(g, Minv)

    class OneStep(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, q: Any, v: Any, tau: Any) -> Any:
            x = batch.step(q, v, h, tau, jacobians=True)
            ctx.save_for_backward(q, x.q, x.Ad, x.Bd)
            return x.q, x.v

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, g_q: Any, g_v: Any) -> Any:
            q, after, Ad, Bd = ctx.saved_tensors
            g = torch.cat([coordinates.to_motions(after, g_q), g_v], -1)
            whole = product(g, Ad)
            return coordinates.to_numbers(q, whole[..., :n]), whole[..., n:], product(g, Bd)

    chosen = ForwardDynamics if name == "forward_dynamics" else OneStep

    def function(q: Any, v: Any, tau: Any) -> Any:
        v, tau = (x.expand(*q.shape[:-1], n).contiguous() for x in (v, tau))
        return chosen.apply(q.contiguous(), v, tau)

    return function
