"""A robot and its motion in three dimensions, in a notebook or a browser, through MeshCat.

Why MeshCat: it is small (a page and a message queue), it is what users of Pinocchio and Drake have already, it plays
recorded motions with a slider, and `save` puts scene and motion into one file that needs no server.

The collision shapes are drawn, and bones: lines from each body to the joints it carries, so that a robot without shapes
is seen too.
"""

from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from ._core import Body, Model, Shape
from ._errors import InvalidArgumentError
from ._optional import need

__all__ = ["View"]

Array = NDArray[numpy.float64]
COLOUR, WORLD, BONE = 0x6E8FB3, 0x9A9A9A, 0x333333


class View:
    """A window on a robot. `show` a configuration, `play` a motion, `save` a page.

    model     the robot
    viewer    a meshcat.Visualizer, or a part of one (viewer["second"]); a new one, with its own server, if not given
    frames    names of frames to draw as triads; True: all
    scale     length of the triads' arms in metres
    """

    def __init__(
        self, model: Model, viewer: Any = None, *, frames: Union[bool, Sequence[str]] = (), scale: float = 0.1
    ) -> None:
        self._meshcat = need("meshcat", "meshcat", "View")
        self.model = model
        self.viewer = self._meshcat.Visualizer() if viewer is None else viewer
        wanted = [f.name for f in model.frames] if frames is True else list(frames or ())
        for i, body in enumerate(model.bodies):
            self._bones(i, body)
        for i, shape in enumerate(model.shapes):
            self._shape(i, shape)
        for name in wanted:
            frame = model.frames[model.frame_index(name)]
            node = self._node(frame.body)["frames"][_word(name)]
            node.set_object(self._meshcat.geometry.triad(scale))
            node.set_transform(_pose(frame.rotation, frame.position))
        self.show(model.neutral())

    def _node(self, body: int, root: Any = None) -> Any:
        root = self.viewer if root is None else root
        return root[_word(self.model.bodies[body].name)] if body >= 0 else root["world"]

    def _bones(self, number: int, body: Body) -> None:
        joints = [self.model.joints[b.joint] for b in self.model.bodies if b.parent == number]
        ends = [joint.position + joint.rotation @ joint.point for joint in joints]
        lines = [end for end in (*ends, body.com) if numpy.linalg.norm(end) > 1e-9]
        if lines:
            g = self._meshcat.geometry
            points = numpy.array([p for end in lines for p in (numpy.zeros(3), end)], numpy.float32).T
            self._node(number)["bones"].set_object(
                g.LineSegments(g.PointsGeometry(points), g.LineBasicMaterial(color=BONE))
            )

    def _shape(self, number: int, shape: Shape) -> None:
        frame = self.model.frames[shape.frame] if shape.frame >= 0 else None
        node = self._node(frame.body if frame else -1)["shapes"][str(number)]
        place = _pose(shape.rotation, shape.position)
        node.set_transform(_pose(frame.rotation, frame.position) @ place if frame else place)
        material = self._meshcat.geometry.MeshLambertMaterial(color=COLOUR if frame else WORLD, opacity=0.8)
        for i, (solid, height) in enumerate(_solids(self._meshcat.geometry, shape)):
            turned = _pose(_Y_TO_Z, [0, 0, height])
            node[str(i)].set_object(solid, material)
            node[str(i)].set_transform(turned)

    def show(self, q: ArrayLike) -> View:
        """The robot at q."""
        for body, pose in enumerate(self.model.body_poses(q)):
            self._node(body).set_transform(pose)
        return self

    def play(self, times: ArrayLike, q: ArrayLike, *, rate: int = 30) -> View:
        """A motion, as `simulate` returns it: q, (n, nq), at increasing times. Between them along the group."""
        at, states = numpy.asarray(times, float), numpy.asarray(q, float)
        if at.ndim != 1 or len(at) < 2 or states.shape != (len(at), self.model.nq) or not (numpy.diff(at) > 0).all():
            raise InvalidArgumentError("a motion is increasing times, (n), and configurations, (n, nq)")
        animation = self._meshcat.animation.Animation(default_framerate=rate)
        for number, state in enumerate(self._frames(at, states, rate)):
            with animation.at_frame(self.viewer, number) as moment:
                for body, pose in enumerate(self.model.body_poses(state)):
                    self._node(body, moment).set_transform(pose)
        self.viewer.set_animation(animation)
        return self.show(states[0])

    def _frames(self, times: Array, q: Array, rate: int) -> List[Array]:
        count = int(numpy.floor((times[-1] - times[0]) * rate + 1e-9)) + 1
        moments = times[0] + numpy.arange(count) / rate
        before = numpy.clip(numpy.searchsorted(times, moments, side="right") - 1, 0, len(times) - 2)
        share = numpy.clip((moments - times[before]) / (times[before + 1] - times[before]), 0, 1)
        return list(self.model.interpolate(q[before], q[before + 1], share))

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        return str(self.viewer.url())

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """One HTML file with scene and motion; it needs neither server nor network."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.viewer.static_html())

    def _repr_html_(self, height: Optional[int] = None) -> str:
        return f"<iframe src='{self.url}' style='width:100%;height:{height or 400}px;border:0'></iframe>"


_Y_TO_Z = numpy.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # MeshCat's cylinders lie along y


def _pose(rotation: ArrayLike, position: ArrayLike) -> Array:
    pose = numpy.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, position
    return pose


def _word(name: str) -> str:
    """A name as one step of a path."""
    return name.replace("/", "|")


def _solids(g: Any, shape: Shape) -> List[Any]:
    """What a shape is drawn as, in axes whose y is the shape's z, and how high along that z."""
    size = [float(x) for x in shape.size]
    if shape.kind == "point":
        return [(g.Sphere(0.005), 0.0)]
    if shape.kind == "sphere":
        return [(g.Sphere(size[0]), 0.0)]
    if shape.kind == "box":
        return [(g.Box([2 * size[0], 2 * size[2], 2 * size[1]]), 0.0)]
    middle = (g.Cylinder(2 * size[1], size[0]), 0.0)
    return [middle] if shape.kind == "cylinder" else [middle, *((g.Sphere(size[0]), z) for z in (-size[1], size[1]))]
