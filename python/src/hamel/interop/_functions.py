"""Functions of a robot with their exact Jacobians, in plain coordinates, for programs that differentiate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Sequence, Tuple

import numpy
from numpy.typing import ArrayLike, NDArray

from .._core import Model
from .._errors import InvalidArgumentError

Array = NDArray[numpy.float64]
NAMES = ("forward_dynamics", "step", "integrate")


@dataclass(frozen=True)
class Function:
    """y = f(x), with x and y in pieces. Pieces take leading dimensions.

    `jacobian` is ∂y/∂x, all pieces side by side, (…, Σ outputs, Σ inputs). The columns of a configuration are those of
    its nq numbers. A quaternion moves along the group only: a change along the quaternion itself changes nothing.
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

    >>> import hamel, hamel.interop
    >>> robot = hamel.load("quadruped")
    >>> f = hamel.interop.function(robot, "step", h=0.01)
    >>> f.jacobian(robot.neutral(), [0] * 18, [0] * 18).shape
    (37, 55)
    """
    nq, nv = ("q", model.nq), ("v", model.nv)

    def forward_dynamics(q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Tuple[Array, ...]:
        return (model.forward_dynamics(q, v, tau),)

    def forward_dynamics_jacobian(q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        x = model.linearize(q, v, tau)
        return numpy.concatenate([x.Dq @ _tangents(model, q), x.Dv, x.Minv], axis=-1)

    def step(q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Tuple[Array, ...]:
        after = model.step(q, v, h, tau, integrator)
        assert after.v is not None
        return after.q, after.v

    def step_jacobian(q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        n, x = model.nv, model.step_linearize(q, v, h, tau, integrator)
        columns = numpy.concatenate([x.Ad[..., :n] @ _tangents(model, q), x.Ad[..., n:], x.Bd], axis=-1)
        rows = model.rate_matrix(x.q) @ columns[..., :n, :]
        return numpy.concatenate([rows, columns[..., n:, :]], axis=-2)

    def integrate(q: ArrayLike, v: ArrayLike) -> Tuple[Array, ...]:
        return (model.integrate(q, v),)

    def integrate_jacobian(q: ArrayLike, v: ArrayLike) -> Array:
        d = model.integrate_jacobians(q, v)
        columns = numpy.concatenate([d.dq @ _tangents(model, q), d.dv], axis=-1)
        result: Array = model.rate_matrix(model.integrate(q, v)) @ columns
        return result

    if name == "forward_dynamics":
        inputs, outputs = (nq, nv, ("tau", model.nv)), (("a", model.nv),)
        return Function(name, inputs, outputs, forward_dynamics, forward_dynamics_jacobian)
    if name == "step":
        return Function(name, (nq, nv, ("tau", model.nv)), (nq, nv), step, step_jacobian)
    if name == "integrate":
        return Function(name, (nq, nv), (nq,), integrate, integrate_jacobian)
    raise InvalidArgumentError(f"name is one of {', '.join(NAMES)}, not {name!r}")


def _tangents(model: Model, q: ArrayLike) -> Array:
    """G with ν = G q̇, (…, nv, nq)."""
    own = numpy.asarray(q, float)[..., None, :]
    return numpy.swapaxes(model.velocity(own, numpy.eye(model.nq)), -1, -2)


def arrays(f: Function, x: Sequence[Any]) -> Tuple[Array, ...]:
    """The inputs as float64 arrays with the same leading dimensions."""
    own = [numpy.asarray(piece, numpy.float64) for piece in x]
    lead = numpy.broadcast_shapes(*(piece.shape[:-1] for piece in own))
    return tuple(numpy.broadcast_to(piece, (*lead, piece.shape[-1])) for piece in own)
