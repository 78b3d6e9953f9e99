"""What a robot can stand on, and the motion of one that touches nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence, Tuple

import numpy
from numpy.typing import ArrayLike, NDArray

from ._core import Model, Motion


@dataclass(frozen=True)
class Plane:
    """A plane through point, solid below its normal; for Contact.

    With size it is a rectangle about the point, size[0] to either side along axis and size[1] across; a solid of depth.
    """

    point: ArrayLike = (0.0, 0.0, 0.0)
    normal: ArrayLike = (0.0, 0.0, 1.0)
    axis: ArrayLike = (1.0, 0.0, 0.0)
    size: ArrayLike = (0.0, 0.0)
    depth: float = 0.0
    friction: float = 0.0
    restitution: float = 0.0


def simulate(
    model: Model, q: ArrayLike, v: Optional[ArrayLike], times: Sequence[float], **options: Any
) -> Tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """The motion of a robot from q, v at times[0]: q and v at the times, (n, nq) and (n, nv).

    The options are those of Motion: scheme, step, tolerance, tau, force, ….

    >>> import hamel
    >>> robot = hamel.load("pendulum")
    >>> q, v = hamel.simulate(robot, [0.1], None, [0, 0.5, 1])
    >>> q.shape, v.shape
    ((3, 1), (3, 1))
    """
    motion = Motion(model, q, v, times[0], **options)
    positions, velocities = numpy.empty((len(times), model.nq)), numpy.empty((len(times), model.nv))
    for i, t in enumerate(times):
        if i:
            motion.advance(t)
        positions[i], velocities[i] = motion.q, motion.v
    return positions, velocities
