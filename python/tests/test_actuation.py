"""Actuators: what they do, against MuJoCo and against differences."""

import numpy as np
import pytest

import hamel

QUADROTOR = """<mujoco model="quad"><default><motor ctrlrange="0 5"/></default>
<worldbody><body name="trunk" pos="0 0 1"><freejoint/><inertial pos="0.01 0 0" mass="1" diaginertia="0.01 0.012 0.02"/>
<site name="t1" pos="0.2 0.1 0"/><site name="t2" pos="-0.2 0.1 0" euler="10 0 0"/>
<body name="arm" pos="0 0 -0.1"><joint name="hip" axis="0 1 0" damping="0.01"/>
<inertial pos="0 0 -0.1" mass="0.2" diaginertia="0.001 0.001 0.0005"/>
<body name="hand" pos="0 0 -0.2"><joint name="rail" type="slide" axis="0 0 1"/>
<inertial pos="0 0 -0.05" mass="0.1" diaginertia="0.0004 0.0004 0.0002"/><site name="tip" pos="0.02 0 -0.1" euler="0 30 0"/>
</body></body></body></worldbody>
<actuator><motor name="m1" site="t1" gear="0 0 1 0 0 0.02"/><motor site="t2" gear="0 0 1 0 0 -0.02"/>
<position name="servo" joint="hip" kp="8" kv="0.3" gear="2" forcerange="-3 3"/>
<position name="damped" joint="rail" kp="40" dampratio="0.7"/><velocity name="winch" joint="rail" kv="4"/>
<general name="jet" site="tip" gainprm="1.5" biastype="affine" biasprm="0.1 0 -0.7" gear="1 0 0.5 0.1 0 0"/></actuator>
</mujoco>"""


@pytest.fixture
def quad():
    return hamel.loads(QUADROTOR, format="mjcf")


def some_state(model, seed):
    rng = np.random.default_rng(seed)
    return model.integrate(model.neutral(), rng.normal(size=model.nv)), rng.normal(size=model.nv), rng.normal(size=6)


def test_against_mujoco(quad):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(QUADROTOR)
    data = mujoco.MjData(model)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        data.qpos[:] = rng.normal(size=model.nq)
        data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
        data.qvel[:], data.ctrl[:] = rng.normal(size=model.nv), 3 * rng.normal(size=model.nu)
        mujoco.mj_forward(model, data)
        q, v = quad.from_layout(data.qpos, data.qvel, layout="mujoco")
        done = quad.actuation_compute(q, v, data.ctrl.copy())
        np.testing.assert_allclose(done.force, data.actuator_force, atol=1e-12)
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, data.qpos[3:7])
        theirs = data.qfrc_actuator.copy()  # of a free joint: the force in the world's axes
        theirs[:3] = turn.reshape(3, 3).T @ theirs[:3]
        np.testing.assert_allclose(done.map.T @ done.force, theirs, atol=1e-12)


def test_linearization(quad):
    q, v, u = some_state(quad, 3)
    u = np.abs(u)
    found = quad.actuation_linearize(q, v, u)
    done = quad.actuation_compute(q, v, u)
    np.testing.assert_allclose(found.acceleration, quad.forward_dynamics(q, v, done.tau, done.wrenches), atol=1e-10)
    assert found.A.shape == (16, 16) and found.B.shape == (16, 6)

    def acceleration(step):
        moved = quad.actuation_compute(quad.integrate(q, step[:8]), v + step[8:16], u + step[16:])
        return quad.forward_dynamics(quad.integrate(q, step[:8]), v + step[8:16], moved.tau, moved.wrenches)

    h, columns = 1e-3, []
    for e in h * np.eye(22):
        near, far = acceleration(e) - acceleration(-e), acceleration(2 * e) - acceleration(-2 * e)
        columns.append((8 * near - far) / (12 * h))
    columns = np.array(columns).T
    np.testing.assert_allclose(np.hstack([found.A[8:], found.B[8:]]), columns, atol=1e-8 * np.abs(columns).max())
    assert found.B[8:, 2].any() == (abs(done.force[2]) < 3)  # a force at its limit does not change


def test_builder_and_files(quad):
    builder = hamel.Builder(model=quad)
    builder.add_actuator("extra", "rail", gear=2.0, gain=3.0, bias=[0, -3, 0], upper=1.0)
    builder.add_actuator("push", frame="tip", gear=[0, 0, 1, 0, 0, 0], force_upper=2.0)
    model = builder.build()
    extra = model.actuators[6]
    assert extra.name == "extra" and extra.transmission == "joint" and model.joints[extra.target].name == "rail"
    assert extra.gear[0] == 2 and extra.upper == 1 and extra.lower == -np.inf
    assert model.frames[model.actuators[7].target].name == "tip"
    assert hamel.loads(model.to_json(), format="json") == model
    assert hamel.Model.from_bytes(model.to_bytes()) == model
    with pytest.raises(TypeError, match="joint or on a frame"):
        builder.add_actuator("none")
    q = some_state(quad, 1)[0]
    u = quad.actuation_hold(q)
    assert abs(quad.actuation_compute(q, None, u).force[3]) < 1e-12


def test_motion(quad):
    q, v, u = quad.neutral(), np.zeros(8), np.array([2.0, 2.0, 0.1, 0.0, 0.0, 0.0])
    motion = hamel.Motion(quad, q, v, inputs=u, balance=True)
    motion.advance(0.2)
    assert motion.balance.actuators != 0
    air = hamel.Contact(quad, [], balance=True)
    for _ in range(400):
        done = air.step(q, v, 5e-4, inputs=u)
        q, v = done.q, done.v
    np.testing.assert_allclose(q, motion.q, atol=5e-3)
    assert abs(air.balance.actuators - motion.balance.actuators) < 5e-3
    assert np.abs(done.torque[:6]).max() == 0 and done.torque[6] != 0
