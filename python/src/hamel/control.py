"""Feedback for linear systems: regulators, Lyapunov equations, estimators, modes; and optimal control of robots.

>>> from hamel import control
>>> control.lqr([[0, 1], [0, 0]], [[0], [1]], 1, 1).K.round(3)
array([[1.   , 1.732]])

Weights are numbers (times the identity), vectors (a diagonal) or matrices. Matrices may have leading dimensions, which
are broadcast: one problem for each combination. Model.lqr does the same for a robot about a state, and Model.modes shows
its modes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import List, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import BY_STATUS, InvalidArgumentError, NotConvergedError, NotFiniteError, NotStabilizableError, SingularError
from ._holds import Hold
from ._integral import Integrating, Outputs, outputs
from ._locus import Crossing, Locus, locus
from ._margins import Disk, Margins, margins
from ._modes import Mode, Modes, build, modes
from ._mpc import MPC, Slot, Statistics, Tick
from ._plan import Phase, Plan, Problem, Progress, Solver

__all__ = [
    "Crossing",
    "Disk",
    "Estimator",
    "Horizon",
    "Integrating",
    "Locus",
    "MPC",
    "Margins",
    "Mode",
    "Modes",
    "Phase",
    "Plan",
    "Problem",
    "Progress",
    "Regulator",
    "Slot",
    "Solver",
    "Statistics",
    "Tick",
    "dlqr",
    "dlyap",
    "kalman",
    "locus",
    "lqi",
    "lqr",
    "lyap",
    "margins",
    "modes",
    "tvlqr",
]

Array = NDArray[numpy.float64]
Complex = NDArray[numpy.complex128]


@dataclass(frozen=True)
class Regulator:
    """u = −K x, and what belongs to it.

    K (m, n); P (n, n): xᵀPx is the cost from x on; poles (n): the eigenvalues of closed = A − B K; residual: the relative
    residual of the Riccati equation; iterations and refinements: how many steps of doubling and of Newton's method.
    A and B are those of the system, dt its step (1 of dlqr), None in continuous time. Model.lqr adds the names of the states and of the inputs, and tau, the forces of the state that K x is
    subtracted from. With holds, A, B, closed and poles are those of the 2r coordinates that the holds leave; K and P are
    for all 2nv perturbations, of which the holds allow some. With integrals, u = −K x − Ki ξ: A, B, P, closed and poles are those
    of (x, ξ), and output_names are the outputs. What Model.lqr returns can be called with a time and a state and
    gives the forces there.
    """

    K: Array
    P: Array
    poles: Complex
    residual: Union[float, Array]
    closed: Array
    iterations: NDArray[numpy.int64]
    refinements: NDArray[numpy.int64]
    A: Optional[Array] = None
    B: Optional[Array] = None
    state_names: Tuple[str, ...] = ()
    input_names: Tuple[str, ...] = ()
    tau: Optional[Array] = None
    model: Optional[_core.Model] = field(default=None, repr=False)
    q: Optional[Array] = field(default=None, repr=False)
    v: Optional[Array] = field(default=None, repr=False)
    marks: Optional[NDArray[numpy.bool_]] = field(default=None, repr=False)
    dt: Optional[float] = None
    inner: Optional[Array] = field(default=None, repr=False)
    units: Optional[Array] = field(default=None, repr=False)
    Ki: Optional[Array] = None
    output_names: Tuple[str, ...] = ()
    outputs: Optional[Outputs] = field(default=None, repr=False)

    def integrating(self) -> Integrating:
        """A controller that feeds back the integrals of the outputs too. Of Model.lqr with integral= only."""
        if self.outputs is None:
            raise InvalidArgumentError("this regulator has no integrals: Model.lqr with integral= has")
        return Integrating(self)

    def margins(self) -> Margins:
        """What the gain, the phase and the delay of each input may do, and of all at once; units of inputs are 1/√R_ii."""
        if self.A is None or self.B is None:
            raise InvalidArgumentError("this regulator has no A and B")
        K = self.K if self.inner is None else self.inner
        return margins(self.A, self.B, K, dt=self.dt, scale=self.units, names=self.input_names)

    def about(self, q: ArrayLike, v: Optional[ArrayLike] = None) -> Regulator:
        """The same gains about another state, such as the next one of a trajectory. Of Model.lqr only."""
        if self.model is None:
            raise InvalidArgumentError("this regulator is of matrices, not of a robot")
        velocity = numpy.zeros(self.model.nv) if v is None else numpy.array(v, dtype=float)
        return replace(self, q=numpy.array(q, dtype=float), v=velocity)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        """The forces τ − K (q ⊖ q₀, ν − ν₀) at a state, (nv), whatever the time: a controller for `hamel.simulate`, a force for
        `hamel.Motion`. Of Model.lqr only."""
        if self.model is None or self.q is None or self.v is None or self.tau is None or self.marks is None:
            raise InvalidArgumentError("this regulator is of matrices, not of a robot: u = −K x")
        error = numpy.concatenate([self.model.difference(self.q, q), numpy.asarray(v, dtype=float) - self.v], axis=-1)
        forces = numpy.broadcast_to(self.tau, error.shape[:-1] + self.tau.shape).copy()
        forces[..., self.marks] -= numpy.einsum("ij,...j", self.K, error)
        return forces


@dataclass(frozen=True)
class Estimator:
    """Kalman's filter in its steady state: L (n, p), the covariance P (n, n) of the error, the poles of A − L C, and the
    relative residual of the Riccati equation."""

    L: Array
    P: Array
    poles: Complex
    residual: Union[float, Array]


@dataclass(frozen=True)
class Horizon:
    """u_k = −K_k x_k for each of the steps: K (steps, m, n); P (steps + 1, n, n): xᵀP_k x is the cost from step k on.

    multipliers (n): of periodic steps, the eigenvalues of the closed loop over a period; residual: how much P differs, in relation,
    before and behind it.
    """

    K: Array
    P: Array
    multipliers: Optional[Complex] = None
    residual: Optional[float] = None


def _weight(weight: ArrayLike, n: int, name: str) -> Array:
    """A number, n numbers or a matrix as a matrix"""
    w = numpy.asarray(weight, dtype=float)
    if w.ndim == 0:
        return w * numpy.eye(n)
    if w.ndim == 1 and w.shape != (n,):
        raise InvalidArgumentError(f"{name} has {len(w)} entries where {n} are needed")
    if w.ndim == 1:
        return numpy.diag(w)
    if w.shape[-2:] != (n, n):
        raise InvalidArgumentError(f"{name} is {w.shape[-2]} × {w.shape[-1]} where {n} × {n} is needed")
    return w


def _matrix(matrix: ArrayLike, name: str) -> Array:
    A = numpy.asarray(matrix, dtype=float)
    if A.ndim < 2:
        raise InvalidArgumentError(f"{name} is a matrix")
    return A


def _complain(report: Array, reason: str) -> None:
    """Raises what the first row that failed says"""
    bad = report.reshape(-1, 8)
    bad = bad[bad[:, 0] != 0]
    if not len(bad):
        return
    kind = BY_STATUS[int(bad[0, 0])]
    unseen, mode = bool(bad[0, 5]), complex(bad[0, 6], bad[0, 7])
    if kind is InvalidArgumentError:
        raise kind("Q and R are symmetric, R is positive definite, and Q − N R⁻¹ Nᵀ is positive semidefinite; these are not")
    if kind is NotConvergedError:
        raise kind("the Riccati equation has a solution, but it is too large to be told from rounding errors")
    if kind is not NotStabilizableError:
        raise kind("A, B, Q, R or N holds NaN or infinity, or a product of them overflows")
    if unseen:
        raise kind(f"Q does not weigh the mode {mode:.6g}, which is on the border of stability: give it a weight")
    raise kind(f"not stabilizable: no input moves the mode {mode:.6g}{reason}")


def _solve(A: ArrayLike, B: ArrayLike, Q: ArrayLike, R: ArrayLike, N: Optional[ArrayLike], discrete: int, reason: str) -> Regulator:
    A, B = _matrix(A, "A"), _matrix(B, "B")
    n, m = B.shape[-2:]
    x = _core._lqr(A, B, _weight(Q, n, "Q"), _weight(R, m, "R"), N, discrete)
    _complain(x.report, reason)
    counts = x.report[..., 2:4].astype(int)
    residual = x.report[..., 1]
    poles = x.poles[..., 0] + 1j * x.poles[..., 1]
    weights = numpy.diagonal(_weight(R, m, "R"), axis1=-2, axis2=-1)
    return Regulator(
        x.K,
        x.P,
        poles,
        residual if residual.ndim else float(residual),
        x.closed,
        counts[..., 0],
        counts[..., 1],
        A,
        B,
        dt=1.0 if discrete else None,
        units=1 / numpy.sqrt(weights),
    )


def lqr(A: ArrayLike, B: ArrayLike, Q: ArrayLike, R: ArrayLike, N: Optional[ArrayLike] = None) -> Regulator:
    """The regulator of ẋ = A x + B u that makes ∫ xᵀQx + 2 xᵀNu + uᵀRu dt least."""
    return _solve(A, B, Q, R, N, 0, "")


def dlqr(A: ArrayLike, B: ArrayLike, Q: ArrayLike, R: ArrayLike, N: Optional[ArrayLike] = None) -> Regulator:
    """The regulator of x⁺ = A x + B u that makes Σ xᵀQx + 2 xᵀNu + uᵀRu least."""
    return _solve(A, B, Q, R, N, 1, "")


def lqi(
    A: ArrayLike, B: ArrayLike, C: ArrayLike, Q: ArrayLike, R: ArrayLike, Qi: ArrayLike = 1, *, dt: Optional[float] = None
) -> Regulator:
    """The regulator u = −K x − Ki ξ with the integrals ξ of the outputs C x, which come back under constant disturbances.

    ξ̇ = C x, and the cost is ∫ xᵀQx + ξᵀQi ξ + uᵀRu dt; or with dt, x⁺ = A x + B u, ξ⁺ = ξ + dt C x, and a sum.
    """
    return _integral(A, B, C, Q, R, Qi, dt)


def _integral(
    A: ArrayLike, B: ArrayLike, C: ArrayLike, Q: ArrayLike, R: ArrayLike, Qi: ArrayLike, dt: Optional[float]
) -> Regulator:
    A, B, C = _matrix(A, "A"), _matrix(B, "B"), _matrix(C, "C")
    if A.ndim + B.ndim + C.ndim != 6:
        raise InvalidArgumentError("A, B and C are one matrix each")
    n, m, p = len(A), B.shape[1], len(C)
    weights = _weight(R, m, "R")
    if dt is not None and not 0 < dt < numpy.inf:
        raise InvalidArgumentError(f"dt is a positive time, not {dt}")
    x = _core._lqi(A, B, C, _weight(Q, n, "Q"), _weight(Qi, p, "Qi"), weights, 0.0 if dt is None else dt)
    _complain(x.report, ", or no constant input holds all outputs")
    step = 1.0 if dt is None else dt
    all_A = _blocks(A, numpy.zeros((n, p)), step * C, numpy.zeros((p, p)) if dt is None else numpy.eye(p))
    all_B, gain = numpy.concatenate([B, numpy.zeros((p, m))]), numpy.concatenate([x.K, x.Ki], 1)
    P = _blocks(x.P, x.P_cross, x.P_cross.T, x.P_integral)
    poles = numpy.concatenate([x.poles, x.poles_more])
    counts = x.report[2:4].astype(int)
    units = 1 / numpy.sqrt(numpy.diagonal(weights))
    return Regulator(
        x.K,
        P,
        poles[:, 0] + 1j * poles[:, 1],
        float(x.report[1]),
        all_A - all_B @ gain,
        counts[0],
        counts[1],
        all_A,
        all_B,
        dt=dt,
        inner=gain,
        units=units,
        Ki=x.Ki,
        output_names=tuple(f"y{i}" for i in range(p)),
    )


def tvlqr(
    A: ArrayLike,
    B: ArrayLike,
    Q: ArrayLike,
    R: ArrayLike,
    Q_end: ArrayLike = 0,
    N: Optional[ArrayLike] = None,
    *,
    periodic: bool = False,
) -> Horizon:
    """The regulator of x_{k+1} = A_k x_k + B_k u_k over a finite horizon, such as the steps of a trajectory.

    A (steps, n, n) and B (steps, n, m); it makes Σ x_kᵀQ_k x_k + 2 x_kᵀN_k u_k + u_kᵀR_k u_k, and xᵀ Q_end x at the end,
    least. Q, R and N are the same for all steps, or have one matrix for each. SingularError where no input of a step is
    the best because nothing weighs it.

    periodic: the steps repeat without end, like those of a gait, and so do K and P; there is no Q_end, and each R_k is positive
    definite. NotStabilizableError names the multiplier that no input of the period moves.
    """
    A, B = _matrix(A, "A"), _matrix(B, "B")
    if A.ndim != 3 or B.ndim != 3:
        raise InvalidArgumentError("A and B have one matrix for each step: three dimensions")
    steps, n, m = B.shape
    weights = [numpy.broadcast_to(_weight(w, k, name), (steps, k, k)) for w, k, name in ((Q, n, "Q"), (R, m, "R"))]
    cross = None if N is None else numpy.broadcast_to(numpy.asarray(N, dtype=float), (steps, n, m))
    end = _weight(Q_end, n, "Q_end")
    if periodic:
        if end.any():
            raise InvalidArgumentError("periodic steps have no end: leave Q_end out")
        return _periodic(A, B, weights, cross)
    x = _core._horizon(A, B, weights[0], weights[1], end, cross)
    status, step = int(x.report[0]), int(x.report[1])
    if status:
        kind = BY_STATUS[status]
        where = "Q_end" if step == steps else f"step {step}"
        text = {
            InvalidArgumentError: "a weight is not symmetric",
            SingularError: "R + BᵀPB is not positive definite: give every input a weight",
        }.get(kind, "a matrix or the cost is not finite")
        raise kind(f"{where}: {text}")
    return Horizon(x.K, numpy.concatenate([x.P, (end + end.T)[None] / 2]))


def _periodic(A: Array, B: Array, weights: List[Array], cross: Optional[Array]) -> Horizon:
    x = _core._periodic(A, B, weights[0], weights[1], cross)
    step = int(x.report[8])
    try:
        _complain(x.report[:8], ": it is a multiplier of the period")
    except (InvalidArgumentError, NotFiniteError) as error:
        raise type(error)(f"step {step}: {error}" if step < len(B) else str(error)) from None
    multipliers = x.multipliers[:, 0] + 1j * x.multipliers[:, 1]
    return Horizon(x.K, numpy.concatenate([x.P, x.P[:1]]), multipliers, float(x.report[1]))


def lyap(A: ArrayLike, Q: ArrayLike) -> Array:
    """X with A X + X Aᵀ + Q = 0, for a stable A and a symmetric Q: the covariance of ẋ = A x + noise of intensity Q."""
    A = _matrix(A, "A")
    return _core._lyapunov(A, _weight(Q, A.shape[-1], "Q"), 0).X


def dlyap(A: ArrayLike, Q: ArrayLike) -> Array:
    """X with A X Aᵀ − X + Q = 0, for a stable A and a symmetric Q: the covariance of x⁺ = A x + noise of covariance Q."""
    A = _matrix(A, "A")
    return _core._lyapunov(A, _weight(Q, A.shape[-1], "Q"), 1).X


def kalman(
    A: ArrayLike, C: ArrayLike, W: ArrayLike, V: ArrayLike, N: Optional[ArrayLike] = None, *, discrete: bool = False
) -> Estimator:
    """The observer x̂̇ = A x̂ + B u + L (y − C x̂) of ẋ = A x + B u + w, y = C x + v with the smallest error.

    W and V are the intensities of w and v, N (n, p) their cross intensity. discrete: x̂⁺ = A x̂ + B u + L (y − C x̂), W, V
    and N are covariances, and P is that of the error before the measurement. It is the regulator of Aᵀ and Cᵀ.
    """
    turned = [numpy.swapaxes(_matrix(M, name), -1, -2) for M, name in ((A, "A"), (C, "C"))]
    try:
        x = _solve(turned[0], turned[1], W, V, N, int(discrete), "")
    except NotStabilizableError as error:
        text = str(error).replace("stabilizable: no input moves", "detectable: no output shows").replace("Q does not", "W does not")
        raise NotStabilizableError(text) from None
    return Estimator(numpy.swapaxes(x.K, -1, -2), x.P, x.poles, x.residual)


def _blocks(a: Array, b: Array, c: Array, d: Array) -> Array:
    """[a b; c d], with leading dimensions"""
    return numpy.concatenate([numpy.concatenate([a, b], -1), numpy.concatenate([c, d], -1)], -2)


def _marks(model: _core.Model, actuated: Union[None, ArrayLike, Sequence[str]]) -> NDArray[numpy.bool_]:
    """Which coordinates have an input"""
    if actuated is None:
        return model.actuated
    given = numpy.asarray(actuated)
    if given.dtype.kind in "US":
        names = {str(name) for name in given.ravel()}
        marks = numpy.zeros(model.nv, dtype=bool)
        for joint in model.joints:
            if joint.name in names and joint.leader < 0:
                marks[joint.v : joint.v + joint.nv] = True
                names.remove(joint.name)
        if names:
            raise InvalidArgumentError(f"actuated: there is no joint {sorted(names)[0]!r} that moves by itself")
        return marks
    if given.shape != (model.nv,):
        raise InvalidArgumentError(f"actuated is names of joints or {model.nv} marks")
    return given.astype(bool)


def _of_model(
    model: _core.Model,
    q: ArrayLike,
    v: Optional[ArrayLike] = None,
    tau: Optional[ArrayLike] = None,
    *,
    Q: ArrayLike = 1,
    R: ArrayLike = 1,
    N: Optional[ArrayLike] = None,
    actuated: Union[None, ArrayLike, Sequence[str]] = None,
    dt: Optional[float] = None,
    holds: Sequence[Union[Hold, str]] = (),
    hold: Sequence[Union[Hold, str]] = (),
    integral: Sequence[str] = (),
    Qi: ArrayLike = 1,
) -> Regulator:
    """Behind Model.lqr"""
    held = [*holds, *hold]
    marks = _marks(model, actuated)
    if not marks.any():
        raise InvalidArgumentError("no coordinate has an input: the model has no actuated joint; actuated= may name joints")
    velocity = numpy.zeros(model.nv) if v is None else v
    states = tuple(f"{letter} {name}" for letter in "qv" for name in model.velocity_names)
    if held:
        x = model.constrained_reduce(held, q, velocity, tau)
        onto, back = _blocks(x.Z, numpy.zeros_like(x.Z), x.X, x.Z), _blocks(x.P, numpy.zeros_like(x.P), numpy.zeros_like(x.P), x.P)
        turned = numpy.swapaxes(onto, -1, -2)
        Q = turned @ _weight(Q, 2 * model.nv, "Q") @ onto
        Q = (Q + numpy.swapaxes(Q, -1, -2)) / 2
        N = None if N is None else turned @ numpy.asarray(N, dtype=float)
        A, B = x.A, x.B
    else:
        y = model.linearize(q, velocity, tau, inputs="all")
        A, B = y.A, y.B
    B = numpy.ascontiguousarray(B[..., marks])
    if dt is not None:
        A, B = _core.discretize(A, B, dt)
    free = [j.name for j in model.joints if j.type == "free" and not marks[j.v : j.v + j.nv].all()]
    reason = (
        f"; joint {free[0]!r} floats and has no actuator, so that the forces of the other joints cannot change the momentum of the robot"
        if free and not held
        else ""
    )
    names = tuple(name for name, mark in zip(model.velocity_names, marks) if mark)
    forces = numpy.zeros(model.nv) if tau is None else numpy.array(tau, dtype=float)
    at_q, at_v = numpy.array(q, dtype=float), numpy.array(velocity, dtype=float)
    if len(integral):
        if N is not None or numpy.ndim(q) != 1:
            raise InvalidArgumentError("integrals go with one state, and not with a cross term N")
        chosen = outputs(model, integral)
        C = chosen.matrix(model, q)
        g = _integral(A, B, C @ onto if held else C, Q, R, Qi, dt)
        K = g.K @ back if held else g.K
        return replace(
            g, K=K, state_names=states, input_names=names, tau=forces, model=model, q=at_q, v=at_v, marks=marks,
            output_names=chosen.names, outputs=chosen,
        )  # fmt: skip
    g = _solve(A, B, Q, R, N, int(dt is not None), reason)
    K, P = (g.K @ back, numpy.swapaxes(back, -1, -2) @ g.P @ back) if held else (g.K, g.P)
    return Regulator(
        K, P, g.poles, g.residual, g.closed, g.iterations, g.refinements, A, B, states, names, forces, model, at_q, at_v, marks,
        dt, g.K, g.units,
    )  # fmt: skip


def _modes_of_model(
    model: _core.Model,
    q: ArrayLike,
    v: Optional[ArrayLike] = None,
    tau: Optional[ArrayLike] = None,
    *,
    actuated: Union[None, ArrayLike, Sequence[str]] = None,
    holds: Sequence[Union[Hold, str]] = (),
    hold: Sequence[Union[Hold, str]] = (),
    tolerance: float = 1e-9,
) -> Modes:
    """Behind Model.modes"""
    held = [*holds, *hold]
    marks = _marks(model, actuated)
    velocity = numpy.zeros(model.nv) if v is None else v
    if any(numpy.ndim(x) > 1 for x in (q, velocity) + (() if tau is None else (tau,))):
        raise InvalidArgumentError("modes are those of one state: take one from the batch")
    names = model.velocity_names
    states = tuple(f"{letter} {name}" for letter in "qv" for name in names)
    if held:
        x = model.constrained_reduce(held, q, velocity, tau)
        zero = numpy.zeros_like(x.Z)
        onto, back = _blocks(x.Z, zero, x.X, x.Z), _blocks(x.P, zero.T, zero.T, x.P)
        given, inputs = (x.A, x.B[:, marks])
        A, B = given, inputs
    else:
        y = model.linearize(q, velocity, tau, inputs="all")
        given, inputs = (y.A, y.B[:, marks])
        # coordinates in which the mass matrix is 1, as those of a held robot are: units and masses then do not matter
        factor = numpy.asarray(numpy.linalg.cholesky(model.mass_matrix(q)).T, dtype=float)
        zero = numpy.zeros_like(factor)
        back = _blocks(factor, zero, zero, factor)
        onto = numpy.asarray(numpy.linalg.inv(back), dtype=float)
        A, B = back @ given @ onto, back @ inputs
    found = build(A, B, None, onto, back, tolerance)
    if not found:
        return Modes((), given, inputs, states, names)
    right = numpy.concatenate([mode.right for mode in found], axis=1)
    energy = model._modes_energy(q, numpy.stack([right.real, right.imag], axis=-1))  # type: ignore[attr-defined]
    ends = numpy.cumsum([mode.multiplicity for mode in found])
    found = [replace(m, energy=energy[end - m.multiplicity : end].mean(axis=0)) for m, end in zip(found, ends)]
    return Modes(tuple(found), given, inputs, states, names, tuple(body.name for body in model.bodies))
