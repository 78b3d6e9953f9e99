"""Functions of a robot with their exact Jacobians, in plain coordinates, for programs that differentiate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Sequence, Tuple

import numpy
from numpy.typing import ArrayLike, NDArray

from .._core import Model
from .._errors import InvalidArgumentError, NotNormalizedError
from .._names import did_you_mean

Array = NDArray[numpy.float64]
NAMES = ("forward_dynamics", "step", "integrate", "difference")


@dataclass(frozen=True)
class Function:
    """y = f(x), with x and y in pieces. Pieces take leading dimensions.

    `jacobian` is ∂y/∂x, all pieces side by side, (…, Σ outputs, Σ inputs). The columns of a configuration are those of
    its nq numbers. A quaternion stands for the unit one of its direction: it need not be unit, and a change along
    the quaternion itself changes nothing.
    """

    name: str
    inputs: Tuple[Tuple[str, int], ...]
    outputs: Tuple[Tuple[str, int], ...]
    value: Callable[..., Tuple[Array, ...]]
    jacobian: Callable[..., Array]

    def __call__(self, *x: ArrayLike) -> Tuple[Array, ...]:
        return self.value(*x)

    def split(self, y: Any) -> Tuple[Any, ...]:
        """An array with all outputs as its pieces."""
        ends = numpy.cumsum([0] + [n for _, n in self.outputs])
        return tuple(y[..., a:b] for a, b in zip(ends[:-1], ends[1:]))


def function(model: Model, name: str, *, h: float = 1e-3, integrator: str = "semi_implicit_euler") -> Function:
    """A function of a robot with its exact Jacobian.

    forward_dynamics   q, v, tau → ν̇
    step               q, v, tau → q⁺, v⁺: one step of an integrator on the group over h, as Model.step
    integrate          q, v → q ⊕ v: from a vector to a configuration, so that an optimizer may move in vectors
    difference         q0, q1 → q1 ⊖ q0: how far it is from one configuration to another, for costs

    >>> import hamel, hamel.interop
    >>> robot = hamel.load("quadruped")
    >>> f = hamel.interop.function(robot, "step", h=0.01)
    >>> f.jacobian(robot.neutral(), [0] * 18, [0] * 18).shape
    (37, 55)
    """
    nq, nv = ("q", model.nq), ("v", model.nv)

    def forward_dynamics(q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Tuple[Array, ...]:
        return (model.forward_dynamics(_unit(model, q)[0], v, tau),)

    def forward_dynamics_jacobian(q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        unit, G = _tangents(model, q)
        x = model.linearize(unit, v, tau)
        return numpy.concatenate([x.Dq @ G, x.Dv, x.Minv], axis=-1)

    def step(q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Tuple[Array, ...]:
        after = model.step(_unit(model, q)[0], v, h, tau, integrator)
        assert after.v is not None
        return after.q, after.v

    def step_jacobian(q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        unit, G = _tangents(model, q)
        n, x = model.nv, model.step_linearize(unit, v, h, tau, integrator)
        columns = numpy.concatenate([x.Ad[..., :n] @ G, x.Ad[..., n:], x.Bd], axis=-1)
        rows = model.rate_matrix(x.q) @ columns[..., :n, :]
        return numpy.concatenate([rows, columns[..., n:, :]], axis=-2)

    def integrate(q: ArrayLike, v: ArrayLike) -> Tuple[Array, ...]:
        return (model.integrate(_unit(model, q)[0], v),)

    def integrate_jacobian(q: ArrayLike, v: ArrayLike) -> Array:
        unit, G = _tangents(model, q)
        d = model.integrate_jacobians(unit, v)
        columns = numpy.concatenate([d.dq @ G, d.dv], axis=-1)
        result: Array = model.rate_matrix(model.integrate(unit, v)) @ columns
        return result

    def difference(q0: ArrayLike, q1: ArrayLike) -> Tuple[Array, ...]:
        return (model.difference(_unit(model, q0)[0], _unit(model, q1)[0]),)

    def difference_jacobian(q0: ArrayLike, q1: ArrayLike) -> Array:
        (unit0, G0), (unit1, G1) = _tangents(model, q0), _tangents(model, q1)
        d = model.difference_jacobians(unit0, unit1)
        return numpy.concatenate([d.dq0 @ G0, d.dq1 @ G1], axis=-1)

    if name == "forward_dynamics":
        inputs, outputs = (nq, nv, ("tau", model.nv)), (("a", model.nv),)
        return Function(name, inputs, outputs, forward_dynamics, forward_dynamics_jacobian)
    if name == "step":
        return Function(name, (nq, nv, ("tau", model.nv)), (nq, nv), step, step_jacobian)
    if name == "integrate":
        return Function(name, (nq, nv), (nq,), integrate, integrate_jacobian)
    if name == "difference":
        return Function(name, (("q0", model.nq), ("q1", model.nq)), (("d", model.nv),), difference, difference_jacobian)
    raise InvalidArgumentError(f"name is one of {', '.join(NAMES)}, not {name!r}{did_you_mean(str(name), NAMES)}")


def _unit(model: Model, q: ArrayLike) -> Tuple[Array, Array]:
    """q with quaternions of length one, and the length that each number was divided by"""
    own = numpy.array(q, float)
    scale = numpy.ones_like(own)
    for joint in model.joints:
        if joint.type in ("free", "spherical") and own.shape[-1:] == (model.nq,) and joint.nq:
            last = joint.q + joint.nq
            scale[..., last - 4 : last] = numpy.linalg.norm(own[..., last - 4 : last], axis=-1, keepdims=True)
    if not scale.all():
        raise NotNormalizedError("a quaternion is zero")
    return own / scale, scale


def _tangents(model: Model, q: ArrayLike) -> Tuple[Array, Array]:
    """q on the group, and G with ν = G q̇, (…, nv, nq)"""
    unit, scale = _unit(model, q)
    G = numpy.swapaxes(model.velocity(unit[..., None, :], numpy.eye(model.nq)), -1, -2)
    return unit, G / scale[..., None, :]


def arrays(f: Function, x: Sequence[Any]) -> Tuple[Array, ...]:
    """The inputs as float64 arrays with the same leading dimensions."""
    own = [numpy.asarray(piece, numpy.float64) for piece in x]
    lead = numpy.broadcast_shapes(*(piece.shape[:-1] for piece in own))
    return tuple(numpy.broadcast_to(piece, (*lead, piece.shape[-1])) for piece in own)
