"""Pictures show the numbers they are about."""

import importlib
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from conftest import state

import hamel
from hamel import plot


@pytest.fixture
def ax():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    yield axes
    figure.canvas.draw()  # all of it can be drawn
    plt.close(figure)


def test_spectrum(ax):
    """A pendulum upright has one unstable mode; hanging, its friction makes both stable."""
    robot = hamel.load("pendulum")
    x = robot.linearize([np.pi], [0])
    assert plot.spectrum(x, ax) is ax
    stable, unstable = ax.collections
    shown = np.concatenate([stable.get_offsets(), unstable.get_offsets()])[:, 0]
    assert np.allclose(shown, np.sort(np.linalg.eigvals(x.A).real)) and shown[0] < 0 < shown[1]
    ax.clear()
    (marks,) = plot.spectrum(robot.linearize([0], [0]), ax).collections
    assert len(marks.get_offsets()) == 2


def test_modes(ax, quadruped):
    still = np.zeros(quadruped.nv)
    x = quadruped.modes(quadruped.neutral(), tau=quadruped.inverse_dynamics(quadruped.neutral(), still, still))
    assert np.array_equal(np.asarray(plot.modes(x, ax).images[0].get_array()), x.shares)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[0] == "× 0" and [label.startswith("×") for label in labels] == [not m.controllable for m in x]
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names[:6] == ["base.vx", "base.vy", "base.vz", "base.wx", "base.wy", "base.wz"]
    assert names[6:] == list(quadruped.velocity_names[6:])


def test_spectrum_of_modes(ax):
    """One oscillator has a motor, the other has none; the third mode is unstable."""
    A = np.zeros((5, 5))
    A[:2, :2], A[2:4, 2:4], A[4, 4] = [[0, 1], [-4, -0.1]], [[0, 1], [-9, -0.1]], 0.5
    x = hamel.control.modes(A, [[0], [1], [0], [0], [1]])
    stable, unstable, lost = (marks.get_offsets() for marks in plot.spectrum(x, ax).collections)
    assert len(stable) == 4 and np.allclose(unstable, [[0.5, 0]])
    assert np.allclose(sorted(lost[:, 1]), np.sqrt(9 - 0.05**2) * np.array([-1, 1])) and np.allclose(lost[:, 0], -0.05)
    ax.clear()
    assert len(plot.spectrum(hamel.control.modes(A), ax).collections) == 2


def test_sparsity(ax, quadruped):
    q, v, _, _ = state(quadruped)
    x = quadruped.linearize(q, v)
    image = plot.sparsity(x, ax).images[0].get_array()
    assert np.array_equal(np.asarray(image), np.hstack([x.A, x.B]) != 0)
    with pytest.raises(hamel.InvalidArgumentError, match="one state"):
        plot.sparsity(quadruped.linearize([q], [v]), ax)


def test_step_errors_have_the_order_of_the_scheme():
    robot = hamel.load("drone_arm")
    q, v, _, _ = state(robot, 1)
    steps = [0.01, 0.005]
    errors = plot.step_errors(robot, q, v, steps, duration=0.2)
    for scheme, order in (("euler", 1), ("rk2", 2), ("rk4", 4)):
        slope = np.log2(errors[scheme][0] / errors[scheme][1])
        assert abs(slope - order) < 0.35  # the next term of the error is a step's share of the first


def test_step_sizes(ax):
    robot = hamel.load("pendulum")
    plot.step_sizes(robot, [1], [0], [0.1, 0.05], ax, duration=0.5, schemes=("rk2",))
    line = ax.lines[0].get_ydata()
    assert line[0] > line[1] > 0 and ax.get_xscale() == "log"


def test_energy_and_momentum(ax):
    """Without gravity and forces a satellite keeps its energy and its momentum."""
    robot = hamel.Builder(model=hamel.load("satellite")).build(passive=False).with_gravity([0, 0, 0])
    q, v, _, _ = state(robot, 2)
    times = np.linspace(0, 0.5, 6)
    q, v = hamel.simulate(robot, q, v, times, scheme="dopri5", tolerance=1e-10)
    total = plot.energy(robot, times, q, v, ax).lines[2].get_ydata()
    assert np.ptp(total) < 1e-6 * abs(total[0])  # a hundred steps with 1e-10 of stiff joints each
    ax.clear()
    for line in plot.momentum(robot, times, q, v, ax).lines:
        assert np.ptp(line.get_ydata()) < 1e-6 * np.abs(robot.dynamics(q[0], v[0]).centroidal_momentum).max()


def test_phase(ax):
    robot = hamel.load("arm7")
    q, v, _, _ = state(robot, 3, 9)
    joint = robot.joints[4]
    line = plot.phase(robot, q, v, joint.name, ax).lines[0]
    assert np.array_equal(line.get_xdata(), q[:, joint.q]) and np.array_equal(line.get_ydata(), v[:, joint.v])
    with pytest.raises(hamel.InvalidArgumentError, match="one coordinate"):
        plot.phase(hamel.load("quadruped"), q, v, "base", ax)


def test_tree(robot, tmp_path):
    picture = plot.tree(robot)
    root = ET.fromstring(picture._repr_svg_())
    words = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert all(body.name in words for body in robot.bodies)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) == robot.nbodies
    boxes = [
        (float(e.get("x")), float(e.get("y")), float(e.get("width")))
        for e in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    for i, (x, y, width) in enumerate(boxes):
        assert 0 <= x and x + width <= float(root.get("width"))
        for other, height, wide in boxes[:i]:
            assert abs(height - y) >= 16 or x >= other + wide or other >= x + width  # no box on another
    picture.save(tmp_path / "tree.html")
    assert (tmp_path / "tree.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_matplotlib_is_named(quadruped, monkeypatch):
    def missing(name, *rest):
        raise ModuleNotFoundError(f"No module named {name!r}", name="matplotlib")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ImportError, match="pip install matplotlib$"):
        plot.spectrum(quadruped.linearize(quadruped.neutral(), np.zeros(18)))
