"""control.lqi and Model.lqr(integral=): against SciPy's solution for the states with integrals, and in a simulation."""

import numpy as np
import pytest

import hamel
from hamel import control

linalg = pytest.importorskip("scipy.linalg")


@pytest.mark.parametrize("dt", [None, 0.05])
def test_gains_are_those_of_scipy(dt):
    rng = np.random.default_rng(2)
    for _ in range(10):
        n, m = int(rng.integers(2, 9)), 2
        p = int(rng.integers(1, 3))
        A, B, C = rng.normal(size=(n, n)), rng.normal(size=(n, m)), rng.normal(size=(p, n))
        if dt is not None:
            A, B = hamel.discretize(A, B, dt)
        x = control.lqi(A, B, C, 1, [1, 2], 3, dt=dt)
        step = 1 if dt is None else dt
        big = np.block([[A, np.zeros((n, p))], [step * C, np.zeros((p, p)) if dt is None else np.eye(p)]])
        wide, Q, R = np.vstack([B, np.zeros((p, m))]), np.diag([1.0] * n + [3.0] * p), np.diag([1.0, 2.0])
        P = (linalg.solve_continuous_are if dt is None else linalg.solve_discrete_are)(big, wide, Q, R)
        K = np.linalg.solve(R, wide.T @ P) if dt is None else np.linalg.solve(R + wide.T @ P @ wide, wide.T @ P @ big)
        assert np.abs(np.hstack([x.K, x.Ki]) - K).max() < 1e-7 * np.abs(K).max()
        assert np.abs(x.P - P).max() < 1e-7 * np.abs(P).max()
        values = np.linalg.eigvals(big - wide @ K)
        assert max(np.abs(values - pole).min() for pole in x.poles) < 1e-6 * np.abs(values).max()
        assert np.abs(x.A - big).max() == 0 and np.isfinite(x.margins().gain[:, 0]).all()


@pytest.mark.parametrize("integral", [["tool"], ["shoulder_pitch", "elbow", "wrist_pitch"]])
def test_an_arm_with_a_load(integral):
    robot = hamel.load("arm7")
    q, still = np.array([0, 0.5, 0, 1.0, 0, 0.4, 0]), np.zeros(7)
    tau, load = robot.inverse_dynamics(q, still, still), np.array([0, 2.0, 0, 1.0, 0, 0, 0])
    x = robot.lqr(q, tau=tau, Q=[100] * 7 + [1] * 7, R=0.01, integral=integral, Qi=1e4)
    hold = x.integrating()
    errors = []
    for control_law in (x, hold):
        end, _ = hamel.simulate(robot, q, None, [0, 6], controller=lambda t, q, v, f=control_law: f(t, q, v) + load, integrator="rk4", step=2e-3)
        errors.append(np.abs(x.outputs.error(robot, q, end[-1])).max())
    assert errors[0] > 1e-3 and errors[1] < 1e-5
    assert np.abs(hold.integral).max() > 1e-4
    hold.reset()
    assert not hold.integral.any()


def test_held_feet():
    robot = hamel.load("quadruped")
    feet, q, still = ["fl_foot", "fr_foot", "hl_foot", "hr_foot"], robot.neutral(), np.zeros(robot.nv)
    q[8::3], q[9::3] = 0.8, -1.6
    tau = robot.constrained_inverse_dynamics(feet, q, still, still).tau
    x = robot.lqr(q, tau=tau, hold=feet, integral=["trunk"])
    assert x.K.shape == (12, 36) and x.Ki.shape == (12, 3) and len(x.poles) == 15 and (x.poles.real < 0).all()
    assert x.output_names == ("trunk.x", "trunk.y", "trunk.z")
    # stable too where it is written out for all coordinates
    y = robot.constrained_reduce(feet, q, still, tau)
    onto = np.block([[y.Z, np.zeros_like(y.Z)], [y.X, y.Z]])
    assert np.abs(x.K @ onto - x.inner[:, :12]).max() < 1e-8 * np.abs(x.K).max()


def test_what_it_refuses():
    robot = hamel.load("arm7")
    with pytest.raises(hamel.NotStabilizableError, match="holds all outputs"):
        robot.lqr(robot.neutral(), integral=["tool"])  # stretched: it cannot push along itself
    with pytest.raises(hamel.InvalidArgumentError, match="no frame 'nobody'"):
        robot.lqr(robot.neutral(), integral=["nobody"])
    with pytest.raises(hamel.InvalidArgumentError, match="list"):
        robot.lqr(robot.neutral(), integral="tool")
    with pytest.raises(hamel.InvalidArgumentError, match="no integrals"):
        robot.lqr(robot.neutral()).integrating()
