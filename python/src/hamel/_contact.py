"""What a robot can stand on, and its motion."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from ._core import Contact, Model, Motion, _load_heightfield
from ._errors import Error, InvalidArgumentError


Controller = Callable[[float, NDArray[numpy.float64], NDArray[numpy.float64]], ArrayLike]


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


@dataclass(frozen=True, eq=False)
class Heightfield:
    """Ground that is a grid of heights, solid below; for Contact(…, heightfields=[…]).

    heights[row, column] in metres, at x = (column - (columns - 1) / 2) spacing[0] and y = (row - (rows - 1) / 2) spacing[1] from
    position, the middle of the grid, in axes of rotation. spacing may be one number. Beside the grid there is nothing.

    >>> import numpy, hamel
    >>> bumps = hamel.Heightfield(0.05 * numpy.random.default_rng(0).random((40, 50)), 0.1, friction=0.8)
    >>> robot = hamel.load("quadruped")
    >>> ground = hamel.Contact(robot, [], heightfields=[bumps])
    >>> round(ground.lowest(ground.place(robot.neutral(), height=0.1)).gap, 9)
    0.1
    """

    heights: ArrayLike
    spacing: ArrayLike = 1.0
    position: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    friction: float = 0.0
    restitution: float = 0.0

    def __post_init__(self) -> None:
        heights = numpy.array(self.heights, float)
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise InvalidArgumentError(f"heights are a table of at least 2 x 2 numbers, not of shape {heights.shape}")
        if not numpy.isfinite(heights).all():
            row, column = numpy.argwhere(~numpy.isfinite(heights))[0]
            raise InvalidArgumentError(f"the height in row {row}, column {column} is {heights[row, column]}")
        spacing = numpy.array(self.spacing, float)
        if spacing.ndim > 1 or spacing.size not in (1, 2) or not (numpy.isfinite(spacing) & (spacing > 0)).all():
            raise InvalidArgumentError(f"spacing is one or two positive lengths, not {self.spacing}")
        object.__setattr__(self, "heights", heights)
        object.__setattr__(self, "spacing", numpy.broadcast_to(spacing.reshape(-1), (2,)).copy())

    @staticmethod
    def load(path: Union[str, os.PathLike[str]], spacing: Optional[ArrayLike] = None, friction: Optional[float] = None) -> Heightfield:
        """A grid from a file: .npy or .csv, .npz or .json with `heights`, or the first hfield of an MJCF file.

        spacing and friction take the place of the file's; without either, friction is 0.8.
        """
        heights, found, position, rotation, mu, restitution = _load_heightfield(path)
        if spacing is None and not (found > 0).all():
            raise InvalidArgumentError(f"{path}: the file does not say how far apart its heights are; give spacing")
        return Heightfield(
            heights,
            found if spacing is None else spacing,
            position,
            rotation if rotation.any() else numpy.eye(3),
            friction if friction is not None else mu if mu >= 0 else 0.8,
            restitution,
        )


def simulate(
    model: Model,
    q: ArrayLike,
    v: Optional[ArrayLike],
    times: Sequence[float],
    *,
    contact: Optional[Contact] = None,
    height: Optional[float] = None,
    lift: bool = False,
    controller: Optional[Controller] = None,
    **options: Any,
) -> Tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """The motion of a robot from q, v at times[0]: q and v at the times, (n, nq) and (n, nv).

    The options are those of Motion: integrator, step, tolerance, tau, force, …. With a contact the robot touches its planes;
    the options are then step (the longest step, 0.001 s) and tau. height puts the robot at this height over the first
    plane before it starts. A start inside that plane is refused, or lifted if lift is true. controller(t, q, v) gives the
    forces, (nv), such as the regulator of Model.lqr; with a contact they are held for a step.

    >>> import hamel
    >>> robot = hamel.load("pendulum")
    >>> q, v = hamel.simulate(robot, [0.1], None, [0, 0.5, 1])
    >>> q.shape, v.shape
    ((3, 1), (3, 1))
    >>> robot = hamel.load("quadruped")
    >>> ground = hamel.Contact(robot, [hamel.Plane(friction=0.8)])
    >>> q, v = hamel.simulate(robot, robot.neutral(), None, [0, 0.2], contact=ground, height=0.1)
    >>> round(q[0, 2], 12)
    0.54
    """
    if not isinstance(model, Model):
        raise TypeError(f"model is a hamel.Model, not {type(model)}: hamel.load makes one")
    times = _times(times)
    if contact is not None and controller is not None:
        options["controller"] = controller
    if contact is not None:
        return _touching(model, contact, _start(model, contact, q, height, lift), v, times, **options)
    if height is not None or lift:
        raise InvalidArgumentError("height and lift need a contact")
    if controller is not None:
        if options.get("force") is not None:
            raise InvalidArgumentError("controller and force are the same thing: give one of them")
        options["force"] = controller
    motion = Motion(model, q, v, times[0], **options)
    positions, velocities = numpy.empty((len(times), model.nq)), numpy.empty((len(times), model.nv))
    for i, t in enumerate(times):
        if i:
            motion.advance(t)
        positions[i], velocities[i] = motion.q, motion.v
    return positions, velocities


def _times(times: Sequence[float]) -> Sequence[float]:
    """One time would be a motion without an end, and a common slip for the time it lasts"""
    if numpy.ndim(times) == 0:
        one = f" such as [0, {times:g}], not one time" if isinstance(times, (int, float, numpy.number)) else f", not {times!r}"
        raise InvalidArgumentError(f"times is a list of times{one}")
    if len(times) == 0:
        raise InvalidArgumentError("times has no time in it")
    numbers = numpy.array(times, float)
    if not numpy.isfinite(numbers).all():
        i = int(numpy.argmin(numpy.isfinite(numbers)))
        raise InvalidArgumentError(f"times[{i}] is {numbers[i]:g}, which is not a time")
    back = numpy.flatnonzero(numpy.diff(numbers) < 0)
    if len(back):
        i = int(back[0])
        raise InvalidArgumentError(f"times do not go back: {numbers[i + 1]:g} comes after {numbers[i]:g}")
    return times


def _start(model: Model, contact: Contact, q: ArrayLike, height: Optional[float], lift: bool) -> NDArray[numpy.float64]:
    """q on the ground, or over it."""
    if height is not None:
        return contact.place(q, height)
    lowest = contact.lowest(q)
    if lowest.gap >= -1e-3:
        return numpy.array(q, float)
    if lift:
        return contact.place(q)
    frame = model.frames[model.shapes[lowest.shape].frame].name
    raise InvalidArgumentError(
        f"the robot starts inside the ground: {frame!r} is {-lowest.gap:.3g} m below it; use lift=True or height=0"
    )


def _touching(
    model: Model,
    contact: Contact,
    q: NDArray[numpy.float64],
    v: Optional[ArrayLike],
    times: Sequence[float],
    step: float = 1e-3,
    tau: Optional[ArrayLike] = None,
    controller: Optional[Controller] = None,
) -> Tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """Equal steps from one time to the next, none longer than step."""
    if not step > 0 or not all(b > a for a, b in zip(times, times[1:])):
        raise InvalidArgumentError("the step is positive, and times grow")
    now = numpy.zeros(model.nv) if v is None else numpy.array(v, float)
    positions, velocities = numpy.empty((len(times), model.nq)), numpy.empty((len(times), model.nv))
    positions[:1], velocities[:1] = q, now
    for i in range(1, len(times)):
        span = times[i] - times[i - 1]
        count = max(1, math.ceil(span / step * (1 - 1e-12)))
        for k in range(count):
            try:
                done = contact.step(q, now, span / count, tau if controller is None else controller(times[i - 1] + k * span / count, q, now))
            except Error as error:
                fastest = model.velocity_names[int(numpy.argmax(numpy.abs(now)))]
                ended = times[i - 1] + k * span / count
                raise type(error)(f"the motion ends at {ended:.6g} s, {fastest} is fastest: {error}") from error
            q, now = done.q, done.v
        positions[i], velocities[i] = q, now
    return positions, velocities
