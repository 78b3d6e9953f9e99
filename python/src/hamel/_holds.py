"""What the world holds of a robot, and what holds itself: loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union

from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Hold:
    """A frame, or its origin, that the world holds; for Model.constrained_forward_dynamics and its kin.

    In a list of holds the name of a frame alone stands for Hold(name, "point").

    kind "frame": six rows, its left twist is zero, the force a wrench in the frame; "point": three rows, the velocity of
    its origin in the world's axes; "plane": one row, that velocity along the normal; "touch": the same, but it may leave
    along the normal, and the force only pushes. damping (1/s) and stiffness (1/s²)
    are Baumgarte's terms; stiffness pulls to the pose, (4, 4).

    other: another frame of the robot that takes the place of the world, which closes a loop. Normal, pose and forces
    are in its axes, and it feels the opposite force. Without a pose the two frames belong together in one place.
    "distance" (with other, or without it to the world's origin): one row, the origins stay `distance` apart, and the
    force pushes them away from each other. "touch" has no other. Rows of loops come after those of holds.
    """

    frame: Union[str, int]
    kind: str = "frame"
    normal: ArrayLike = (0.0, 0.0, 1.0)
    damping: float = 0.0
    stiffness: float = 0.0
    pose: Optional[ArrayLike] = None
    other: Optional[Union[str, int]] = None
    distance: float = 0.0
