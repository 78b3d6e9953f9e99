"""The linearization against MuJoCo's mjd_transitionFD, the finite differences of one step of its simulation.

Needs numpy and mujoco; robots and the command are those of test_dynamics.py.

MuJoCo's Euler step is half implicit: ν' = ν + h ν̇(q, ν), then q' = q moved by h ν'. Its state is that of the split
representation, but for the perturbation of a free joint's position, which is in world axes: z = Q δ, with the transposed
rotation in Q. So with the blocks D_q, D_ν, M⁻¹ of `hamel linearize --representation split` its step has the derivatives

    dν' = h D_q Q δq + (1 + h D_ν) δν + h M⁻¹ δτ
    dq' = δq + h dν'                                   where a coordinate is a number
    dφ' = exp(−h ω'^) δφ + h S(h ω') dω'               for rotations R' = R exp(h ω'^), S the right Jacobian of exp

for every h. No limit is taken: what differs is the error of the differences.

Tolerance. Centered differences with ε = 1e-5 miss ε² of a third derivative: 1e-7 of a block's largest entry is enough
for Cassie with its light rods, where the worst is 6e-8; other robots reach 2e-9. They see the numbers of q' and ν' with
their last bits, and divide by ε: an absolute error of 1e-10 or so, which shows in dq'/du, whose entries are h² M⁻¹.
"""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from test_dynamics import EPS, MODELS, STATES, Worst, hamel, joints_of, random_state
from test_load import without_geoms

mujoco = pytest.importorskip("mujoco")
DIFFERENCE = 1e-5
OPTIONS = ("--mimic", "independent", "--representation", "split", "--inputs", "all")

BODY = '<inertial pos="0.1 0.2 0.3" mass="2" diaginertia="1 1.2 1.4"/>'
ARM = f"""<body pos="0.3 0 0.1" euler="10 20 30"><joint name="a" axis="1 2 3" pos="0 0.1 0" {{passive}}/>{BODY}
    <body pos="0 0.4 0"><joint name="b" type="slide" axis="0 1 1" {{passive}}/>{BODY}</body></body>
    <body pos="-0.3 0 0.1"><joint name="c" type="ball"/>{BODY}
    <body pos="0 0 0.5" euler="0 90 0"><joint name="d" axis="0 0 1" {{passive}}/>{BODY}</body></body>"""
PASSIVE = 'armature="0.1" damping="0.7" stiffness="3" springref="15"'


def own(root, passive=""):
    return f'<mujoco><worldbody><body name="root">{root}{BODY}{ARM.format(passive=passive)}</body></worldbody></mujoco>'


OWN = {
    "free": own("<freejoint/>"),
    "fixed": own(""),
    "ball": own('<joint name="root" type="ball"/>'),
    "passive": own("<freejoint/>", PASSIVE),
}


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def rotation(phi):
    """exp(φ^) and its right Jacobian."""
    t, K = np.linalg.norm(phi), hat(phi)
    a, b, c = np.sinc(t / np.pi), np.sinc(t / 2 / np.pi) ** 2 / 2, (1 - np.sinc(t / np.pi)) / t**2
    return np.eye(3) + a * K + b * K @ K, np.eye(3) - b * K + c * K @ K


def quaternion_matrix(q):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, q)
    return R.reshape(3, 3)


def with_motors(path):
    """The file with a motor on every joint of one coordinate that has a name, and no other actuators."""
    tree = ElementTree.parse(path)
    root = tree.getroot()
    for old in root.findall("actuator"):
        root.remove(old)
    actuators = ElementTree.SubElement(root, "actuator")
    for joint in root.find("worldbody").iter("joint"):
        if "name" in joint.attrib and joint.get("type", "hinge") in ("hinge", "slide"):
            ElementTree.SubElement(actuators, "motor", {"joint": joint.get("name"), "ctrllimited": "false"})
    tree.write(path)
    return path


def step_derivatives(info, x, q, v, h):
    """dq' and dν' by δq and δν, and by all forces: MuJoCo's step, exactly."""
    nv = info["nv"]
    Q, turns = np.eye(nv), []
    for joint in info["joints"]:
        at = joint["v"]
        if joint["type"] == "free":
            Q[at : at + 3, at : at + 3] = quaternion_matrix(q[joint["q"] + 3 : joint["q"] + 7]).T
            turns.append(at + 3)
        elif joint["type"] == "spherical":
            turns.append(at)
    dv = np.hstack([h * x["A"][nv:, :nv] @ Q, np.eye(nv) + h * x["A"][nv:, nv:]])
    dv_dtau = h * x["B"][nv:]
    after = v + h * x["acceleration"]
    keep, carry = np.eye(nv), h * np.eye(nv)
    for at in turns:
        R, S = rotation(h * after[at : at + 3])
        keep[at : at + 3, at : at + 3] = R.T
        carry[at : at + 3, at : at + 3] = h * S
    dq = np.hstack([keep, np.zeros((nv, nv))]) + carry @ dv
    return np.vstack([dq, dv]), np.vstack([carry @ dv_dtau, dv_dtau])


def differences(model, data, h):
    model.opt.timestep = h
    A, B = np.zeros((2 * model.nv, 2 * model.nv)), np.zeros((2 * model.nv, model.nu))
    mujoco.mjd_transitionFD(model, data, DIFFERENCE, True, A, B, None, None)
    return A, B


def compare(path, folder, name):
    rng = np.random.default_rng(6)
    model = mujoco.MjModel.from_xml_path(str(path))
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_EULERDAMP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    data = mujoco.MjData(model)
    info = joints_of(folder, path, "--mimic", "independent")
    nv = info["nv"]
    assert (info["nq"], nv) == (model.nq, model.nv)
    worst = Worst()
    for _ in range(STATES):
        q, v, tau, state = random_state(info, rng)
        for joint in info["joints"]:
            if joint["type"] == "free":  # a force on the base would have to keep its direction in the world
                tau[joint["v"] : joint["v"] + 6] = 0
                state["joints"][joint["name"]]["force"] = [0.0] * 6
        state["representation"] = "split"
        x = hamel(folder, "linearize", path, *OPTIONS, state=state)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:], data.qacc_warmstart[:] = q, v, tau, 0
        mujoco.mj_forward(model, data)
        motors = [model.jnt_dofadr[model.actuator_trnid[i, 0]] for i in range(model.nu)]

        h = 2e-3
        A, B = differences(model, data, h)
        ours, forces = step_derivatives(info, x, q, v, h)
        size = max(np.abs(q).max(), np.abs(v + h * data.qacc).max())

        def note(what, one, other, noise=4 * EPS * size / DIFFERENCE):
            worst.note(what, one, other, 1e-7 + noise / np.abs(other).max())

        for rows, of in ((slice(0, nv), "q'"), (slice(nv, None), "v'")):
            for columns, by in ((slice(0, nv), "q"), (slice(nv, None), "v")):
                note(f"d{of}/d{by}", ours[rows, columns], A[rows, columns])
            note(f"d{of}/du", forces[rows, motors], B[rows])
    worst.report(name)


@pytest.mark.parametrize("name", OWN)
def test_own(name, tmp_path):
    path = tmp_path / "own.xml"
    path.write_text(OWN[name])
    compare(with_motors(path), tmp_path, name)


@pytest.mark.parametrize("path", sorted((MODELS / "mjcf").glob("*.xml")), ids=lambda p: p.name)
def test_mjcf(path, tmp_path):
    compare(with_motors(without_geoms(path, tmp_path)), tmp_path, path.name)
