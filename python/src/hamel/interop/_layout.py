"""One robot's numbers in Hamel's order and in another program's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Collection, List, Mapping, NamedTuple, Optional, Tuple

import numpy
from numpy.typing import ArrayLike, NDArray

from .._core import Model
from .._errors import InvalidArgumentError, NotFoundError

Array = NDArray[numpy.float64]
Pairs = List[Tuple[int, int]]  # a number of the other program, the one of to_layout that it is


class Index(NamedTuple):
    """Numbers of the other program and those of Model.to_layout that they are."""

    at: NDArray[numpy.int64]
    ours: NDArray[numpy.int64]


class Numbers(NamedTuple):
    """A configuration and a velocity; v is None where none was given."""

    q: Array
    v: Optional[Array]


@dataclass(frozen=True)
class Layout:
    """Translates states, forces and matrices of one robot. Made by `layout`, `pinocchio_layout`, `mujoco_layout`.

    The other program's numbers are those of Model.to_layout, joint by joint in its own order: number at[i] is ours[i].
    A circle, two numbers cos and sin, is an angle of ours. Velocities translate by a matrix, v′ = T(q) v, hence forces
    by T⁻ᵀ. All functions take leading dimensions.
    """

    model: Model
    program: str
    q: Index
    circles: Index
    v: Index

    @property
    def nq(self) -> int:
        """How many numbers the other program's configuration has."""
        return len(self.q.at) + 2 * len(self.circles.at)

    @property
    def nv(self) -> int:
        return len(self.v.at)

    def to(self, q: ArrayLike, v: Optional[ArrayLike] = None) -> Numbers:
        """Hamel's state as the other program writes it."""
        state = self.model.to_layout(q, v, self.program)
        theirs = numpy.empty((*state.q.shape[:-1], self.nq))
        theirs[..., self.q.at] = state.q[..., self.q.ours]
        theirs[..., self.circles.at] = numpy.cos(state.q[..., self.circles.ours])
        theirs[..., self.circles.at + 1] = numpy.sin(state.q[..., self.circles.ours])
        if state.v is None:
            return Numbers(theirs, None)
        speed = numpy.empty(state.v.shape)
        speed[..., self.v.at] = state.v[..., self.v.ours]
        return Numbers(theirs, speed)

    def back(self, q: ArrayLike, v: Optional[ArrayLike] = None) -> Numbers:
        """The other program's state as Hamel writes it; the angle of a circle is in (−π, π]."""
        theirs = _shaped(q, self.nq, "q")
        own = numpy.empty((*theirs.shape[:-1], len(self.q.at) + len(self.circles.at)))
        own[..., self.q.ours] = theirs[..., self.q.at]
        own[..., self.circles.ours] = numpy.arctan2(theirs[..., self.circles.at + 1], theirs[..., self.circles.at])
        speed = None
        if v is not None:
            given = _shaped(v, self.nv, "v")
            speed = numpy.empty(given.shape)
            speed[..., self.v.ours] = given[..., self.v.at]
        state = self.model.from_layout(own, speed, self.program)
        return Numbers(state.q, state.v)

    def matrix(self, q: ArrayLike) -> Array:
        """T(q), (…, nv, nv): v′ = T v. q is Hamel's."""
        own = numpy.asarray(q, float)[..., None, :]
        return numpy.swapaxes(self._velocities(own), -1, -2)

    def _velocities(self, own: Array) -> Array:
        theirs = self.to(own, numpy.eye(self.model.nv)).v
        assert theirs is not None
        return theirs

    def force_to(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """τ′ with τ′·v′ = τ·v for every motion. q is Hamel's."""
        T = self.matrix(q)
        return _solve(numpy.swapaxes(T, -1, -2), tau)

    def force_back(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """And back. q is Hamel's."""
        T = self.matrix(q)
        result: Array = numpy.einsum("...ij,...i->...j", T, numpy.asarray(tau, float))
        return result

    def mass_to(self, q: ArrayLike, M: ArrayLike) -> Array:
        """M′ = T⁻ᵀ M T⁻¹. q is Hamel's."""
        inverse = numpy.linalg.inv(self.matrix(q))
        result: Array = numpy.swapaxes(inverse, -1, -2) @ numpy.asarray(M, float) @ inverse
        return result


def _solve(matrix: Array, x: ArrayLike) -> Array:
    result: Array = numpy.linalg.solve(matrix, numpy.asarray(x, float)[..., None])[..., 0]
    return result


def _shaped(x: ArrayLike, n: int, name: str) -> Array:
    theirs = numpy.asarray(x, float)
    if theirs.shape[-1:] != (n,):
        raise InvalidArgumentError(f"{name} has shape {theirs.shape}, expected (…, {n})")
    return theirs


def layout(
    model: Model,
    program: str,
    joints: Optional[Mapping[str, Tuple[int, int]]] = None,
    *,
    circles: Collection[str] = (),
) -> Layout:
    """The layout of drake, idyntree, mujoco, pinocchio or rbdl for a model.

    joints    where each joint's numbers begin in the other program's q and v, by name; Hamel's order if not given.
              Drake: {name: (joint.position_start(), joint.velocity_start())}
    circles   names of revolute joints that are cos and sin there, as Pinocchio's URDF reader has `continuous`

    >>> import hamel, hamel.interop
    >>> robot = hamel.load("quadruped")
    >>> drake = hamel.interop.layout(robot, "drake")
    >>> drake.to(robot.neutral()).q[:7]
    array([1., 0., 0., 0., 0., 0., 0.])
    """
    numbers: Pairs = []
    angles: Pairs = []
    speeds: Pairs = []
    at_q = at_v = 0
    for i, joint in enumerate(model.joints):
        q, nq, v, nv, w = model.layout_joint(i, program)
        if not nv:
            continue
        if joints is not None:
            if joint.name not in joints:
                raise NotFoundError(f"{program} has no joint {joint.name!r}")
            if w >= 0:
                raise InvalidArgumentError(f"{program} keeps {joint.name!r} in two places: leave joints out")
            at_q, at_v = joints[joint.name]
        circle = joint.name in circles
        if circle and joint.type != "revolute":
            raise InvalidArgumentError(f"{joint.name!r} is {joint.type}, no circle")
        (angles if circle else numbers).extend((at_q + k, q + k) for k in range(nq))
        speeds.extend((at_v + k, v + k) for k in range(nv))
        at_q, at_v = at_q + nq + circle, at_v + nv
    seen = {q for _, q in (*numbers, *angles)}
    total = len(model.to_layout(model.neutral(), None, program).q)
    loose = [q for q in range(total) if q not in seen]  # RBDL's w, at the very end
    numbers.extend((at_q + k, q) for k, q in enumerate(loose))
    filled = sorted([at for at, _ in numbers] + [at + k for at, _ in angles for k in (0, 1)])
    if filled != list(range(len(filled))) or sorted(at for at, _ in speeds) != list(range(model.nv)):
        raise InvalidArgumentError(f"the joints do not fill the numbers of {program} one after the other")
    return Layout(model, program, _index(numbers), _index(angles), _index(speeds))


def _index(pairs: Pairs) -> Index:
    table = numpy.array(pairs, numpy.int64).reshape(-1, 2)
    return Index(table[:, 0], table[:, 1])
