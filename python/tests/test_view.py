"""Pages of robots from Python: what they hold, where their meshes come from, and notebooks."""

import gc
import html
import json
import pathlib
import re
import webbrowser

import numpy as np
import pytest
from conftest import state

import hamel
from hamel import _load, view

URDF = """<robot name="lamp"><link name="foot"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial><visual><geometry><mesh filename="foot.stl"/></geometry></visual>
<visual><geometry><mesh filename="lost.stl"/></geometry></visual></link></robot>"""


def scene(page):
    return json.loads(re.search(r'<script id="scene"[^>]*>(.*?)</script>', page, re.S).group(1))


@pytest.fixture
def lamp(tmp_path):
    (tmp_path / "foot.stl").write_text("solid foot\nendsolid foot\n")
    (tmp_path / "lamp.urdf").write_text(URDF)
    return tmp_path / "lamp.urdf"


def test_a_configuration():
    robot = hamel.load("quadruped")
    q = robot.random(seed=1)
    seen = scene(robot.view(q, title="</script>").html)
    assert np.array_equal(seen["q"], q) and seen["title"] == "</script>"
    assert [body["name"] for body in seen["bodies"]] == [body.name for body in robot.bodies]
    assert np.array_equal(scene(robot.view().html)["q"], robot.neutral())


def test_visuals_come_from_the_file(lamp):
    robot = hamel.load(lamp)
    page = robot.view()
    assert [v["kind"] for v in scene(page.html)["visuals"]] == ["mesh"] and scene(page.html)["files"][0]["name"] == "foot.stl"
    assert len(page.warnings) == 1 and "lost.stl" in page.warnings[0]
    other = robot.with_gravity([0, 0, 0])  # another model, made from no file
    assert scene(other.view().html)["visuals"] == [] and len(scene(other.view(file=lamp).html)["visuals"]) == 1
    with pytest.raises(hamel.CannotReadError):
        other.view(file=lamp.with_name("gone.urdf"))


def test_files_are_forgotten_with_their_models(lamp):
    gc.collect()
    before = len(_load._sources)
    robot, same = hamel.load(lamp), hamel.load(lamp)
    assert robot == same and len(_load._sources) == before + 2
    del robot, same
    gc.collect()
    assert len(_load._sources) == before


def test_motions(tmp_path):
    robot = hamel.load("satellite")
    q, v, _, _ = state(robot, 3)
    times = np.linspace(0, 0.2, 5)
    motion = hamel.simulate(robot, q, v, times)[0]
    still, moving = len(robot.view(q).html), len(robot.view(trajectory=motion, times=times).html)
    assert moving > still + 1000  # 5 × 37 doubles, compressed, in base64
    np.savez(tmp_path / "motion.npz", time=times, position=motion)
    np.savez_compressed(tmp_path / "turned.npz", time=times.astype("f4"), position=np.asfortranarray(motion))
    assert robot.view(trajectory=tmp_path / "motion.npz").html == robot.view(trajectory=motion, times=times).html
    assert scene(robot.view(trajectory=str(tmp_path / "turned.npz")).html)["q"] == motion[0].tolist()


def test_contacts():
    robot = hamel.load("pendulum")
    q, force = np.zeros((3, 1)), np.ones((3, 2, 3))
    seen = scene(robot.view(trajectory=q, contacts=(["left", "right"], 0 * force, force)).html)
    assert seen["contacts"] == ["left", "right"] and seen["ground"] is True
    assert scene(robot.view(trajectory=q, contacts=(["a", "b"], force, force), ground=False).html)["ground"] is False
    with pytest.raises(hamel.InvalidArgumentError):
        robot.view(trajectory=q, contacts=(["a"], force, force))


def test_arguments():
    robot = hamel.load("pendulum")
    for wrong in (dict(q=[1, 2]), dict(q=[[0]]), dict(trajectory=[0, 1]), dict(trajectory=np.zeros((0, 1)))):
        with pytest.raises(hamel.InvalidArgumentError, match="nq is 1"):
            robot.view(**wrong)
    with pytest.raises(hamel.InvalidArgumentError, match="not both"):
        robot.view([0], trajectory=[[0]])
    with pytest.raises(hamel.InvalidArgumentError, match="increase"):
        robot.view(trajectory=[[0], [1]], times=[0, 0])
    with pytest.raises(hamel.NotFiniteError):
        robot.view([np.nan])


def test_files_browsers_and_notebooks(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    page = view.View(hamel.load("pendulum"))
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    path = page.open()
    assert opened == [pathlib.Path(path).as_uri()] and pathlib.Path(path).read_text(encoding="utf-8") == page.html
    frame = page._repr_html_()
    inside = re.fullmatch(r'<iframe sandbox="allow-scripts allow-downloads" style="[^"]*" srcdoc="([^"]*)"></iframe>', frame)
    assert html.unescape(inside.group(1)) == page.html
