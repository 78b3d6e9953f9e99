"""Müller's functions: each against something that does not share its code, seen through the package."""

import numpy as np
import pytest
from conftest import state

import hamel

REPRESENTATIONS = ["left", "right", "mixed", "split"]


@pytest.fixture(scope="module")
def robot():
    return hamel.load("nine")


def close(a, b, tolerance=1e-11):
    a, b = np.asarray(a), np.asarray(b)
    assert np.abs(a - b).max(initial=0) <= tolerance * max(1, np.abs(b).max(initial=0))


def moved(robot, q, v, a, h):
    """(q, ν) after the time h along a motion with constant ν̇, to h³."""
    return robot.integrate(q, h * (v + h / 2 * a)), v + h * a


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_joint_wrenches(robot, representation):
    """A body cut out: the rate of its momentum is W minus the children's W, its weight and what else acts on it."""
    q, v, a, _ = state(robot, 1)
    h = 1e-5
    wrenches = np.random.default_rng(1).uniform(-1, 1, (robot.nbodies, 6))
    loads = robot.joint_wrenches(q, v, a, wrenches, representation=representation)
    H = robot.body_poses(q)
    W = np.array([hamel.wrench.convert(H[i], loads.wrenches[i], representation, "right") for i in range(robot.nbodies)])
    rates = (robot.body_momenta(*moved(robot, q, v, a, h)) - robot.body_momenta(*moved(robot, q, v, a, -h))) / (2 * h)
    close(robot.body_momentum_rates(q, v, a), rates, 1e-7)  # h², and round-off over h
    balance = rates - W
    for i, body in enumerate(robot.bodies):
        mass, gravity = body.mass, np.array(robot.gravity)
        com = (H[i] @ [*body.com, 1])[:3]
        balance[i] -= np.concatenate([mass * gravity, np.cross(com, mass * gravity)])
        balance[i] -= hamel.wrench.transform(H[i], wrenches[i])
        if body.parent is not None and body.parent >= 0:
            balance[body.parent] += W[i]
    assert np.abs(balance).max() < 1e-6 * np.abs(W).max()
    close(loads.ground, sum(W[i] for i, b in enumerate(robot.bodies) if b.parent is None or b.parent < 0), 1e-11)
    left = robot.joint_wrenches(q, v, a, wrenches)
    close(left.forces, robot.inverse_dynamics(q, v, a, wrenches), 1e-10)  # this robot has nothing passive
    close(loads.components, left.components, 1e-10)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("screws", ["moving", "body", "reference"])
def test_system_matrices(robot, representation, screws):
    q, v, _, _ = state(robot, 2)
    s = robot.system_matrices(q, v, representation=representation, screws=screws)
    close(s.A @ s.X, s.J, 1e-11)
    Jdot = s.Adot @ s.X + (s.A @ s.a @ s.X if screws == "moving" and representation != "left" else 0)
    close(Jdot, s.Jdot, 1e-10)
    for i in range(robot.nbodies):
        motion = robot.frame(i, q, v, representation=representation)
        close(s.J[6 * i : 6 * i + 6], motion.J)
        close(s.Jdot[6 * i : 6 * i + 6], motion.Jdot, 1e-10)
    if screws == "moving":
        close((np.eye(len(s.A)) - s.D) @ s.A, np.eye(len(s.A)))
    else:
        again = robot.system_matrices(robot.random(5), v, representation=representation, screws=screws)
        assert np.array_equal(again.X, s.X)  # constant


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_joints_from_bodies(robot, representation):
    q, v, a, _ = state(robot, 3)
    motions = robot.frame_motions(q, v, a, representation=representation)
    V, A = motions.twist[: robot.nbodies], motions.acceleration[: robot.nbodies]
    close(robot.joint_velocities(q, V, representation=representation), v)
    close(robot.joint_accelerations(q, V, A, representation=representation), a)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_partial_derivatives(robot, representation):
    q = robot.random(4)
    frame, h = robot.frames[robot.nbodies - 1].name, 1e-5
    for column, first, second in ((2, 4, 7), (8, 0, 3), (7, 7, 6)):
        e = np.zeros(robot.nv)
        e[second] = h
        sides = [
            robot.jacobian_partial(frame, robot.integrate(q, s * e), column, [first], representation=representation)
            for s in (1, -1)
        ]
        got = robot.jacobian_partial(frame, q, column, [first, second], representation=representation)
        close(got, (sides[0] - sides[1]) / (2 * h), 1e-8)


def test_momenta(robot):
    """ν from Π, and (79) as a system of first order."""
    q, v, tau, _ = state(robot, 5)
    momenta = robot.body_momenta(q, v)
    close(robot.momentum_velocities(q, momenta), v, 1e-10)
    solved = robot.momentum_dynamics(q, momenta, tau)
    close(solved.v, v, 1e-10)
    close(solved.rates, robot.body_momentum_rates(q, v, robot.forward_dynamics(q, v, tau)), 1e-8)
    close(robot.momentum_forces(q, solved.rates), tau, 1e-8)


def test_force_rates():
    """With wrenches that change and springs on a ball joint: differences of inverse dynamics."""
    springs = {"stiffness": [3.0, 4.0, 5.0], "damping": [0.1, 0.2, 0.3]}
    body = {"mass": 1.0, "com": [0.1, 0.2, 0.3], "moment": np.diag([0.3, 0.4, 0.5])}
    robot = hamel.Builder().add_body("ball", type="spherical", **springs, **body).build()
    q = np.array([0.8, 0.36, -0.48, 0.0])
    rates = np.random.default_rng(3).uniform(-1, 1, (4, 3))
    W = np.random.default_rng(4).uniform(-1, 1, (3, 1, 6))
    got = robot.force_rates(q, *rates, wrenches=W)
    h = 1e-4

    def tau(t):
        v = rates[0] + t * (rates[1] + t / 2 * (rates[2] + t / 3 * rates[3]))
        a = rates[1] + t * (rates[2] + t / 2 * rates[3])
        z = t * (rates[0] + t / 2 * (rates[1] + t / 3 * rates[2])) + t**3 / 12 * np.cross(rates[0], rates[1])
        return robot.inverse_dynamics(robot.integrate(q, z), v, a, W[0] + t * (W[1] + t / 2 * W[2]))

    close(got.tau, tau(0), 1e-12)
    close(got.dtau, (tau(h) - tau(-h)) / (2 * h), 1e-6)
    close(got.ddtau, (tau(h) - 2 * tau(0) + tau(-h)) / h**2, 1e-5)


def test_a_screw_of_another_length():
    """The coordinate is the angle all the same, and a warning says so."""
    screw = [0, -2.0, 0, 0, 0, 2.0]
    robot = hamel.Builder().add_body("door", screw=screw, mass=1.0, moment=np.eye(3)).build()
    assert any("has length 2 and was normalized" in w for w in robot.warnings)
    H = robot.body_poses([0.3])[0]
    close(np.arctan2(H[1, 0], H[0, 0]), 0.3, 1e-15)


def test_motion_by_momenta():
    """The scheme momentum keeps what rk4 loses in steps as long."""
    robot = hamel.load("satellite").with_gravity([0, 0, 0])
    q, v, _, _ = state(robot, 3)
    lost = {}
    for scheme in ("momentum", "rk4"):
        motion = hamel.Motion(robot, q, v, scheme=scheme, step=1e-2)
        before = robot.dynamics(motion.q, motion.v).momentum
        motion.advance(2.0)
        lost[scheme] = np.abs(robot.dynamics(motion.q, motion.v).momentum - before).max() / np.abs(before).max()
    assert lost["momentum"] < 1e-12 < 1e-3 * lost["rk4"]
