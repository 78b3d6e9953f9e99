"""Batches in single precision: float32 in, float32 out, with twice as many states in a register.

    from hamel import single
    L = single.linearize(robot, q, v, tau)         # q (…, nq), v and tau (…, nv); float32, or what becomes it
    L.Dq.dtype                                     # float32

Conventions are those of the functions of hamel.Model with the same names. How far results are from those in double is
said in docs/accuracy/single_precision.md: six digits for forces and kinematics, what the condition of M leaves where it
is inverted. errors="nan" lets a state that fails become NaN instead of raising. threads: as
for the functions of Model, all processors unless it or HAMEL_THREADS says otherwise.
"""

from __future__ import annotations

from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy
from numpy.typing import ArrayLike, NDArray

from ._core import Model, _single
from ._errors import BY_STATUS, InvalidArgumentError

__all__ = [
    "Derivatives",
    "Jacobians",
    "Linearization",
    "all_jacobians",
    "body_poses",
    "forward_dynamics",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_mass_matrix",
    "linearize",
    "mass_matrix",
]

Floats = NDArray[numpy.float32]
_compute: Callable[..., int] = _single
LINEARIZE, DYNAMICS, POSES, JACOBIANS = range(4)


class Linearization(NamedTuple):
    """ż = A z + B w at every state, as Model.linearize gives it."""

    A: Floats
    B: Floats
    acceleration: Floats

    @property
    def Dq(self) -> Floats:
        n = self.acceleration.shape[-1]
        return self.A[..., n:, :n]

    @property
    def Dv(self) -> Floats:
        n = self.acceleration.shape[-1]
        return self.A[..., n:, n:]

    @property
    def Minv(self) -> Floats:
        return self.B[..., self.acceleration.shape[-1] :, :]


class Derivatives(NamedTuple):
    """∂τ/∂q, ∂τ/∂ν and M, as Model.inverse_dynamics_derivatives gives them."""

    dtau_dq: Floats
    dtau_dv: Floats
    M: Floats


class Jacobians(NamedTuple):
    """Poses of all bodies (…, nbodies, 4, 4) and the right-trivialized columns of all joints (…, 6, nv)."""

    H: Floats
    J: Floats


def _run(
    robot: Model,
    kind: int,
    given: Sequence[Optional[ArrayLike]],
    shapes: Sequence[Optional[Tuple[int, ...]]],
    errors: str,
    threads: Optional[int],
) -> List[Optional[Floats]]:
    """The batch over all leading dimensions; shapes: of the outputs of a state, None where one is not wanted."""
    if errors not in ("raise", "nan"):
        raise InvalidArgumentError(f"errors is 'raise' or 'nan', not {errors!r}")
    rows = ((robot.nq,), (robot.nv,), (robot.nv,), (robot.nv,), (robot.nbodies, 6))
    names = ("q", "v", "tau", "a", "wrenches")
    arrays: List[Optional[Floats]] = []
    for name, row, x in zip(names, rows, given):
        array = None if x is None else numpy.ascontiguousarray(x, numpy.float32)
        if array is not None and array.shape[array.ndim - len(row) :] != row:
            raise InvalidArgumentError(f"{name} has the shape {array.shape}, and should end with {row}")
        arrays.append(array)
    leads = [x.shape[: x.ndim - len(row)] for x, row in zip(arrays, rows) if x is not None]
    lead = numpy.broadcast_shapes(*leads)
    n = int(numpy.prod(lead, dtype=numpy.int64))
    inputs: List[Optional[Floats]] = []
    for x, row in zip(arrays, rows):
        if x is not None and x.shape != row:  # one row alone is the same for every state
            x = numpy.ascontiguousarray(numpy.broadcast_to(x, lead + row)).reshape((n,) + row)
        inputs.append(x)
    outputs = [None if shape is None else numpy.empty((n,) + shape, numpy.float32) for shape in shapes]
    outputs += [None] * (6 - len(outputs))
    status = numpy.zeros(n, numpy.intc)

    first = _compute(robot, kind, n, tuple(inputs), tuple(outputs), status, threads)
    failed = numpy.flatnonzero(status)
    if first and (errors == "raise" or not failed.size):
        at = numpy.unravel_index(failed[0], lead) if failed.size and lead else ()
        where = f" (state {at[0] if len(at) == 1 else tuple(int(i) for i in at)})" if at else ""
        error = BY_STATUS[int(status[failed[0]]) if failed.size else first]
        raise error(f"{error.__doc__ or error.__name__}{where}")
    return [None if x is None else x.reshape(lead + x.shape[1:]) for x in outputs]


def _dynamics(
    robot: Model, given: Sequence[Optional[ArrayLike]], wanted: Sequence[int], errors: str, threads: Optional[int]
) -> List[Floats]:
    n = robot.nv
    shapes = [(n,) if k < 2 else (n, n) for k in range(6)]
    out = _run(robot, DYNAMICS, given, [s if k in wanted else None for k, s in enumerate(shapes)], errors, threads)
    return [x for x in (out[k] for k in wanted) if x is not None]


def linearize(
    robot: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: Optional[ArrayLike] = None,
    wrenches: Optional[ArrayLike] = None,
    *,
    errors: str = "raise",
    threads: Optional[int] = None,
) -> Linearization:
    """A, B and ν̇ of every state; Dq, Dv and Minv are views of A and B."""
    n = robot.nv
    shapes = [(n,), None, None, None, (2 * n, 2 * n), (2 * n, n)]
    a, _, _, _, A, B = _run(robot, LINEARIZE, (q, v, tau, None, wrenches), shapes, errors, threads)
    assert a is not None and A is not None and B is not None
    return Linearization(A, B, a)


def forward_dynamics(
    robot: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: Optional[ArrayLike] = None,
    wrenches: Optional[ArrayLike] = None,
    *,
    errors: str = "raise",
    threads: Optional[int] = None,
) -> Floats:
    """ν̇ from q, ν, τ."""
    return _dynamics(robot, (q, v, tau, None, wrenches), (0,), errors, threads)[0]


def inverse_dynamics(
    robot: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Optional[ArrayLike] = None,
    *,
    errors: str = "raise",
    threads: Optional[int] = None,
) -> Floats:
    """τ from q, ν, ν̇."""
    return _dynamics(robot, (q, v, None, a, wrenches), (1,), errors, threads)[0]


def inverse_dynamics_derivatives(
    robot: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Optional[ArrayLike] = None,
    *,
    errors: str = "raise",
    threads: Optional[int] = None,
) -> Derivatives:
    """∂τ/∂q, ∂τ/∂ν and M at q, ν, ν̇."""
    return Derivatives(*_dynamics(robot, (q, v, None, a, wrenches), (4, 5, 2), errors, threads))


def mass_matrix(robot: Model, q: ArrayLike, *, errors: str = "raise", threads: Optional[int] = None) -> Floats:
    """M at q."""
    return _dynamics(robot, (q, None, None, None, None), (2,), errors, threads)[0]


def inverse_mass_matrix(robot: Model, q: ArrayLike, *, errors: str = "raise", threads: Optional[int] = None) -> Floats:
    """M⁻¹ at q."""
    return _dynamics(robot, (q, None, None, None, None), (3,), errors, threads)[0]


def body_poses(robot: Model, q: ArrayLike, *, errors: str = "raise", threads: Optional[int] = None) -> Floats:
    """Poses of all bodies in the world, (…, nbodies, 4, 4)."""
    out = _run(robot, POSES, (q, None, None, None, None), [(robot.nbodies, 4, 4)], errors, threads)[0]
    assert out is not None
    return out


def all_jacobians(robot: Model, q: ArrayLike, *, errors: str = "raise", threads: Optional[int] = None) -> Jacobians:
    """Poses of all bodies, and the columns of all joints."""
    shapes = [(robot.nbodies, 4, 4), (6, robot.nv)]
    H, J = _run(robot, JACOBIANS, (q, None, None, None, None), shapes, errors, threads)[:2]
    assert H is not None and J is not None
    return Jacobians(H, J)
