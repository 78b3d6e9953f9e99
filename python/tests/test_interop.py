"""Models and states of other programs. What is not installed is skipped."""

import numpy as np
import pytest
from conftest import state

import hamel
from hamel import interop

PROGRAMS = ("pinocchio", "mujoco", "drake", "rbdl", "idyntree")
EPS = np.finfo(float).eps


def close(a, b, tolerance=1e-11):
    """Sums of products of numbers near one: 1e-11 of the largest entry, as in tests/peer."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    assert np.abs(a - b).max(initial=0) <= tolerance * max(1, np.abs(b).max(initial=0))


@pytest.mark.parametrize("program", PROGRAMS)
def test_layouts_go_there_and_back(robot, program):
    try:
        there = interop.layout(robot, program)
    except hamel.UnsupportedError:
        assert program in ("mujoco", "idyntree")  # helical joints; several coordinates away from the root
        return
    q, v, tau, a = state(robot, 3, 5)
    theirs = there.to(q, v)
    assert theirs.q.shape == (5, there.nq) and theirs.v.shape == (5, there.nv)
    back = there.back(*theirs)
    close(robot.difference(q, back.q), np.zeros(v.shape), 64 * EPS)
    close(back.v, v, 64 * EPS)
    close(there.force_back(q, there.force_to(q, tau)), tau, 1e-14 * 100)
    power = np.einsum("ni,ni->n", there.force_to(q, tau), theirs.v)
    close(power, np.einsum("ni,ni->n", tau, v))
    M = robot.mass_matrix(q)
    energy = np.einsum("ni,nij,nj->n", theirs.v, there.mass_to(q, M), theirs.v)
    close(energy, np.einsum("ni,nij,nj->n", v, M, v))


def test_layout_by_names(quadruped):
    """Any order of the joints; Drake has the angular half and the quaternion first."""
    rng = np.random.default_rng(0)
    joints = [quadruped.joints[i] for i in rng.permutation(quadruped.njoints)]
    ends = np.cumsum([(0, 0)] + [(j.nq, j.nv) for j in joints], axis=0)
    there = interop.layout(quadruped, "drake", {j.name: tuple(at) for j, at in zip(joints, ends)})
    q, v, _, _ = state(quadruped, 1)
    theirs = there.to(q, v)
    for joint, (i, k) in zip(joints, ends):
        if joint.type == "free":
            R = hamel.quat.to_matrix(q[3:7])
            close(theirs.q[i : i + 7], [*q[3:7], *q[:3]], 0)
            close(theirs.v[k : k + 6], [*R @ v[3:6], *R @ v[:3]], 8 * EPS)
        else:
            assert (theirs.q[i], theirs.v[k]) == (q[joint.q], v[joint.v])
    close(there.back(*theirs).q, q, 8 * EPS)


def test_circles():
    robot = hamel.load("arm7")
    names = [j.name for j in robot.joints]
    there = interop.layout(robot, "pinocchio", circles=names[1:3])
    q = robot.random(seed=1)
    theirs = there.to(q).q
    close(theirs, [q[0], np.cos(q[1]), np.sin(q[1]), np.cos(q[2]), np.sin(q[2]), *q[3:]], 0)
    close(np.exp(1j * there.back(theirs).q), np.exp(1j * q), 8 * EPS)


def test_layout_says_what_is_wrong(quadruped):
    with pytest.raises(hamel.NotFoundError, match="no joint"):
        interop.layout(quadruped, "drake", {})
    with pytest.raises(hamel.InvalidArgumentError, match="one after the other"):
        interop.layout(quadruped, "drake", {j.name: (j.q + 1, j.v) for j in quadruped.joints})
    with pytest.raises(hamel.InvalidArgumentError, match="expected"):
        interop.layout(quadruped, "drake").back(np.zeros(3))
    with pytest.raises(hamel.InvalidArgumentError, match="no circle"):
        interop.layout(quadruped, "pinocchio", circles=["base"])


def compare_with_pinocchio(pin, model, theirs):
    there, data = interop.pinocchio_layout(model, theirs), theirs.createData()
    q, v, tau, _ = state(model, 2)
    pq, pv = there.to(q, v)
    assert len(pq) == theirs.nq
    M = pin.crba(theirs, data, pq)
    close(there.mass_to(q, model.mass_matrix(q)), np.triu(M) + np.triu(M, 1).T)
    loss = max(1e-10, 64 * EPS * np.linalg.cond(M))  # what is divided by M loses so many digits
    a = pin.aba(theirs, data, pq, pv, there.force_to(q, tau))
    later = there.to(model.integrate(q, 1e-6 * v), v + 1e-6 * model.aba(q, v, tau)).v
    before = there.to(model.integrate(q, -1e-6 * v), v - 1e-6 * model.aba(q, v, tau)).v
    close((later - before) / 2e-6, a, max(1e-8, loss))  # the difference quotient: 1e-12 and round-off over 1e-6
    pin.framesForwardKinematics(theirs, data, pq)
    poses = model.frame_motions(q).pose
    kinds = (pin.FrameType.BODY, pin.FrameType.OP_FRAME)
    shared = [(i, f.name) for i, f in enumerate(theirs.frames) if f.type in kinds and f.name != "universe"]
    assert len(shared) >= model.nbodies - sum(j.type == "universal" for j in model.joints)
    for i, name in shared:
        close(data.oMf[i].homogeneous, poses[model.frame_index(name)])


def test_to_pinocchio(robot):
    pin = pytest.importorskip("pinocchio")
    if any(j.damping.any() or j.stiffness.any() for j in robot.joints):
        robot = hamel.Builder(model=robot).build(passive=False)
    compare_with_pinocchio(pin, robot, interop.to_pinocchio(robot))


@pytest.mark.parametrize("name", ["quadruped", "humanoid", "nine", "arm7", "drone_arm"])
def test_to_pinocchio_and_back(name):
    pytest.importorskip("pinocchio")
    robot = hamel.load(name)
    back = interop.from_pinocchio(interop.to_pinocchio(robot))
    q, v, tau, _ = state(robot, 4)
    assert [j.name for j in back.joints] == [j.name for j in robot.joints]
    assert [f.name for f in back.frames] == [f.name for f in robot.frames]
    bare = hamel.Builder(model=robot).build(passive=False)
    back = hamel.Builder(model=back).build(passive=False)
    close(back.aba(q, v, tau), bare.aba(q, v, tau), 1e-10)


def test_from_pinocchio():
    """Its humanoid: a free flyer, legs and arms of aligned and unaligned revolutes."""
    pin = pytest.importorskip("pinocchio")
    theirs = pin.buildSampleModelHumanoid()
    compare_with_pinocchio(pin, interop.from_pinocchio(theirs), theirs)


URDF = """
<robot name="cart">
  <link name="hull"><inertial><mass value="2"/><inertia ixx="1" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="z"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy=".1" ixz="0" iyz="0"/></inertial></link>
  <link name="a"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz=".2"/></inertial></link>
  <joint name="z_wheel" type="continuous"><parent link="hull"/><child link="z"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="a_slide" type="prismatic"><parent link="hull"/><child link="a"/><origin xyz="0 1 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""


def test_the_same_urdf():
    """Pinocchio sorts children by name, calls the free flyer root_joint and has cos, sin for a continuous joint."""
    pin = pytest.importorskip("pinocchio")
    theirs = pin.buildModelFromXML(URDF, pin.JointModelFreeFlyer())
    robot = hamel.loads(URDF, "cart.urdf", base="free")
    assert [j.name for j in robot.joints] == ["base", "z_wheel", "a_slide"]
    assert list(theirs.names)[1:] == ["root_joint", "a_slide", "z_wheel"]
    assert (robot.nq, theirs.nq) == (9, 10)
    compare_with_pinocchio(pin, robot, theirs)


def test_from_pinocchio_refuses():
    pin = pytest.importorskip("pinocchio")
    theirs = pin.Model()
    theirs.addJoint(0, pin.JointModelSphericalZYX(), pin.SE3.Identity(), "ball")
    with pytest.raises(hamel.UnsupportedError, match="'ball' is a SphericalZYX"):
        interop.from_pinocchio(theirs)


MACHINE = """
<mujoco model="machine">
  <option gravity="0 1 -9"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="base" pos="0 0 1">
      <freejoint name="root"/>
      <geom name="hull" type="box" size=".2 .1 .05"/>
      <body name="arm" pos=".2 0 0" euler="10 20 30">
        <joint name="slide" type="slide" axis="0 0 1" ref=".3" stiffness="4" springref=".1"/>
        <joint name="turn" axis="0 1 1" pos=".1 0 .2" ref="25" damping=".3" armature=".01" range="-90 80"/>
        <geom type="capsule" size=".03 .2" pos="0 .1 0"/>
        <site name="grip" pos="0 0 .2" euler="0 90 0"/>
        <body name="hand" pos="0 0 .3">
          <joint name="ball" type="ball" pos="0 .02 0"/>
          <geom type="ellipsoid" size=".05 .02 .03"/>
        </body>
        <body name="lamp" pos="0 .1 0"><geom type="sphere" size=".02" contype="0" conaffinity="0"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def compare_with_mujoco(mujoco, model, theirs):
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    there, data = interop.mujoco_layout(model, theirs), mujoco.MjData(theirs)
    assert (there.nq, there.nv) == (theirs.nq, theirs.nv)
    q, v, tau, _ = state(model, 2)
    data.qpos[:], data.qvel[:] = there.to(q, v)
    data.qfrc_applied[:] = there.force_to(q, tau)
    mujoco.mj_forward(theirs, data)
    M = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, data, M)
    close(there.mass_to(q, model.mass_matrix(q)), M)
    a = model.forward_dynamics(q, v, tau)
    loss = max(1e-10, 64 * EPS * np.linalg.cond(M))  # what is divided by M loses so many digits
    close(model.acceleration_to(q, v, a, "split"), data.qacc, loss)
    for i in range(1, theirs.nbody):
        pose = model.frame(theirs.body(i).name, q).pose
        close(pose[:3, :3], data.xmat[i].reshape(3, 3))
        close(pose[:3, 3], data.xpos[i])
    for i in range(theirs.nsite):
        close(model.frame(theirs.site(i).name, q).pose[:3, 3], data.site_xpos[i])


def test_keyframes_of_mujoco():
    """The reader of MJCF, the compiled model's numbers, and MuJoCo's own."""
    mujoco = pytest.importorskip("mujoco")
    keys = """<keyframe><key name="home" qpos="1 2 3 2 0 -1 1 .1 .2 .5 .5 .5 .5" qvel="1 2 3 4 5 6 7 8 9 10 11"/>
      <key qpos="0 0 1 1 0 0 0 0 0 1 1 0 0"/></keyframe></mujoco>"""
    text = MACHINE.replace("</mujoco>", keys)
    theirs = mujoco.MjModel.from_xml_string(text)
    for model in (hamel.loads(text, format="mjcf", base_name="root"), interop.from_mujoco(theirs)):
        there = interop.mujoco_layout(model, theirs)
        assert sorted(model.keyframes) == ["home", "key1", "start"]
        for key, (q, v) in model.keyframes.items():
            i = {"home": 0, "key1": 1}.get(key)
            qpos, qvel = (theirs.qpos0, np.zeros(11)) if i is None else (theirs.key_qpos[i], theirs.key_qvel[i])
            data = mujoco.MjData(theirs)
            data.qpos[:] = qpos
            mujoco.mj_normalizeQuat(theirs, data.qpos)
            ours = there.to(q, v)
            close(ours[0], data.qpos, 4 * EPS)
            close(ours[1], qvel, 8 * EPS)
    hinge = '<mujoco><worldbody><body name="b" pos="1 2 3"><joint name="j"/><geom size=".1"/></body></worldbody></mujoco>'
    assert interop.from_mujoco(mujoco.MjModel.from_xml_string(hinge)).keyframes == {}


def test_pairs_of_mujoco():
    """Which balls touch: those of MuJoCo. All overlap."""
    mujoco = pytest.importorskip("mujoco")
    balls = "".join(
        f'<body name="{n}" pos="0 0 {0.01 * i}"><freejoint name="j{n}"/><geom name="g{n}" size=".1" {bits}/></body>'
        for i, (n, bits) in enumerate([("a", ""), ("b", ""), *((c, 'contype="0" conaffinity="0"') for c in "cde")])
    )
    pairs = [("gc", "ga"), ("gd", "gc"), ("ge", "gc"), ("gd", "floor")]
    text = (
        f'<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" pos="0 0 -9"/>{balls}</worldbody><contact>'
        + "".join(f'<pair geom1="{a}" geom2="{b}"/>' for a, b in pairs)
        + "</contact></mujoco>"
    )
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    assert data.ncon == 4
    for model in (hamel.loads(text, format="mjcf", base_name="ja"), interop.from_mujoco(theirs)):
        q = interop.mujoco_layout(model, theirs).back(data.qpos).q
        assert len(model.shapes) == 5
        assert hamel.Contact(model, [], pairs=True).exclude(q) == data.ncon


def test_from_mujoco():
    mujoco = pytest.importorskip("mujoco")
    theirs = mujoco.MjModel.from_xml_string(MACHINE)
    model = interop.from_mujoco(theirs)
    assert model.name == "machine" and model.nv == 11
    assert sorted(s.kind for s in model.shapes) == ["box", "capsule"]
    turn = next(j for j in model.joints if j.name == "turn")
    close([turn.lower, turn.upper], np.radians([[-90], [80]]), 4 * EPS)
    compare_with_mujoco(mujoco, model, theirs)
