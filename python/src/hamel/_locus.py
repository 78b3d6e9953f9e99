"""The root locus: eigenvalues over a gain, a mass, a speed or any other number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, List, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import BY_STATUS, InvalidArgumentError, NotFiniteError

Array = NDArray[numpy.float64]
Complex = NDArray[numpy.complex128]


@dataclass(frozen=True)
class Crossing:
    """Where a branch becomes unstable, or stable again: value of the parameter, eigenvalue there, which branch; unstable: whether it
    is so behind the value. A conjugate pair crosses once."""

    value: float
    eigenvalue: complex
    branch: int
    unstable: bool


@dataclass(frozen=True)
class Locus:
    """values (points); eigenvalues (points, n), where column j is a branch; crossings as the values go on."""

    values: Array
    eigenvalues: Complex
    crossings: Tuple[Crossing, ...]


def locus(
    system: Union[Callable[[float], ArrayLike], Tuple[ArrayLike, ArrayLike]], values: ArrayLike, *, discrete: bool = False
) -> Locus:
    """How the eigenvalues of A move with a parameter, and where they become unstable.

    system(value) gives A, such as that of Model.linearize or A − value B K; or it is a pair (A, D) for A + value D. values rise
    or fall. discrete: stable is |λ| < 1 in place of Re λ < 0.

    >>> from hamel import control
    >>> control.locus(([[0, 1, 0], [0, 0, 1], [0, -2, -3]], [[0, 0, 0], [0, 0, 0], [-1, 0, 0]]), [1, 4, 10]).crossings[0].value
    6.0
    """
    if callable(system):
        function = system
    else:
        A, D = (numpy.asarray(M, dtype=float) for M in system)
        function = lambda value: A + value * D  # noqa: E731
    given = numpy.ascontiguousarray(values, dtype=float)
    if given.ndim != 1 or len(given) < 2:
        raise InvalidArgumentError("values are two or more numbers that rise or fall")
    if not numpy.isfinite(given).all():
        raise NotFiniteError("values hold NaN or infinity")
    first = numpy.asarray(function(float(given[0])), dtype=float)
    if first.ndim != 2 or not first.size or len(first) != len(first.T):
        raise InvalidArgumentError(f"A is a square matrix, not of shape {first.shape}")
    n = len(first)

    def matrix(value: float) -> bytes:
        M = numpy.asarray(function(value), dtype=float)
        if M.shape != (n, n):
            raise InvalidArgumentError(f"A is {n} × {n} at the first value, and {M.shape} at {value}")
        return M.tobytes()

    status, found, rows = _core._locus(matrix, given, n, int(discrete))
    if status:
        kind = BY_STATUS[status]
        text = "A holds NaN or infinity" if kind is NotFiniteError else "values rise or fall"
        raise kind(text)
    pairs = numpy.frombuffer(found).reshape(len(given), n, 2)
    crossings: List[Crossing] = []
    for value, real, imaginary, branch, unstable in numpy.frombuffer(rows).reshape(-1, 5).tolist():
        crossings.append(Crossing(value, complex(real, imaginary), int(branch), bool(unstable)))
    return Locus(given, pairs[..., 0] + 1j * pairs[..., 1], tuple(crossings))
