"""The view, without a browser: what it tells the viewer."""

import importlib

import numpy as np
import pytest
from conftest import state

import hamel
from hamel import view

CAPSULE = np.array([0.05, 0.2])


class Recorder(dict):
    """A viewer that remembers the transforms and objects of all paths."""

    def __init__(self, objects=None, poses=None, path=""):
        self.objects, self.poses, self.path = {} if objects is None else objects, {} if poses is None else poses, path

    def __getitem__(self, name):
        return Recorder(self.objects, self.poses, f"{self.path}/{name}")

    def set_object(self, *given):
        self.objects[self.path] = given[0]

    def set_transform(self, pose):
        self.poses[self.path] = np.array(pose)

    def pose(self, path):
        """The product of the transforms on the way."""
        steps = path.split("/")[1:]
        ways = ["/" + "/".join(steps[: i + 1]) for i in range(len(steps))]
        return np.linalg.multi_dot([np.eye(4), np.eye(4), *(self.poses[w] for w in ways if w in self.poses)])


@pytest.fixture
def meshcat():
    return pytest.importorskip("meshcat")


@pytest.fixture
def lamp():
    builder = hamel.Builder("lamp").add_body("foot", None, "free", mass=1, moment=np.eye(3))
    builder.add_body("arm/1", "foot", "spherical", position=[0, 0, 0.3], mass=1, com=[0, 0.1, 0], moment=np.eye(3))
    builder.add_shape("arm/1", "capsule", CAPSULE, position=[0.1, 0, 0], rotation=hamel.so3.exp([1, 0, 0]))
    builder.add_shape("foot", "box", [0.1, 0.2, 0.3])
    builder.add_frame("bulb", "arm/1", position=[0, 0, 0.5])
    return builder.build()


def test_poses(meshcat, lamp):
    recorder = Recorder()
    window = view.View(lamp, recorder, frames=["bulb"])
    q = lamp.random(seed=1)
    window.show(q)
    arm = lamp.frame("arm/1", q).pose
    assert np.allclose(recorder.pose("/foot"), lamp.frame("foot", q).pose, atol=1e-15)
    assert np.allclose(recorder.pose("/arm|1/frames/bulb"), lamp.frame("bulb", q).pose, atol=1e-14)
    numbers = {shape.kind: i for i, shape in enumerate(lamp.shapes)}
    capsule = f"/arm|1/shapes/{numbers['capsule']}"
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = hamel.so3.exp([1, 0, 0]), [0.1, 0, 0]
    ends = [recorder.pose(f"{capsule}/{i}")[:, 3] for i in (1, 2)]
    assert np.allclose(ends, [arm @ place @ [0, 0, z, 1] for z in (-0.2, 0.2)], atol=1e-14)
    tube = recorder.objects[f"{capsule}/0"]
    assert (tube.height, tube.radiusTop) == (0.4, 0.05)
    assert np.allclose(recorder.pose(f"{capsule}/0") @ [0, 1, 0, 0], arm @ place @ [0, 0, 1, 0], atol=1e-14)
    box = f"/foot/shapes/{numbers['box']}/0"
    lengths = (recorder.pose(box)[:3, :3] @ np.diag(recorder.objects[box].lengths)).T
    wanted = (lamp.frame("foot", q).pose[:3, :3] @ np.diag([0.2, 0.4, 0.6])).T
    for side in wanted:  # the same three edges, in some order and sign
        assert min(np.linalg.norm(np.abs(side) - np.abs(own)) for own in lengths) < 1e-14


def test_bones(meshcat, lamp):
    recorder = Recorder()
    view.View(lamp, recorder)
    points = recorder.objects["/foot/bones"].geometry.position
    assert np.allclose(points.T, [[0, 0, 0], [0, 0, 0.3]], atol=1e-7)  # single precision
    assert np.allclose(recorder.objects["/arm|1/bones"].geometry.position.T[1], [0, 0.1, 0], atol=1e-7)


def test_page(meshcat, lamp, tmp_path, monkeypatch):
    """A real server: scene and motion in one page."""
    sent, send = [], meshcat.Visualizer.set_animation
    monkeypatch.setattr(meshcat.Visualizer, "set_animation", lambda v, a: (sent.append(a), send(v, a)))
    window = view.View(lamp)
    try:
        q, v, _, _ = state(lamp, 3)
        times = np.linspace(0, 0.5, 4)
        motion = hamel.simulate(lamp, q, v, times)[0]
        window.play(times, motion)
        for clip, pose in zip(sent[0].clips.values(), lamp.body_poses(motion[-1])):
            track = clip.tracks["position"]
            assert track.frames == list(range(16)) and np.allclose(track.values[-1], pose[:3, 3], atol=1e-12)
        assert window.url in window._repr_html_()
        window.save(tmp_path / "lamp.html")
        page = (tmp_path / "lamp.html").read_text(encoding="utf-8")
        assert page.lstrip().lower().startswith("<!doctype html>") and len(page) > 100000
        frames = window._frames(times, np.array([q] * 4), 30)
        assert len(frames) == 16 and np.allclose(frames, q, atol=1e-14)
        with pytest.raises(hamel.InvalidArgumentError, match="increasing times"):
            window.play([0, 0], [q, q])
    finally:
        window.viewer.window.server_proc.kill()


def test_meshcat_is_named(lamp, monkeypatch):
    def missing(name, *rest):
        raise ModuleNotFoundError(f"No module named {name!r}", name="meshcat")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ImportError, match="pip install meshcat$"):
        view.View(lamp)
