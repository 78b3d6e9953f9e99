"""Batches in single precision against those in double, on the same rounded states."""

import numpy as np
import pytest

import hamel
from hamel import single

ROBOTS = ["quadruped", "humanoid", "arm7", "satellite"]


def states(robot, lead=(3, 7)):
    rng = np.random.default_rng(3)
    n = int(np.prod(lead))
    q = np.array([robot.random(seed=i) for i in range(n)]).reshape(lead + (robot.nq,)).astype(np.float32)
    return q, *(rng.uniform(-1, 1, lead + (robot.nv,)).astype(np.float32) for _ in range(2))


def near(x, y, bound):
    assert x.dtype == np.float32 and x.shape == y.shape
    axes = tuple(range(2, y.ndim))  # state by state, against its largest entry
    assert np.all(np.abs(x - y).max(axis=axes) <= bound * np.abs(y).max(axis=axes))


@pytest.mark.parametrize("name", ROBOTS)
def test_every_function_against_double(name):
    robot = hamel.load(name)
    q, v, tau = states(robot)
    wide = [x.astype(float) for x in (q, v, tau)]
    fast, exact = single.linearize(robot, q, v, tau), robot.linearize(*wide)
    for word in ("A", "B", "Dq", "Dv", "Minv", "acceleration"):
        near(getattr(fast, word), getattr(exact, word), 5e-3)
    near(single.forward_dynamics(robot, q, v, tau), robot.forward_dynamics(*wide), 5e-3)
    near(single.inverse_mass_matrix(robot, q), robot.inverse_mass_matrix(wide[0]), 5e-3)
    near(single.inverse_dynamics(robot, q, v, tau), robot.inverse_dynamics(*wide), 1e-5)
    near(single.mass_matrix(robot, q), robot.mass_matrix(wide[0]), 1e-5)
    near(single.body_poses(robot, q), robot.body_poses(wide[0]), 1e-5)
    for x, y in zip(single.inverse_dynamics_derivatives(robot, q, v, tau), robot.inverse_dynamics_derivatives(*wide)):
        near(x, y, 1e-5)
    H, J = single.all_jacobians(robot, q)
    near(H, robot.body_poses(wide[0]), 1e-5)
    assert J.shape == q.shape[:-1] + (6, robot.nv)


def test_one_state_broadcasts_and_threads_change_no_bit():
    robot = hamel.load("quadruped")
    q, v, tau = states(robot, (200,))
    alone = single.linearize(robot, q, v)
    assert np.array_equal(alone.A, single.linearize(robot, q, v, threads=3).A)
    assert np.array_equal(alone.A, single.linearize(robot, q, v, threads=1).A)
    with pytest.raises(hamel.InvalidArgumentError, match="at least 1"):
        single.linearize(robot, q, v, threads=0)
    assert np.array_equal(single.linearize(robot, q, v[0]).A, single.linearize(robot, q, np.tile(v[0], (200, 1))).A)
    assert single.linearize(robot, q[0], v[0]).A.shape == (36, 36)
    assert np.array_equal(single.linearize(robot, q[0], v[0]).A, alone.A[0])
    assert single.linearize(robot, q[:0], v[:0]).A.shape == (0, 36, 36)


def test_wrenches():
    robot = hamel.load("quadruped")
    q, v, tau = states(robot)
    wrenches = np.random.default_rng(4).uniform(-3, 3, (robot.nbodies, 6)).astype(np.float32)
    near(
        single.inverse_dynamics(robot, q, v, tau, wrenches),
        robot.inverse_dynamics(q.astype(float), v.astype(float), tau.astype(float), wrenches.astype(float)),
        1e-5,
    )


def test_a_state_that_fails():
    robot = hamel.load("quadruped")
    q, v, tau = states(robot, (40,))
    v[17, 2] = np.nan
    with pytest.raises(hamel.NotFiniteError, match=r"\(state 17\)"):
        single.linearize(robot, q, v, tau)
    kept = single.linearize(robot, q, v, tau, errors="nan")
    assert np.isnan(kept.A[17]).all() and np.isfinite(np.delete(kept.A, 17, axis=0)).all()


def test_bad_arguments():
    robot = hamel.load("quadruped")
    q, v, _ = states(robot)
    with pytest.raises(hamel.InvalidArgumentError, match="q has the shape"):
        single.mass_matrix(robot, q[..., :-1])
    with pytest.raises(hamel.InvalidArgumentError, match="errors is"):
        single.linearize(robot, q, v, errors="ignore")
    with pytest.raises(ValueError):
        single.linearize(robot, q, v[:2])
    with pytest.raises(ValueError, match="float32"):
        hamel._core._single(robot, 0, 1, (np.zeros(19),) + (None,) * 4, (None,) * 6, np.zeros(1, np.intc), 1)


def test_the_environment_says_how_many_threads(monkeypatch):
    robot = hamel.load("quadruped")
    q = np.tile(robot.neutral(), (200, 1))
    monkeypatch.setenv("HAMEL_THREADS", "many")
    with pytest.raises(hamel.InvalidArgumentError, match="HAMEL_THREADS"):
        single.mass_matrix(robot, q)
    single.mass_matrix(robot, q, threads=2)
