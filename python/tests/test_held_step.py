"""Steps of held robots and their derivatives."""

import numpy as np
import pytest

import hamel

FEET = ["fl_foot", "fr_foot"]


def moved(robot, q, v, tau, x):
    """q, v and tau moved by x = (z_q, z_v, w)"""
    n = robot.nv
    return robot.integrate(q, x[:n]), v + x[n : 2 * n], tau + x[2 * n :]


def test_step_and_derivatives():
    robot, h, eps = hamel.load("quadruped"), 1e-2, 1e-3
    random = np.random.default_rng(4)
    n = robot.nv
    q = robot.random(4)
    v, tau = 0.3 * random.normal(size=n), random.normal(size=n)
    x = robot.constrained_step_linearize(FEET, q, v, h, tau)
    plain = robot.constrained_step(FEET, q, v, h, tau)
    a = robot.constrained_forward_dynamics(FEET, q, v, tau)
    assert np.allclose(x.v, v + h * a.acceleration, atol=1e-11) and np.allclose(plain.v, x.v, atol=1e-11)
    assert np.allclose(x.q, robot.integrate(q, h * x.v), atol=1e-11)
    assert np.allclose(x.force, a.force, rtol=1e-8, atol=1e-8)

    def end(t):
        y = robot.constrained_step(FEET, *moved(robot, q, v, tau, t)[:2], h, moved(robot, q, v, tau, t)[2])
        return np.concatenate([robot.difference(x.q, y.q), y.v, y.force])

    exact = np.block([[x.Ad, x.Bd], [x.force_q, x.force_v, x.force_tau]])
    direction = random.normal(size=3 * n)
    near, far = (end(k * eps * direction) - end(-k * eps * direction) for k in (1, 2))
    slope = (8 * near - far) / (12 * eps)
    assert np.allclose(exact @ direction, slope, rtol=1e-6, atol=1e-6 * np.abs(slope).max())


def test_many_states():
    robot = hamel.load("quadruped")
    q, v = np.stack([robot.neutral()] * 3), np.zeros((3, robot.nv))
    x = robot.constrained_step_linearize(FEET, q, v, [1e-3, 2e-3, 3e-3])
    assert x.Ad.shape == (3, 36, 36) and x.force_q.shape == (3, 6, 18)
    assert np.allclose(x.v[2], 3 * x.v[0])


def test_midpoint_rule():
    robot = hamel.load("quadruped")
    q, v = robot.neutral(), np.full(robot.nv, 0.1)
    fine = robot.step(q, v, 1e-3, integrator="rk4")
    assert np.abs(robot.step(q, v, 1e-3, integrator="rk2").v - fine.v).max() < 1e-6
    assert robot.step_linearize(q, v, 1e-3, integrator="rk2").Ad.shape == (36, 36)


def test_a_step_of_a_motion():
    robot = hamel.load("quadruped")
    n, q, v = robot.nv, robot.random(2), np.full(robot.nv, 0.1)
    tau = np.linspace(-1, 1, n)
    motion = hamel.Motion(robot, q, v, scheme="rk4", step=1e-2, tau=tau).step(1)
    Ad, Bd = motion.linearize()
    step = robot.step_linearize(q, v, 1e-2, tau, integrator="rk4")
    assert np.allclose(Ad, step.Ad, atol=1e-12) and np.allclose(Bd, step.Bd, atol=1e-12)
    Ad, Bd = hamel.Motion(robot, q, v, scheme="alpha", step=1e-2, tau=tau).step(1).linearize()
    assert Ad.shape == (3 * n, 3 * n) and Bd.shape == (3 * n, n)
    with pytest.raises(hamel.Error):
        hamel.Motion(robot, q, v, scheme="momentum", step=1e-2).step(1).linearize()
