"""The modes of a linear system: which eigenvalues, who moves in each, and which no input reaches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, List, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import InvalidArgumentError, NotConvergedError, NotFiniteError

Array = NDArray[numpy.float64]
Complex = NDArray[numpy.complex128]

TINY = float(numpy.finfo(float).tiny)  # 0 asks for the default


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
    and unseen: how many directions of the mode that holds for. None without inputs or outputs. energy (nbodies), of a robot: the share
    of each body in the kinetic energy; of a multiple eigenvalue the mean over the basis.
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
    energy: Optional[Array] = field(default=None, repr=False)

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

    state_names are those of the entries of right, left and participation; names those of shares; body_names those of energy.
    """

    modes: Tuple[Mode, ...]
    A: Array
    B: Optional[Array]
    state_names: Tuple[str, ...]
    names: Tuple[str, ...]
    body_names: Tuple[str, ...] = ()

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
        lines, names = [head], for_people(self.names)
        for mode, row in zip(self, self.shares):
            order = numpy.argsort(-row, kind="stable")[:most]
            who = ", ".join(f"{names[i]} {100 * row[i]:.0f}%" for i in order if row[i] >= 0.005)
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


def for_people(names: Sequence[str]) -> Tuple[str, ...]:
    """base.vx … base.wz for base.0 … base.5, as the tables of the command have it; only free joints have six coordinates"""
    free = {name[:-2] for name in names if name.endswith(".5")}
    axes = ("vx", "vy", "vz", "wx", "wy", "wz")
    return tuple(
        f"{name[:-1]}{axes[int(name[-1])]}" if name[:-2] in free and name[-2:-1] == "." and name[-1] in "012345" else name
        for name in names
    )


KINDS = ("integrator", "unstable", "undamped", "oscillation", "decay")


def build(A: Array, B: Optional[Array], C: Optional[Array], onto: Array, back: Array, tolerance: float) -> List[Mode]:
    """The modes of A, seen in x = onto y, y = back x"""
    if not 0 <= tolerance < 1:
        raise InvalidArgumentError(f"tolerance is a number from 0 to 1, not {tolerance}")
    if not A.size:
        return []  # all is held
    given = [None if M is None or not M.size else M for M in (B, C)]
    try:
        x = _core._modes(A, onto, back, max(tolerance, TINY), given[0], given[1])
    except NotConvergedError:
        raise NotConvergedError("the subspaces of the modes cannot be told from each other") from None
    right, left = x.right[..., 0] + 1j * x.right[..., 1], x.left[..., 0] + 1j * x.left[..., 1]
    modes = []
    for row in x.table[: int(x.number)]:
        value, (reach, sight) = complex(row[0], row[1]), row[2:4]
        first, many, chain, unreachable, unseen, kind = (int(number) for number in row[4:])
        own = slice(first, first + many * (2 if value.imag else 1), 2 if value.imag else 1)  # without the conjugates
        moved = (None, None) if B is None else (float(reach), unreachable) if B.size else (0.0, many)
        shown = (None, None) if C is None else (float(sight), unseen) if C.size else (0.0, many)
        modes.append(Mode(value, many, chain, KINDS[kind], right[:, own], left[own], x.shares[first], *moved, *shown))
    return modes


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
