"""Constrained dynamics of real robots against Pinocchio: accelerations, wrenches, their derivatives, impulses.

Needs numpy and pin. The programs are build/tests/dump_model and dump_contact, or what HAMEL_DUMP and HAMEL_DUMP_CONTACT
say. Robots come from ../shared/models beside the project; without them there is nothing to test.

Held are the last links of the robot: one as a frame, up to four as points, one of each. Sets whose rank is not full are
left to the tests of the library, for Pinocchio regularizes them.

Tolerance: 1e-9 of the largest entry, and 64 ε cond where that is more, cond being the condition number of the matrix
that both sides divide by, [M Jᵀ; J 0].
"""

import json
import os
import pathlib
import subprocess
import time

import numpy as np
import pytest
from test_kinematics import DUMP, MODELS, Numbers, Robot

pin = pytest.importorskip("pinocchio")

CONTACT = os.environ.get("HAMEL_DUMP_CONTACT", str(pathlib.Path(DUMP).parent / "dump_contact"))
SINGULAR = {"romeo.urdf"}  # links without mass at the ends of its hands
EPS = np.finfo(float).eps


def last_links(robot):
    """Links at the ends of the tree, one for each chain of joints."""
    model = robot.model
    ends = [j for j in range(1, model.njoints) if len(model.children[j]) == 0]
    found = []
    for joint in ends:
        names = [n for n in robot.ours["frames"] if model.existFrame(n, pin.FrameType.BODY)]
        frames = [model.getFrameId(n, pin.FrameType.BODY) for n in names]
        own = [f for f in frames if model.frames[f].parentJoint == joint]
        if own:
            found.append(own[-1])
    return found


def constraint_sets(robot, base):
    ends = last_links(robot)
    sets = [[("frame", f)] for f in ends[:2] if base == "free"]
    sets += [[("point", f) for f in ends[:4]], [("point", ends[-1])]]
    if len(ends) > 1:
        sets.append([("frame", ends[0]), ("point", ends[1])])
    return sets


def ours(robot, path, base, items, q, v, tau):
    names = ",".join(f"{kind}:{robot.model.frames[frame].name}" for kind, frame in items)
    text = " ".join(repr(float(x)) for x in (*q, *v, *tau))
    run = subprocess.run([CONTACT, "--base", base, str(path), names], input=text.encode(), capture_output=True)
    if run.returncode:  # not of full rank, and drawn velocities do not respect it
        assert b"contradict" in run.stderr, run.stderr
        return None
    return Numbers(run.stdout)


def theirs(robot, items):
    models = pin.StdVec_RigidConstraintModel()
    for kind, frame in items:
        f = robot.model.frames[frame]
        what = pin.ContactType.CONTACT_6D if kind == "frame" else pin.ContactType.CONTACT_3D
        models.append(pin.RigidConstraintModel(what, robot.model, f.parentJoint, f.placement, pin.LOCAL))
    datas = pin.StdVec_RigidConstraintData()
    for model in models:
        datas.append(model.createData())
    return models, datas


def condition(robot, models, datas, q):
    """Of the matrix that is divided by."""
    M = pin.crba(robot.model, robot.data, q)
    M = np.triu(M) + np.triu(M, 1).T
    J = pin.getConstraintsJacobian(robot.model, robot.data, models, datas)
    return np.linalg.cond(np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]]))


def in_their_axes(robot, items, numbers):
    """Forces of points are in the world's axes here and in the frame's there; a row or a matrix of rows."""
    out, at = np.array(numbers), 0
    for kind, frame in items:
        if kind == "point":
            out[at : at + 3] = robot.data.oMf[frame].rotation.T @ out[at : at + 3]
        at += 6 if kind == "frame" else 3
    return out


def robots():
    files = [f for f in sorted(MODELS.glob("*.urdf")) if f.name not in SINGULAR]
    return [pytest.param(f, base, id=f"{f.name}-{base}") for f in files for base in ("free", "fixed")]


def assert_close(mine, other, tolerance, what):
    size = max(1.0, np.abs(other).max(initial=0))
    worst = np.abs(np.asarray(mine) - np.asarray(other)).max(initial=0) / size
    assert worst <= tolerance, f"{what}: {worst:.1e}"
    return worst


@pytest.mark.parametrize("path, base", robots())
def test_against_pinocchio(path, base):
    robot = Robot(path, base)
    if robot.nv == 0:
        pytest.skip("nothing moves")
    model, data, nv, columns = robot.model, robot.data, robot.nv, robot.columns
    rng = np.random.default_rng(11)
    compared, worst = 0, 0.0
    for items in constraint_sets(robot, base):
        m = sum(6 if kind == "frame" else 3 for kind, _ in items)
        if m > nv:
            continue
        q, q_pin, v, tau = robot.random_state(rng)
        v_pin, tau_pin = robot.to_pinocchio(v), robot.to_pinocchio(tau)
        numbers = ours(robot, path, base, items, q, v, tau)
        if numbers is None:
            continue
        a, wrench = numbers.take(nv), numbers.take(m)
        D = [numbers.take(nv, nv) for _ in range(3)]
        L = [numbers.take(m, nv) for _ in range(3)]
        rank, v_next, impulse = int(numbers.take(1)[0]), numbers.take(nv), numbers.take(m)
        assert numbers.at == len(numbers.data)
        if rank < m:
            continue
        models, datas = theirs(robot, items)
        pin.framesForwardKinematics(model, data, q_pin)
        pin.initConstraintDynamics(model, data, models, datas)
        prox = pin.ProximalSettings(1e-14, 0.0, 1)
        a_pin = pin.constraintDynamics(model, data, q_pin, v_pin, tau_pin, models, datas, prox).copy()
        lambda_pin = data.lambda_c.copy()
        derivatives = [x.copy() for x in pin.computeConstraintDynamicsDerivatives(model, data, models, datas, prox)]
        tolerance = max(1e-9, 64 * EPS * condition(robot, models, datas, q_pin))
        what = f"{[kind for kind, _ in items]}"
        worst = max(worst, assert_close(a, a_pin[columns], tolerance, f"acceleration, {what}"))
        worst = max(worst, assert_close(in_their_axes(robot, items, wrench), lambda_pin, tolerance, f"force, {what}"))
        for name, mine, other in zip("q v tau".split(), D, derivatives[:3], strict=True):
            assert_close(mine, other[np.ix_(columns, columns)], tolerance, f"acceleration by {name}, {what}")
        if all(kind == "frame" for kind, _ in items):  # their point's force turns with the frame, and so does its change
            for name, mine, other in zip("q v tau".split(), L, derivatives[3:], strict=True):
                assert_close(mine, other[:, columns], tolerance, f"force by {name}, {what}")
        after = pin.impulseDynamics(model, data, q_pin, v_pin, models, datas, 0.0, prox)
        assert_close(v_next, after[columns], tolerance, f"velocity after an impulse, {what}")
        assert_close(in_their_axes(robot, items, impulse), data.impulse_c, tolerance, f"impulse, {what}")
        compared += 1
    if not compared:
        pytest.skip("no set of full rank")
    print(f"{path.name} {base}: {compared} sets, acceleration and force within {worst:.1e}")


# ---- a step with contact beside MuJoCo's ----

QUADRUPED = pathlib.Path(__file__).resolve().parents[2] / "robots" / "quadruped.json"
STANCE = [0.0, 0.8, -1.6] * 4
STAND = str(pathlib.Path(DUMP).parent / "stand_contact")


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


def as_mjcf(robot):
    """The quadruped for MuJoCo: the same bodies, joints, feet and motors, on the same floor."""

    def body(b):
        joint, inertia = b["joint"], b["inertia"]
        m = np.array(inertia["moment"])
        full = numbers([m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]])
        text = f'<body name="{b["name"]}" pos="{numbers(joint.get("origin", {}).get("position", [0, 0, 0]))}">'
        if joint["type"] == "free":
            text += "<freejoint/>"
        else:
            text += (
                f'<joint name="{joint["name"]}" axis="{numbers(joint["axis"])}" damping="{joint["damping"]}"'
                f' armature="{joint["armature"]}" range="{joint["limits"]["lower"]} {joint["limits"]["upper"]}"/>'
            )
        text += f'<inertial pos="{numbers(inertia["com"])}" mass="{inertia["mass"]}" fullinertia="{full}"/>'
        for shape in robot["shapes"]:
            if shape["body"] == b["name"]:
                place = numbers(shape["origin"]["position"])
                text += f'<geom type="sphere" size="{shape["size"]}" pos="{place}" friction="{shape["friction"]}"/>'
        return text + "".join(body(c) for c in robot["bodies"] if c["parent"] == b["name"]) + "</body>"

    motors = "".join(
        f'<position joint="{b["joint"]["name"]}" kp="100" kv="2"/>' for b in robot["bodies"] if b["parent"] is not None
    )
    return (
        '<mujoco><compiler angle="radian"/><option timestep="0.001"/><worldbody>'
        '<geom type="plane" size="0 0 1" friction="0.8"/>'
        f"{body(robot['bodies'][0])}</worldbody><actuator>{motors}</actuator></mujoco>"
    )


def test_step_beside_mujoco():
    """Both stand; the time of a step is printed, not judged: machines differ."""
    mujoco = pytest.importorskip("mujoco")
    run = subprocess.run(
        [STAND, str(QUADRUPED), "1", "0.001", *map(str, STANCE)], capture_output=True, text=True, check=True
    )
    mine = {key: float(value) for key, value in (line.split() for line in run.stdout.splitlines())}
    model = mujoco.MjModel.from_xml_string(as_mjcf(json.loads(QUADRUPED.read_text())))
    data = mujoco.MjData(model)
    data.qpos[7:] = data.ctrl[:] = STANCE
    data.qpos[2] = 2 * 0.21 * np.cos(0.8) + 0.02 - 5e-5
    mujoco.mj_step(model, data, 1000)
    assert data.ncon == 4 and mine["contacts"] == 4
    assert np.abs(data.qvel).max() < 0.1 and mine["speed"] < 0.1
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        mujoco.mj_step(model, data, 4000)
        best = min(best, (time.process_time() - start) / 4000)
    print(f"a step of the quadruped on four feet: Hamel {mine['microseconds']:.2f} µs, MuJoCo {1e6 * best:.2f} µs")
