"""Model.trim: equilibria and steady motions, checked by forward dynamics and by an optimizer of SciPy."""

from __future__ import annotations

import numpy as np
import pytest

import hamel

G = 9.81


def dog():
    robot = hamel.load("quadruped")
    q = robot.neutral()
    for name in ("fl", "fr", "hl", "hr"):
        joints = {j.name: j for j in robot.joints}
        q[joints[f"{name}_hip_pitch"].q] = 0.8
        q[joints[f"{name}_knee"].q] = -1.6
    return robot, q


@pytest.mark.parametrize("feet", [("fl", "fr", "hl", "hr"), ("fl", "fr", "hl"), ("fl", "hr")])
def test_standing(feet):
    robot, q = dog()
    holds = [hamel.Hold(f"{name}_foot", "point") for name in feet]
    found = robot.trim(q, holds=holds, friction=np.full(len(feet), 0.7))
    assert found.ok and found.message == "" and found.optimal
    assert np.abs(found.residual).max() <= 1e-10 and found.position <= 1e-10
    assert found.forces.shape == (3 * len(feet),) and found.thrust.shape == (0,)
    still = robot.constrained_forward_dynamics(holds, found.q, np.zeros(robot.nv), found.tau)
    assert np.abs(still.a).max() <= 1e-8
    np.testing.assert_allclose(found.forces[2::3].sum(), G * robot.mass, rtol=1e-12)
    slide = np.hypot(found.forces[0::3], found.forces[1::3])
    assert np.all(slide <= 0.7 * found.forces[2::3] + 1e-8)
    named = robot.trim(q, hold=[hold.frame for hold in holds], friction=np.full(len(feet), 0.7))
    np.testing.assert_array_equal(named.q, found.q)
    with pytest.raises(TypeError, match="not both"):
        robot.trim(q, holds=holds, hold=holds)
    with pytest.raises(hamel.NotFoundError):
        robot.trim(q, hold=["paw"])
    for hold in holds:
        before, after = (robot.frame(hold.frame, x).pose[:3, 3] for x in (q, found.q))
        np.testing.assert_allclose(after, before, atol=1e-10)


def test_least_torque():
    """With a locked posture the forces solve a least-squares problem, which NumPy solves through its null space."""
    robot, q = dog()
    holds = [hamel.Hold(f"{name}_foot", "point") for name in ("fl", "fr", "hl", "hr")]
    found = robot.trim(q, holds=holds, free=[], ignore_limits=True)
    np.testing.assert_array_equal(found.q, q)
    J = np.vstack([robot.frame(h.frame, q, representation="mixed").J[:3] for h in holds])
    h = robot.inverse_dynamics(q, np.zeros(robot.nv), np.zeros(robot.nv))
    effort = np.array([28, 28, 42] * 4)
    base, legs = J[:, :6].T, J[:, 6:].T  # base forces = base λ, τ = h − legs λ
    one = np.linalg.lstsq(base, h[:6], rcond=None)[0]
    null = np.linalg.svd(base)[2][6:].T
    share = 1e-3 / (G * robot.mass)  # the weight of λ
    rows = np.vstack([legs / effort[:, None], share * np.eye(12)])
    rest = np.concatenate([(h[6:] - legs @ one) / effort, -share * one])
    force = one + null @ np.linalg.lstsq(rows @ null, rest, rcond=None)[0]
    np.testing.assert_allclose(found.forces, force, atol=1e-6)
    np.testing.assert_allclose(found.tau[6:], h[6:] - legs @ force, atol=1e-6)


def test_hovering():
    drone = hamel.load("drone_arm")
    q = drone.neutral()
    q[[j.q for j in drone.joints if j.name == "arm_shoulder"]] = -1.4
    rotors = [(f"rotor{i}", [0, 0, 1, 0, 0, 0.02 if i < 3 else -0.02], 0.0, 18.0) for i in (1, 2, 3, 4)]
    found = drone.trim(q, thrusters=rotors)
    assert np.abs(found.residual).max() <= 1e-10
    wrenches = None
    for (frame, wrench, *_), u in zip(rotors, found.thrust):
        wrenches = drone.wrench_at(frame, u * np.array(wrench), found.q, wrenches=wrenches)
    assert np.abs(drone.forward_dynamics(found.q, np.zeros(drone.nv), found.tau, wrenches)).max() <= 1e-9
    assert np.all((found.thrust >= 0) & (found.thrust <= 18))
    locked = drone.trim(q, actuated=[j.name for j in drone.joints if j.nv], free=np.zeros(drone.nv, bool))
    np.testing.assert_allclose(locked.tau[2], G * drone.mass, rtol=1e-13)


def test_refused():
    drone = hamel.load("drone_arm")
    with pytest.raises(hamel.InconsistentError, match=r"base\.2 \(vz\) cannot be balanced.*no motor"):
        drone.trim()
    found = drone.trim(strict=False)
    assert not found.ok and "base.2" in found.message and found.coordinate == 2
    np.testing.assert_allclose(np.linalg.norm(found.residual[:3]), G * drone.mass, rtol=1e-9)
    robot, q = dog()
    holds = [hamel.Hold("fl_foot", "point")]
    with pytest.raises(hamel.NotConvergedError, match="after all iterations"):
        robot.trim(q, holds=[hamel.Hold("fl_foot", "point"), hamel.Hold("hr_foot", "point")], iterations=1)
    with pytest.raises(hamel.InvalidArgumentError, match="one mark for each coordinate"):
        robot.trim(q, holds=holds, free=[True])
    with pytest.raises(hamel.NotFoundError, match="no joint is called 'nose'"):
        robot.trim(q, holds=holds, actuated=["nose"])
    with pytest.raises(TypeError, match="a thruster is a tuple"):
        robot.trim(q, thrusters=["fl_foot"])
    with pytest.raises(hamel.UnsupportedError):
        robot.trim(q, holds=[hamel.Hold("fl_foot", "frame")], friction=[0.5])


def test_loads_weights_and_steady_motion():
    robot, q = dog()
    holds = [hamel.Hold(f"{name}_foot", "point") for name in ("fl", "fr", "hl", "hr")]
    load = np.zeros((robot.nbodies, 6))
    load[0, 2] = -20
    found = robot.trim(q, holds=holds, wrenches=load, weights=np.full(robot.nv, 0.01), posture=10.0)
    np.testing.assert_allclose(found.forces[2::3].sum(), G * robot.mass + 20, rtol=1e-3)
    assert np.abs(found.q - q).max() < 0.2
    free = robot.trim(q, holds=holds, release_positions=True, tolerance=1e-9)
    assert free.position == 0
    with pytest.raises(hamel.InconsistentError, match="the velocity moves the hold"):
        robot.trim(q, np.full(robot.nv, 0.1), holds=holds)
