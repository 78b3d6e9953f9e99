"""Loops: frames of a robot tied to each other, against poses and differences."""

import numpy as np
import pytest

import hamel

LOOPS = [
    hamel.Hold("fl_foot", "point", other="hr_foot"),
    hamel.Hold("fl_foot", "frame", other="hr_foot", damping=1.0),
    hamel.Hold("fl_foot", "plane", other="hr_foot", normal=(1.0, 0.2, 0.1)),
    hamel.Hold("fl_foot", "distance", other="hr_foot", distance=0.5, damping=2.0, stiffness=3.0),
    hamel.Hold("fl_foot", "distance", distance=0.5),
]


@pytest.fixture(scope="module")
def dog():
    return hamel.load("quadruped")


def some_state(dog, seed):
    rng = np.random.default_rng(seed)
    q = dog.neutral()
    q[7:] = np.tile([0.1, 0.8, -1.4], 4) + 0.2 * rng.standard_normal(12)
    return q, 0.3 * rng.standard_normal(dog.nv), rng.standard_normal(dog.nv)


@pytest.mark.parametrize("loop", LOOPS, ids=lambda x: f"{x.kind}-{x.other}")
def test_derivatives(dog, loop):
    q, v, tau = some_state(dog, 1)
    x = dog.constrained_linearize([loop], q, v, tau)
    weights, h = np.array([1, -8, 8, -1]) / 12, 2e-4
    dq = np.zeros_like(x.Dq)
    for k in range(dog.nv):
        z = np.zeros(dog.nv)
        z[k] = h
        for w, s in zip(weights, (-2, -1, 1, 2)):
            dq[:, k] += w / h * dog.constrained_forward_dynamics([loop], dog.integrate(q, s * z), v, tau).a
    assert np.abs(dq - x.Dq).max() < 1e-6 * np.abs(x.Dq).max()


def test_distance_stays(dog):
    """the second derivative of the distance, by a difference along the motion"""
    q, v, tau = some_state(dog, 2)
    loop = hamel.Hold("fl_foot", "distance", other="hr_foot", distance=1.0)
    a = dog.constrained_forward_dynamics([loop], q, v, tau).a

    def length(t):
        there = dog.integrate(q, t * v + t * t / 2 * a)
        return np.linalg.norm(dog.frame("fl_foot", there, reference="hr_foot").pose[:3, 3])

    h = 1e-4
    assert abs((length(h) - 2 * length(0) + length(-h)) / h**2) < 1e-4
    a = dog.forward_dynamics(q, v, tau)  # without the loop
    assert abs((length(h) - 2 * length(0) + length(-h)) / h**2) > 1e-2


def test_rows_of_loops_come_last(dog):
    q, v, tau = some_state(dog, 3)
    loop, foot = LOOPS[3], hamel.Hold("fr_foot", "point")
    one = dog.constrained_forward_dynamics([loop, foot], q, v, tau)
    two = dog.constrained_forward_dynamics([foot, loop], q, v, tau)
    assert one.force.shape == (4,)
    np.testing.assert_array_equal(one.force, two.force)


def test_bad_loops(dog):
    q, v, _ = some_state(dog, 4)
    with pytest.raises(hamel.NotFoundError, match="nowhere"):
        dog.constrained_forward_dynamics([hamel.Hold("fl_foot", "point", other="nowhere")], q, v)
    with pytest.raises(hamel.InvalidArgumentError):
        dog.constrained_forward_dynamics([hamel.Hold("fl_foot", "point", other="fl_foot")], q, v)
    with pytest.raises(hamel.InvalidArgumentError):
        dog.constrained_forward_dynamics([hamel.Hold("fl_foot", "touch", other="hr_foot")], q, v)
    with pytest.raises(hamel.InvalidArgumentError, match="distance"):
        dog.constrained_forward_dynamics([hamel.Hold("fl_foot", "rope", other="hr_foot")], q, v)
    with pytest.raises(hamel.InvalidArgumentError):
        dog.constrained_forward_dynamics([hamel.Hold("fl_foot", "distance", other="hr_foot")], q, v)


def test_close(dog):
    """a bad guess: the front feet shall meet, then at a distance; the neutral dog is another guess"""
    q, _, _ = some_state(dog, 5)
    meet = hamel.Hold("fl_foot", "point", other="fr_foot")
    x = dog.close([meet], q)
    assert x.ok and x.nearest and x.error < 1e-10
    np.testing.assert_allclose(dog.frame("fl_foot", x.q, reference="fr_foot").pose[:3, 3], 0, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(dog.difference(q, x.q)), x.change, atol=1e-12)
    rod = hamel.Hold("fl_foot", "distance", other="hr_foot", distance=0.3)
    x = dog.close([rod, meet], locked=["base"])
    np.testing.assert_allclose(np.linalg.norm(dog.frame("fl_foot", x.q, reference="hr_foot").pose[:3, 3]), 0.3, atol=1e-9)
    np.testing.assert_array_equal(x.q[:7], dog.neutral()[:7])


def test_cannot_close(dog):
    far = hamel.Hold("fl_foot", "distance", other="hr_foot", distance=20.0)
    with pytest.raises(hamel.InconsistentError, match="'fl_foot' and 'hr_foot' cannot be closed"):
        dog.close([far])
    x = dog.close([far], strict=False)
    assert not x.ok and x.worst == 0 and x.error > 10 and x.message.endswith("1 of 1 stays open")
    with pytest.raises(hamel.NotFiniteError):
        dog.close([far], np.full(dog.nq, np.nan))
    with pytest.raises(hamel.NotFoundError):
        dog.close([far], locked=["nobody"])


def four_bar():
    """crank 0.3, coupler 0.9, rocker 0.7, ground 1: cut between coupler and rocker"""
    b = hamel.Builder("four_bar")
    inertia = {"mass": 1.0, "moment": np.eye(3) * 0.1}
    b.add_body("crank", None, "revolute", axis=(0, -1, 0), com=(0.15, 0, 0), **inertia)
    b.add_body("coupler", "crank", "revolute", axis=(0, -1, 0), position=(0.3, 0, 0), com=(0.45, 0, 0), **inertia)
    b.add_body("rocker", None, "revolute", axis=(0, -1, 0), position=(1, 0, 0), com=(0.35, 0, 0), **inertia)
    b.add_frame("end", "coupler", (0.9, 0, 0))
    b.add_frame("tip", "rocker", (0.7, 0, 0))
    return b.add_loop("end", "tip", name="pin").build()


def test_loops_of_a_model():
    robot = four_bar()
    (pin,) = robot.loops
    assert (pin.frame, pin.other, pin.kind) == ("end", "tip", "point")
    q = robot.close(robot.loops, [0.4, 0.5, 1.5]).q
    v = robot.constrained_impulse(robot.loops, q, np.ones(3)).v
    again = hamel.loads(robot.to_json())
    assert robot.differs(again) is None and len(again.loops) == 1
    held = [hamel.Hold("end", "point", other="tip", damping=40.0, stiffness=400.0)]
    motion = hamel.Motion(robot, q, v, holds=held)
    motion.advance(1.0)
    gap = robot.frame("end", motion.q, reference="tip").pose[:3, 3]
    assert np.abs(gap).max() < 1e-9
    with pytest.raises(hamel.UnsupportedError):
        hamel.Motion(robot, q, v, holds=held, scheme="alpha")
