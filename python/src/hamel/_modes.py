"""The modes of a linear system: which eigenvalues, who moves in each, and which no input reaches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, List, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from ._errors import InvalidArgumentError, NotConvergedError, NotFiniteError

Array = NDArray[numpy.float64]
Complex = NDArray[numpy.complex128]

EPS = float(numpy.finfo(float).eps)
ROUNDING = 50.0  # how many roundings of the largest entry are taken for nothing


@dataclass(frozen=True)
class Mode:
    """An eigenvalue, with its conjugate where it is complex, and all that belongs to it.

    multiplicity: how many eigenvalues are the same up to rounding; they are one mode, because their eigenvectors are not
    unique. right (n, multiplicity) and left (multiplicity, n) are bases of the subspaces, left @ right is the identity; of
    a single eigenvalue they are its eigenvectors. chain: the length of the longest Jordan chain; with 2, the
    mode contains t exp(λ t). kind: "integrator" (zero), "unstable", "undamped", "oscillation" or "decay".

    frequency (Hz) is |Im λ| / 2π, damping −Re λ / |λ|, time_constant (s) the time 1 / |Re λ| in which it shrinks or grows by
    e. participation (n): the share of each state, the normalized |left_i right_i|; it does not depend on units. reach and
    sight: the margins of controllability and observability, 0 for a mode that no input moves or no output shows; unreachable
    and unseen: how many directions of the mode that holds for. None without inputs or outputs.
    """

    eigenvalue: complex
    multiplicity: int
    chain: int
    kind: str
    right: Complex = field(repr=False)
    left: Complex = field(repr=False)
    participation: Array = field(repr=False)
    reach: Optional[float] = None
    unreachable: Optional[int] = None
    sight: Optional[float] = None
    unseen: Optional[int] = None

    @property
    def frequency(self) -> float:
        return abs(self.eigenvalue.imag) / (2 * numpy.pi)

    @property
    def damping(self) -> float:
        size = abs(self.eigenvalue)
        return 0.0 - self.eigenvalue.real / size if size else float("nan")

    @property
    def time_constant(self) -> float:
        rate = abs(self.eigenvalue.real)
        return 1 / rate if rate else float("inf")

    @property
    def stable(self) -> bool:
        """Whether it dies out"""
        return self.eigenvalue.real < 0

    @property
    def controllable(self) -> Optional[bool]:
        return None if self.unreachable is None else self.unreachable == 0

    @property
    def observable(self) -> Optional[bool]:
        return None if self.unseen is None else self.unseen == 0


@dataclass(frozen=True, repr=False)
class Modes:
    """The modes of ẋ = A x + B u, y = C x, from slow to fast; a sequence of Mode that prints as a table.

    state_names are those of the entries of right, left and participation; names those of shares.
    """

    modes: Tuple[Mode, ...]
    A: Array
    B: Optional[Array]
    state_names: Tuple[str, ...]
    names: Tuple[str, ...]

    def __len__(self) -> int:
        return len(self.modes)

    def __getitem__(self, index: Any) -> Any:
        return self.modes[index]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)

    @property
    def eigenvalues(self) -> Complex:
        """All n, conjugates too, each as often as it occurs"""
        upper = [m.eigenvalue for m in self for _ in range(m.multiplicity)]
        return numpy.array(upper + [x.conjugate() for x in upper if x.imag], dtype=complex)

    @property
    def shares(self) -> Array:
        """(modes, names): the participation of each coordinate, position and velocity together"""
        rows = numpy.array([m.participation for m in self]).reshape(len(self), len(self.state_names))
        return rows if self.names == self.state_names else rows.reshape(len(self), 2, len(self.names)).sum(axis=1)

    def table(self, most: int = 3) -> str:
        """A line for each mode, with the coordinates that take part most"""
        head = ["eigenvalue, 1/s", "", "kind", "Hz", "damping", "time, s", *(["reach"] if self.B is not None else []), "who"]
        lines = [head]
        for mode, row in zip(self, self.shares):
            order = numpy.argsort(-row, kind="stable")[:most]
            who = ", ".join(f"{self.names[i]} {100 * row[i]:.0f}%" for i in order if row[i] >= 0.005)
            z, many = mode.eigenvalue, mode.multiplicity > 1
            line = [f"{z.real:.4g}" + (f" ± {z.imag:.4g}i" if z.imag else ""), f"×{mode.multiplicity}" if many else "", mode.kind]
            line += [f"{mode.frequency:.4g}", f"{mode.damping:.3g}"] if z.imag else ["", ""]
            line += [f"{mode.time_constant:.4g}" if z.real else ""]
            if mode.reach is not None:
                lost = f"not {mode.unreachable} of {mode.multiplicity}" if many else "none"
                line += [f"{mode.reach:.1e}" if mode.controllable else lost]
            lines.append([*line, who])
        wide = [max(len(line[i]) for line in lines) for i in range(len(head))]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, wide)).rstrip() for line in lines)

    __repr__ = table


def _balance(A: Array) -> Array:
    """Powers of two d for which rows and columns of d⁻¹ A d are alike in size (Parlett and Reinsch), among states that act on
    each other: where one only drives another, as a velocity its position, rows and columns could grow apart for ever."""
    size, d = numpy.abs(A), numpy.ones(len(A))
    numpy.fill_diagonal(size, 0)
    drives = (size > 1e-13 * size.max(initial=0)) | numpy.eye(len(A), dtype=bool)
    for _ in range(len(A).bit_length()):
        drives = (drives.astype(float) @ drives) > 0
    size = numpy.where(drives & drives.T, size, 0)
    for _ in range(20):
        changed = False
        for i in range(len(A)):
            column, row = size[:, i].sum(), size[i].sum()
            if column == 0 or row == 0:
                continue
            f = 2.0 ** round(float(numpy.log2(row / column)) / 2)
            if column * f + row / f < 0.95 * (column + row):
                size[:, i] *= f
                size[i] /= f
                d[i] *= f
                changed = True
        if not changed:
            break
    return d


def _staircase(A: Array, small: float, nullities: Optional[List[int]] = None) -> Tuple[Array, Array, List[int]]:
    """Orthonormal bases of the generalized null space of A and of its complement, and how many vectors each step of the
    staircase of singular values adds; nullities: to be the same as these. Rounding does not split a multiple zero here."""
    steps: List[int] = []
    M, found, rest = A, [numpy.zeros((len(A), 0))], numpy.eye(len(A))
    while M.size and (nullities is None or len(steps) < len(nullities)):
        _, s, Vt = numpy.linalg.svd(M)
        rank = int((s > small).sum()) if nullities is None else len(s) - nullities[len(steps)]
        if rank == len(s):
            break
        steps.append(len(s) - rank)
        found.append(rest @ Vt[rank:].T)
        rest, M = rest @ Vt[:rank].T, Vt[:rank] @ M @ Vt[:rank].T
    return numpy.concatenate(found, axis=1), rest, steps


def _join(values: Complex, radius: Array) -> List[List[int]]:
    """Groups of values that are the same within the errors of both"""
    left, groups = set(range(len(values))), []
    while left:
        group = [left.pop()]
        for i in group:
            near = {j for j in left if abs(values[i] - values[j]) <= 2 * min(radius[i], radius[j])}
            left -= near
            group.extend(sorted(near))
        groups.append(sorted(group))
    return groups


def _radius(values: Complex, V: Complex, size: float) -> Array:
    """How far rounding may have moved eigenvalues, as their condition numbers tell; for a Jordan chain of length k that is
    about as far as rounding has split it, the k-th root of a rounding, and with more than four we cannot tell"""
    with numpy.errstate(over="ignore", invalid="ignore"):
        try:
            W = numpy.linalg.inv(V)
        except numpy.linalg.LinAlgError:
            W = numpy.linalg.pinv(V, rcond=EPS)
        condition = numpy.linalg.norm(V, axis=0) * numpy.linalg.norm(W, axis=1)
    return size * numpy.fmin(ROUNDING * EPS * condition, EPS**0.25)


def _subspace(A: Array, values: Complex, V: Complex, group: List[int]) -> Tuple[complex, Complex]:
    """The mean eigenvalue of a cluster, which rounding does not spoil, and a basis of its subspace"""
    mean, own, k = complex(values[group].mean()), V[:, group], len(group)
    if abs(mean.imag) <= 8 * EPS * abs(mean) or any(values[i].conjugate() in values[group] for i in group):
        mean = complex(mean.real, 0.0)
    if k > 1 and numpy.linalg.svd(own, compute_uv=False)[-1] < 1e-3:
        shifted = A - mean * numpy.eye(len(A))
        shifted = shifted / numpy.linalg.norm(shifted)
        own = numpy.linalg.svd(numpy.linalg.matrix_power(shifted, k))[2][-k:].conj().T
    return mean, own


def _reach(A: Array, B: Array, mean: complex, left: Complex, tolerance: float) -> Tuple[float, int]:
    """The test of Popov, Belevitch and Hautus in the left subspace of the mode: σ_min of [T − λ, B] for A on it, and how many
    directions the inputs and what they drive there leave"""
    k, L = len(left), numpy.linalg.qr(left.conj().T)[0]
    if not B.shape[1]:
        return 0.0, k
    T = L.conj().T @ A @ L - mean * numpy.eye(k)
    inputs = L.conj().T @ B
    size, whole = numpy.linalg.norm(T, 2), numpy.linalg.norm(A, 2)
    both = numpy.concatenate([T / (whole or 1.0), inputs], axis=1)
    margin = float(numpy.linalg.svd(both, compute_uv=False)[k - 1])
    unit = T / size if size > tolerance * whole else 0 * T
    driven = [inputs]
    for _ in range(k - 1):
        driven.append(unit @ driven[-1])
    s = numpy.linalg.svd(numpy.concatenate(driven, axis=1), compute_uv=False)
    return (margin, 0) if margin > tolerance else (0.0, max(1, k - int((s > tolerance).sum())))


def _kind(mean: complex, rounding: float) -> Tuple[complex, str]:
    """With the real part of an oscillation removed where it is nothing but rounding"""
    if mean == 0:
        return 0j, "integrator"
    if mean.imag and abs(mean.real) <= rounding:
        return complex(0.0, mean.imag), "undamped"
    if mean.real > 0:
        return mean, "unstable"
    return mean, "oscillation" if mean.imag else "decay"


def _unit(B: Array) -> Array:
    """Columns of length one: the units of an input do not matter"""
    norm = numpy.linalg.norm(B, axis=0)
    return B / numpy.where(norm > 0, norm, 1)


def _spaces(A: Array) -> Tuple[List[Tuple[complex, Complex, int, float]], float]:
    """Eigenvalue, right basis, chain (0: not known yet) and rounding error of each mode of a balanced matrix, conjugates too;
    and the norm of the matrix"""
    size = float(numpy.linalg.norm(A, 2)) if A.size else 0.0
    _, rest, steps = _staircase(A.T, ROUNDING * len(A) * EPS * size)  # A maps rest, orthogonal to all left ones, into itself
    spaces: List[Tuple[complex, Complex, int, float]] = []
    if steps:
        spaces.append((0j, _staircase(A, 0.0, steps)[0].astype(complex), len(steps), 0.0))
    A1 = rest.T @ A @ rest
    if A1.size:
        values, V = numpy.linalg.eig(A1)
        values, V = values.astype(complex), V.astype(complex)
        groups = _join(values, _radius(values, V, size))
        own = [_subspace(A1, values, V, group) for group in groups]
        errors = _errors(own, size)
        joined = _join(numpy.array([mean for mean, _ in own]), errors)  # a chain, and a single one at the same place
        if len(joined) < len(own):
            own = [_subspace(A1, values, V, [i for j in join for i in groups[j]]) for join in joined]
            errors = _errors(own, size)
        for (mean, space), error in zip(own, errors):
            spaces.append((mean, rest @ space, 1 if space.shape[1] == 1 else 0, float(error)))
    return spaces, size


def _errors(own: List[Tuple[complex, Complex]], size: float) -> Array:
    """How far rounding may have moved the means of clusters"""
    W, at, errors = _inverse(numpy.concatenate([space for _, space in own], axis=1)), 0, []
    for _, space in own:
        k = space.shape[1]
        errors.append(ROUNDING * EPS * size * numpy.linalg.norm(space, 2) * numpy.linalg.norm(W[at : at + k], 2))
        at += k
    return numpy.array(errors)


def _inverse(V: Complex) -> Complex:
    try:
        return numpy.linalg.inv(V)
    except numpy.linalg.LinAlgError:
        raise NotConvergedError("the subspaces of the modes cannot be told from each other") from None


def _chain(A: Array, mean: complex, right: Complex, left: Complex, size: float) -> int:
    T = left @ A @ right - mean * numpy.eye(len(left))
    power, k = T / size, 1
    while k < len(left) and numpy.linalg.norm(power) > 1e-7:
        power, k = power @ T / size, k + 1
    return k


def build(A: Array, B: Optional[Array], C: Optional[Array], onto: Array, back: Array, tolerance: float) -> List[Mode]:
    """The modes of A, seen in x = onto y, y = back x"""
    if not 0 <= tolerance < 1:
        raise InvalidArgumentError(f"tolerance is a number from 0 to 1, not {tolerance}")
    if not A.size:
        return []  # all is held
    d = _balance(A)
    A, onto, back = A * d / d[:, None], onto * d, back / d[:, None]
    B = None if B is None else _unit(B / d[:, None])
    C = None if C is None else _unit((C * d).T)
    spaces, size = _spaces(A)
    W = _inverse(numpy.concatenate([space for _, space, _, _ in spaces], axis=1))
    at, modes = 0, []
    for mean, right, chain, error in spaces:
        left = W[at : at + right.shape[1]]
        at += right.shape[1]
        if mean.imag < 0:
            continue
        chain = chain or _chain(A, mean, right, left, size)
        reach = (None, None) if B is None else _reach(A, B, mean, left, tolerance)
        sight = (None, None) if C is None else _reach(A.T, C, mean, right.T, tolerance)
        value, kind = _kind(mean, error)
        outer, inner = onto @ right, left @ back
        share = numpy.abs(numpy.einsum("ij,ji->i", outer, inner))
        modes.append(Mode(value, right.shape[1], chain, kind, outer, inner, share / share.sum(), *reach, *sight))
    return sorted(modes, key=lambda m: (abs(m.eigenvalue), m.eigenvalue.real))


def _checked(matrix: ArrayLike, name: str) -> Array:
    M = numpy.asarray(matrix, dtype=float)
    if M.ndim != 2:
        raise InvalidArgumentError(f"{name} is one matrix")
    if not numpy.isfinite(M).all():
        raise NotFiniteError(f"{name} holds NaN or infinity")
    return M


def modes(
    A: ArrayLike,
    B: Optional[ArrayLike] = None,
    C: Optional[ArrayLike] = None,
    *,
    names: Union[None, Sequence[str]] = None,
    tolerance: float = 1e-9,
) -> Modes:
    """The modes of ẋ = A x + B u, y = C x: eigenvalues, who takes part in each, and which no input moves or no output shows.

    Modes is a sequence of Mode, from slow to fast, and prints as a table. Eigenvalues that rounding may have split are one
    mode. reach is the test of Popov, Belevitch and Hautus, the smallest singular value of [A − λ, B] in the left subspace of
    the mode, with balanced states and inputs of length one: below tolerance, no input moves it. names: of the states.
    """
    A = _checked(A, "A")
    n = len(A)
    if A.shape != (n, n) or not n:
        raise InvalidArgumentError(f"A is {A.shape[0]} × {A.shape[1]}, not square")
    B = None if B is None else _checked(B, "B")
    C = None if C is None else _checked(C, "C")
    if B is not None and len(B) != n:
        raise InvalidArgumentError(f"B has {len(B)} rows where {n} are needed")
    if C is not None and C.shape[1] != n:
        raise InvalidArgumentError(f"C has {C.shape[1]} columns where {n} are needed")
    labels = tuple(f"x{i}" for i in range(n)) if names is None else tuple(names)
    if len(labels) != n:
        raise InvalidArgumentError(f"names has {len(labels)} entries where {n} are needed")
    found = build(A, B, C, numpy.eye(n), numpy.eye(n), tolerance)
    return Modes(tuple(found), A, B, labels, labels)
