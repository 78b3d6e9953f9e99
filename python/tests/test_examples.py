"""examples/python: what a newcomer tries, in a few lines; each script runs and does what it says."""

from __future__ import annotations

import ast
import pathlib
import runpy
import warnings

import numpy as np
import pytest

import hamel

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


def lines(path):
    """Of code: without the texts at the beginning of a module or a function, comments and empty lines"""
    tree, skipped = ast.parse(path.read_text()), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node):
            skipped |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    code = enumerate(path.read_text().splitlines(), 1)
    return sum(1 for i, text in code if i not in skipped and text.strip() and not text.strip().startswith("#"))


def ran(name, most, folder, monkeypatch):
    monkeypatch.chdir(folder)  # what it writes goes there
    path = FOLDER / f"{name}.py"
    assert lines(path) <= most
    return runpy.run_path(str(path))


def test_stand(tmp_path, monkeypatch):
    x = ran("stand", 12, tmp_path, monkeypatch)
    q, feet, robot = x["q"], x["feet"], x["robot"]
    assert np.abs(q[:, 2] - q[0, 2]).max() < 0.01 and np.abs(q[-1, :2] - q[0, :2]).max() < 0.05 and np.abs(x["v"][-1]).max() < 1e-3
    for foot in feet:  # they slide a little and stand again
        moved = robot.frame(foot, q[-1]).pose[:3, 3] - robot.frame(foot, q[0]).pose[:3, 3]
        assert np.abs(moved).max() < 0.05
    fallen, _ = hamel.simulate(robot, x["stand"].q, x["push"], [0, 1], contact=x["ground"], tau=x["stand"].tau, lift=True)
    assert fallen[-1, 2] < 0.9 * q[-1, 2]  # without the feedback it falls


def test_one_foot(tmp_path, monkeypatch):
    x = ran("one_foot", 12, tmp_path, monkeypatch)
    robot, found = x["robot"], x["found"]
    assert np.abs(found.residual).max() < 1e-10
    still = robot.constrained_forward_dynamics([hamel.Hold("l_sole", "frame")], found.q, np.zeros(robot.nv), found.tau)
    assert np.abs(still.a).max() < 1e-7
    assert (tmp_path / "one_foot.html").stat().st_size > 10000


def test_track(tmp_path, monkeypatch):
    x = ran("track", 20, tmp_path, monkeypatch)
    assert x["away"].max() < 0.25 and x["away"][-40:].max() < 0.25


def test_nmpc(tmp_path, monkeypatch):
    """The quaternion is a variable of the solver, which has exact gradients and Hessians: a few iterations per step."""
    pytest.importorskip("casadi")
    x = ran("nmpc", 35, tmp_path, monkeypatch)
    drone, goal = x["drone"], x["goal"]
    far = np.abs(drone.difference(goal, np.array(x["path"]))).max(axis=1)
    assert far[0] > 1 and far[-1] < 0.1 and max(x["iterations"]) <= 20 and max(x["iterations"][1:]) <= 10
    assert np.abs(np.linalg.norm(np.array(x["path"])[:, 3:7], axis=1) - 1).max() < 1e-12


def test_a_regulator_is_a_controller():
    robot = hamel.load("pendulum")
    up = np.array([np.pi])
    regulator = robot.lqr(up, tau=robot.inverse_dynamics(up, [0.0], [0.0]))
    assert np.allclose(regulator(0.0, up, [0.0]), regulator.tau)
    assert np.allclose(regulator(0.0, up + 0.1, [0.2]), regulator.tau - regulator.K @ [0.1, 0.2])
    assert np.allclose(regulator.about(up + 0.1, [0.2])(0.0, up + 0.1, [0.2]), regulator.tau)
    q, v = hamel.simulate(robot, up + 0.2, None, [0, 10], controller=regulator)
    assert np.abs(q[-1] - up).max() < 1e-3
    with pytest.raises(hamel.InvalidArgumentError, match="matrices"):
        hamel.control.lqr([[0, 1], [0, 0]], [[0], [1]], 1, 1)(0.0, [0.0], [0.0])
    with pytest.raises(hamel.InvalidArgumentError, match="the same thing"):
        hamel.simulate(robot, up, None, [0, 1], controller=regulator, force=regulator)
    with pytest.raises(hamel.InvalidArgumentError, match=r"such as \[0, 1\], not one time"):
        hamel.simulate(robot, up, None, 1.0)
    with pytest.raises(hamel.InvalidArgumentError, match="no time in it"):
        hamel.simulate(robot, up, None, [])


ARM = """<robot name='arm'><link name='root'/><link name='tip'><inertial><mass value='1'/>
<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link><joint name='j' type='continuous'>
<parent link='root'/><child link='tip'/><gizmo/></joint></robot>"""


def test_model_warnings(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    with pytest.warns(hamel.ModelWarning, match=r"arm.urdf: .*bolted.*\(and 1 more: Model.warnings\)") as caught:
        robot = hamel.load(path)
    assert len(caught) == 1 and caught[0].filename == __file__ and robot.nv == 1  # bolted, and said so
    assert sum("bolted to the world" in text for text in robot.warnings) == 1
    with pytest.warns(hamel.ModelWarning, match="the text"):
        hamel.loads(ARM, base="fixed")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hamel.load("quadruped")


def test_did_you_mean():
    robot = hamel.load("quadruped")
    with pytest.raises(hamel.NotFoundError, match="'fl_fot'; did you mean 'fl_foot'?"):
        robot.frame("fl_fot", robot.neutral())
    with pytest.raises(hamel.NotFoundError, match="called 'xyzzy'$"):
        robot.frame("xyzzy", robot.neutral())


def test_a_robot_that_cannot_be_fetched(tmp_path, monkeypatch):
    package = tmp_path / "robot_descriptions"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "lost_description.py").write_text("raise ConnectionError('no network')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "robot_descriptions", raising=False)
    with pytest.raises(hamel.CannotReadError, match="'lost': no network"):
        hamel.load("lost")
