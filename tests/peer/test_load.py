"""Loaded models against Pinocchio (URDF) and MuJoCo (MJCF): names, inertias, passive forces, poses.

Needs numpy, pin, mujoco and, for more robots, example-robot-data. The program is build/tests/dump_model, or what
HAMEL_DUMP says. Real robots come from ../shared/models beside the project and from example-robot-data; what is not
there is skipped.

Tolerance 1e-12: both sides multiply some dozens of rotations in double precision, 1e-16 each, over lengths of metres.
"""

import glob
import json
import os
import pathlib
import subprocess
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
DUMP = os.environ.get("HAMEL_DUMP", str(PROJECT / "build" / "tests" / "dump_model"))
MODELS = PROJECT.parent / "shared" / "models"
TOLERANCE = 1e-12


def dump(path, *options, configurations=()):
    text = "\n".join(" ".join(repr(float(x)) for x in q) for q in configurations)
    run = subprocess.run([DUMP, *options, str(path)], input=text, capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode == 0 else run.stderr


def random_configurations(model, rng, count):
    """Configurations in Hamel's order; angles within half a turn, lengths within a metre."""
    for _ in range(count if model["nq"] else 1):
        q = np.zeros(model["nq"])
        for joint in model["joints"]:
            own = slice(joint["q"], joint["q"] + joint["nq"])
            q[own] = rng.uniform(-1, 1, joint["nq"])
            if joint["type"] == "revolute":
                q[own] *= 3
            if joint["type"] == "spherical":
                q[own] = rng.normal(size=4)
                q[own] /= np.linalg.norm(q[own])
            if joint["type"] == "free":
                turn = rng.normal(size=4)
                q[own] = [*rng.uniform(-1, 1, 3), *(turn / np.linalg.norm(turn))]
        yield q


def assert_close(ours, theirs, what, scale=1.0):
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    assert ours.shape == theirs.shape, what
    size = max(scale, np.abs(theirs).max(initial=0))
    assert np.abs(ours - theirs).max(initial=0) <= TOLERANCE * size, f"{what}: {ours} {theirs}"


# ---- URDF and Pinocchio ----


def urdf_files():
    files = sorted(MODELS.glob("*.urdf"))
    try:
        import pinocchio

        share = pathlib.Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"
        files += [pathlib.Path(f) for f in sorted(glob.glob(str(share / "**" / "*.urdf"), recursive=True))]
    except ImportError:
        pass
    return files


def to_pinocchio(pin, model, ours, q):
    """Hamel's configuration in Pinocchio's order; a continuous joint is (cos, sin) there."""
    theirs = pin.neutral(model)
    for joint in ours["joints"]:
        name = "root_joint" if joint["name"] == "base" else joint["name"]
        j = model.joints[model.getJointId(name)]
        own = q[joint["q"] : joint["q"] + joint["nq"]]
        if joint["type"] == "free":
            own = [*own[:3], *own[4:], own[3]]
        elif j.nq == 2:
            own = [np.cos(own[0]), np.sin(own[0])]
        theirs[j.idx_q : j.idx_q + j.nq] = own
    return theirs


@pytest.mark.parametrize("base", ["free", "fixed"])
@pytest.mark.parametrize("path", urdf_files(), ids=lambda p: p.name)
def test_urdf(path, base):
    pin = pytest.importorskip("pinocchio")
    rng = np.random.default_rng(1)
    ours = dump(path, "--base", base, "--independent")
    arguments = [pin.JointModelFreeFlyer()] if base == "free" else []
    try:
        model = pin.buildModelFromUrdf(str(path), *arguments)
    except ValueError:  # falcon names a link that is not there, ur3 has none
        assert isinstance(ours, str)
        return
    assert isinstance(ours, dict), ours
    data = model.createData()

    names = {"root_joint" if j["name"] == "base" else j["name"] for j in ours["joints"]}
    assert names == set(model.names) - {"universe"}
    assert ours["nv"] == model.nv
    masses = [model.inertias[i].mass for i in range(1, model.njoints)]
    assert_close(ours["mass"], sum(masses), "total mass")
    for joint in ours["joints"]:
        body = ours["bodies"][joint["body"]]
        inertia = model.inertias[model.getJointId("root_joint" if joint["name"] == "base" else joint["name"])]
        assert_close(body["mass"], inertia.mass, body["name"])
        moment = np.reshape(body["moment"], (3, 3))
        assert_close(moment, inertia.inertia, body["name"], scale=0)
        if inertia.mass > 0:
            assert_close(body["com"], inertia.lever, body["name"])

    qs = list(random_configurations(ours, rng, 20))
    poses = dump(path, "--base", base, "--independent", configurations=qs)["poses"]
    links = {f.name: i for i, f in enumerate(model.frames) if f.type == pin.FrameType.BODY}
    assert set(links) - {"universe"} <= set(ours["frames"])
    shapes = {shape.get("name") for shape in ElementTree.parse(path).iter("collision")}
    for q, pose in zip(qs, poses, strict=True):
        pin.framesForwardKinematics(model, data, to_pinocchio(pin, model, ours, q))
        for name, row in zip(ours["frames"], pose, strict=True):
            if name in shapes and name not in links:
                continue  # shapes have no frames there
            frame = data.oMf[links[name]]
            assert_close(np.reshape(row[:9], (3, 3)), frame.rotation, name)
            assert_close(row[9:], frame.translation, name)


# ---- MJCF and MuJoCo ----


def compare_with_mujoco(mujoco, model, path, rng, count=20):
    """Everything MuJoCo keeps of bodies, joints and sites. Hamel keeps fixed bodies apart here, as MuJoCo does."""
    ours = dump(path, "--keep-fixed", "--independent")
    assert isinstance(ours, dict), ours
    data = mujoco.MjData(model)
    bodies = {b["name"]: b for b in ours["bodies"]}
    joints = [j for j in ours["joints"] if j["nv"] > 0]
    assert ours["nq"] == model.nq and ours["nv"] == model.nv
    no_gravity = model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
    assert_close(ours["gravity"], np.zeros(3) if no_gravity else model.opt.gravity, "gravity")

    def body_name(i):
        return model.body(i).name or f"body{i}"

    for i in range(1, model.nbody):
        body = bodies[body_name(i)]
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[i])
        R = R.reshape(3, 3)
        assert_close(body["mass"], model.body_mass[i], body["name"])
        if model.body_mass[i] > 0:
            assert_close(body["com"], model.body_ipos[i], body["name"])
        moment = R @ np.diag(model.body_inertia[i]) @ R.T
        # MuJoCo keeps eigenvalues and a quaternion: some digits of an inertia go into those
        assert_close(np.reshape(body["moment"], (3, 3)), moment, body["name"], scale=np.abs(moment).max(initial=0) * 10)

    # MuJoCo numbers its joints depth first, as Hamel does
    data.qvel[:] = 0
    mujoco.mj_forward(model, data)
    assert len(joints) == model.njnt
    for i, joint in enumerate(joints):
        assert joint["q"] == model.jnt_qposadr[i] and joint["v"] == model.jnt_dofadr[i]
        dofs = slice(joint["v"], joint["v"] + joint["nv"])
        extra_armature, extra_damping = np.zeros(joint["nv"]), np.zeros(joint["nv"])
        for a in range(model.nu):
            if model.actuator_trntype[a] <= 1 and model.actuator_trnid[a, 0] == i:
                extra_armature += model.actuator_armature[a] * model.actuator_gear[a, 0] ** 2
                extra_damping += model.actuator_damping[a] * model.actuator_gear[a, 0] ** 2
        assert_close(joint["armature"], model.dof_armature[dofs] + extra_armature, joint["name"])
        assert_close(joint["damping"], model.dof_damping[dofs] + extra_damping, joint["name"])
        assert_close(joint["stiffness"], np.full(joint["nv"], model.jnt_stiffness[i]), joint["name"])
        if joint["type"] in ("revolute", "prismatic"):
            assert_close(joint["rest"], model.qpos_spring[joint["q"] : joint["q"] + 1], joint["name"])
            limits = model.jnt_range[i] if model.jnt_limited[i] else [None, None]
            for key, limit in zip(("lower", "upper"), limits, strict=True):
                assert (joint[key][0] is None) == (limit is None), joint["name"]
                if limit is not None:
                    assert_close(joint[key][0], limit, joint["name"])

    qs = list(random_configurations(ours, rng, count))
    poses = dump(path, "--keep-fixed", "--independent", configurations=qs)["poses"]
    for q, pose in zip(qs, poses, strict=True):
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        rows = dict(zip(ours["frames"], pose, strict=True))
        for i in range(1, model.nbody):
            assert_close(rows[body_name(i)][:9], data.xmat[i], body_name(i))
            assert_close(rows[body_name(i)][9:], data.xpos[i], body_name(i))
        for i in range(model.nsite):
            name = model.site(i).name
            if name:
                name = name if name not in bodies else name + ".site"
                assert_close(rows[name][:9], data.site_xmat[i], name)
                assert_close(rows[name][9:], data.site_xpos[i], name)
    return ours


def without_geoms(path, folder):
    """MuJoCo loads no model whose meshes are missing: geoms, assets and what refers to geoms go. So do loops, which
    MuJoCo holds softly and Hamel exactly."""
    tree = ElementTree.parse(path)
    root = tree.getroot()
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("geom", "asset", "contact", "equality", "sensor", "visual", "keyframe"):
                parent.remove(child)
    stripped = folder / path.name
    tree.write(stripped)
    return stripped


@pytest.mark.parametrize("path", sorted(MODELS.glob("mjcf/*.xml")), ids=lambda p: p.name)
def test_mjcf_robot(path, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(without_geoms(path, tmp_path)))
    compare_with_mujoco(mujoco, model, path, np.random.default_rng(2))


I = '<inertial pos="0.1 0.2 0.3" mass="2" diaginertia="1 1.2 1.4"/>'


def mjcf(body, before="", after=""):
    return f"<mujoco>{before}<worldbody>{body}</worldbody>{after}</mujoco>"


FEATURES = {
    "degrees": mjcf(f'<body euler="10 20 30"><joint range="-30 60" ref="15" springref="25" stiffness="3"/>{I}</body>'),
    "radians": mjcf(f'<body euler="1 2 3"><joint range="-1 1" ref="0.3"/>{I}</body>', '<compiler angle="radian"/>'),
    "eulerseq fixed": mjcf(f'<body euler="10 20 30"><joint/>{I}</body>', '<compiler eulerseq="XYZ"/>'),
    "eulerseq mixed": mjcf(f'<body euler="10 20 30"><joint/>{I}</body>', '<compiler eulerseq="zXy"/>'),
    "axisangle": mjcf(f'<body axisangle="1 2 3 40"><joint/>{I}</body>'),
    "xyaxes": mjcf(f'<body xyaxes="1 1 0 0 1 1"><joint/>{I}</body>'),
    "zaxis": mjcf(f'<body zaxis="1 2 3"><joint/>{I}</body><body zaxis="0 0 -1"><joint/>{I}</body>'),
    "quat": mjcf(f'<body quat="1 2 3 4"><joint/>{I}</body>'),
    "joint pos": mjcf(f'<body pos="1 2 3"><joint pos="0.1 0.2 0.3" axis="1 2 3"/>{I}</body>'),
    "several joints": mjcf(
        f'<body name="b" euler="10 20 30" pos="1 2 3"><joint type="slide" axis="1 1 0" ref="0.3"/>'
        f'<joint axis="0 1 1" pos="0.1 0.2 0.3" ref="20"/><joint name="n" axis="1 0 0" pos="0.3 0 0"/>{I}'
        f'<body pos="0 0 1"><joint axis="0 1 0"/>{I}</body></body>'
    ),
    "slide and ball": mjcf(f'<body><joint type="slide"/><joint type="ball" pos="0.1 0.2 0.3"/>{I}</body>'),
    "ball": mjcf(
        f'<body euler="10 20 30"><joint type="ball" pos="0.1 0.2 0.3" damping="0.3" stiffness="2" springref="3" ref="4"/>'
        f"{I}</body>"
    ),
    "free": mjcf(f'<body pos="1 2 3" euler="10 20 30"><freejoint/>{I}</body>', "<default><joint damping='7'/></default>"),
    "free joint": mjcf(f'<body pos="1 2 3"><joint type="free"/>{I}</body>', "<default><joint damping='7'/></default>"),
    "two free": mjcf(f"<body><freejoint/>{I}</body><body><freejoint/>{I}</body>"),
    "static bodies": mjcf(
        f'<body name="s" pos="1 2 3"><body name="t" euler="10 0 0">{I}<body name="a"><joint/>{I}'
        f'<body name="u" pos="0 1 0">{I}</body></body></body></body>'
    ),
    "fullinertia": mjcf('<body><joint/><inertial pos="1 2 3" mass="2" fullinertia="2 2.2 2.5 0.1 0.2 0.3"/></body>'),
    "inertial turned": mjcf(
        '<body><joint/><inertial pos="1 2 3" euler="10 20 30" mass="2" diaginertia="1 2 2.5"/></body>'
    ),
    "frames": mjcf(
        f'<frame pos="1 0 0" euler="0 0 90"><body name="a" pos="1 2 3"><frame pos="0 0 1" euler="90 0 0">'
        f'<joint axis="1 2 0" pos="0.1 0.2 0.3"/><inertial pos="1 2 3" mass="2" fullinertia="2 2.2 2.5 0.1 0.2 0.3"/>'
        f'<site name="s" pos="1 0 0" euler="0 20 0"/><frame euler="10 20 30"><body name="b" pos="1 0 0"><joint/>'
        f'<geom size="0.1 0.2 0.3" type="box" euler="10 20 30"/></body></frame></frame></body></frame>'
    ),
    "sites": mjcf(
        f'<site name="w" pos="1 2 3"/><body name="a"><joint/>{I}<site name="a" pos="1 0 0"/><site pos="3 2 1"/>'
        f'<site name="f" type="capsule" fromto="0 0 0 1 2 3"/><site name="q" zaxis="1 1 0"/></body>',
        '<default><site pos="0.1 0 0" euler="1 2 3"/></default>',
    ).replace('name="f" type', 'name="f" class="plain" type').replace(
        "</default>", '<default class="plain"><site pos="0 0 0" quat="1 0 0 0"/></default></default>'
    ),
    "defaults": mjcf(
        f'<body childclass="leg"><joint/>{I}<body><joint axis="1 0 0" class="foot"/>{I}'
        f'<frame childclass="foot"><body><joint axis="0 1 0"/>{I}</body></frame>'
        f'<body childclass="main"><joint damping="9"/>{I}</body></body></body>',
        '<default><joint damping="1" armature="0.1"/><default class="leg"><joint damping="2"/><default class="foot">'
        '<joint stiffness="3" type="slide"/></default></default></default><default><joint armature="0.2"/></default>',
    ),
    "default orientation": mjcf(
        f'<body><joint/>{I}<site name="a" quat="1 1 0 0"/><site name="b" class="c"/><site name="c" class="c" '
        f'axisangle="1 0 0 40"/><site name="d"/></body>',
        '<default><site euler="10 20 30"/><default class="c"><site zaxis="1 1 1"/></default></default>',
    ),
    "sphere": mjcf('<body><joint/><geom size="0.3" pos="1 2 3"/></body>'),
    "capsule": mjcf('<body><joint/><geom type="capsule" size="0.3 0.5" pos="1 2 3" euler="10 20 30"/></body>'),
    "cylinder": mjcf('<body><joint/><geom type="cylinder" size="0.3 0.5" density="300" zaxis="1 2 3"/></body>'),
    "box": mjcf('<body><joint/><geom type="box" size="0.3 0.5 0.7" mass="3" euler="10 20 30"/></body>'),
    "ellipsoid": mjcf('<body><joint/><geom type="ellipsoid" size="0.3 0.5 0.7" euler="10 20 30"/></body>'),
    "fromto": mjcf(
        '<body><joint/><geom type="capsule" size="0.1" fromto="0 0 0 1 2 3"/>'
        '<geom type="cylinder" size="0.1" fromto="0 0 0 1 0 3"/><geom type="box" size="0.1" fromto="0 0 1 1 2 3"/>'
        '<geom type="ellipsoid" size="0.1" fromto="0 0 0 0 2 3"/></body>'
    ),
    "shells": mjcf(
        "".join(
            f'<body><joint/><geom type="{t}" size="{s}" shellinertia="true"/></body>'
            for t, s in (
                ("sphere", "0.3"),
                ("capsule", "0.3 0.5"),
                ("cylinder", "0.3 0.5"),
                ("box", "0.3 0.5 0.7"),
            )
        )
    ),
    "many geoms": mjcf(
        '<body><joint/><geom size="0.3" mass="1"/><geom size="0.1" mass="0" pos="3 3 3"/><geom size="0.1" density="0"/>'
        '<geom type="box" size="0.1 0.2 0.3" pos="1 1 1" euler="10 20 30"/><geom group="4" size="0.2" pos="0 0 1"/></body>',
        '<compiler inertiagrouprange="0 3"/>',
    ),
    "size from default": mjcf(
        '<body><joint/><geom type="box" size="0.1"/><geom type="capsule" size="0.2 0.3" pos="1 0 0"/></body>',
        '<default><geom size="0.5 0.6 0.7" density="10"/></default>',
    ),
    "mass in default": mjcf('<body><joint/><geom size="0.1" density="3"/></body>', '<default><geom mass="7"/></default>'),
    "inertiafromgeom true": mjcf(
        f'<body><joint/>{I}<geom size="0.2"/></body><body><joint/>{I}</body>', '<compiler inertiafromgeom="true"/>'
    ),
    "inertiafromgeom false": mjcf(f'<body><joint/>{I}<geom size="0.2"/></body>', '<compiler inertiafromgeom="false"/>'),
    "bounds": mjcf(
        '<body><joint/><inertial pos="0 0 0" mass="0.1" euler="10 20 30" diaginertia="0.1 1 1.05"/></body><body/>',
        '<compiler boundmass="0.5" boundinertia="0.3"/>',
    ),
    "bounds of bodies that say nothing": mjcf(
        f'<body pos="1 2 3" euler="10 20 30"><joint/><body pos="0.5 0 0.25" euler="0 0 40"/>'
        f'<body><joint/><body pos="0 0 1" quat="1 1 0 0"/></body></body><body pos="2 0 0"><joint/><geom size="0.1"/></body>',
        '<compiler boundmass="0.5" boundinertia="0.3"/>',
    ),
    "slides after a ball": mjcf(f'<body><joint type="ball"/><joint type="slide"/>{I}</body>'),
    "a ball after hinges": mjcf(f'<body><joint/><joint axis="1 0 0"/><joint type="ball"/>{I}</body>'),
    "six slides and hinges": mjcf("<body>" + 3 * "<joint/>" + 3 * '<joint type="slide"/>' + f"{I}</body>"),
    "defaults that hide defaults": mjcf(
        '<body childclass="d"><joint/><geom size="0.1"/><geom class="c" type="box"/></body>',
        '<default><geom size="0.5 0.6 0.7"/><default class="c"><geom size="0.2" density="7"/>'
        '<default class="d"><geom size="0.3 0.4" type="capsule"/></default></default></default>',
    ),
    "balance": mjcf(
        '<body><joint/><inertial pos="0 0 0" mass="0.1" diaginertia="1 1 3"/></body>'
        '<body><joint/><inertial pos="0 0 0" mass="0.1" euler="10 20 30" diaginertia="1 1.1 1.2"/></body>',
        '<compiler balanceinertia="true"/>',
    ),
    "settotalmass": mjcf(f"<body><joint/>{I}<body>{I}</body></body><body>{I}</body>", '<compiler settotalmass="9"/>'),
    "massless with child": mjcf(f"<body><joint/><body><body>{I}</body></body></body>"),
    "autolimits": mjcf(
        f'<body><joint range="-1 1" limited="true"/>{I}</body><body><joint limited="false" range="0 1"/>{I}</body>',
        '<compiler autolimits="false"/>',
    ),
    "limits": mjcf(
        f'<body><joint range="-10 20"/>{I}</body><body><joint limited="false" range="0 1"/>{I}</body>'
        f'<body><joint range="1 -1"/>{I}</body><body><joint type="slide" range="-2 3"/>{I}</body>'
    ),
    "gravity": mjcf(f"<body><joint/>{I}</body>", '<option gravity="1 2 3"/>'),
    "no gravity": mjcf(f"<body><joint/>{I}</body>", '<option gravity="1 2 3"><flag gravity="disable"/></option>'),
    "actuators": mjcf(
        f'<body><joint name="a" damping="1"/>{I}</body><body><joint name="b" type="ball"/>{I}</body>',
        '<default><motor armature="0.5" gear="2"/><default class="c"><position damping="0.3"/></default></default>',
        '<actuator><motor joint="a" gear="10" damping="4"/><position class="c" joint="a"/><general joint="b" gear="3"/>'
        "</actuator>",
    ),
    "sections repeat": "<mujoco><worldbody><body><joint range='-1 1'/>" + I + "</body></worldbody><compiler angle='radian'/>"
    "<worldbody><body euler='0 0 1'><joint/>" + I + "</body></worldbody><compiler eulerseq='zyx'/></mujoco>",
    "unnormalized": mjcf(f'<body quat="3 0 0 4"><joint axis="0 3 4" ref="10"/>{I}</body>'),
    "mocap": mjcf(f'<body mocap="true" pos="1 2 3"/><body><joint/>{I}</body>'),
    "plane": mjcf(f'<geom type="plane" size="1 1 1"/><body><geom type="plane" size="1 1 1"/></body><body><joint/>{I}</body>'),
}


@pytest.mark.parametrize("name", FEATURES)
def test_mjcf_feature(name, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "model.xml"
    path.write_text(FEATURES[name])
    model = mujoco.MjModel.from_xml_path(str(path))
    compare_with_mujoco(mujoco, model, path, np.random.default_rng(3))


BOTH_REFUSE = {
    "massless": mjcf(f'<body><joint/><body><joint axis="1 0 0"/>{I}</body></body>'),
    "no moments": mjcf('<body><joint/><inertial pos="0 0 0" mass="1"/></body>'),
    "zero moments": mjcf('<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 0"/></body>'),
    "indefinite": mjcf('<body><joint/><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 2 0 0"/></body>'),
    "free and hinge": mjcf(f"<body><freejoint/><joint/>{I}</body>"),
    "nested free": mjcf(f"<body><body><freejoint/>{I}</body></body>"),
    "joint of the world": mjcf("<joint/>"),
    "unknown class": mjcf(f'<body><joint class="none"/>{I}</body>'),
    "class twice": mjcf(f"<body><joint/>{I}</body>", '<default><default class="a"/><default class="a"/></default>'),
    "name twice": mjcf(f'<body name="a"><joint/>{I}</body><body name="a">{I}</body>'),
    "called world": mjcf(f'<body name="world"><joint/>{I}</body>'),
    "range without limited": mjcf(f'<body><joint range="0 1"/>{I}</body>', '<compiler autolimits="false"/>'),
    "limited without range": mjcf(f'<body><joint limited="true"/>{I}</body>'),
    "zero axis": mjcf(f'<body><joint axis="0 0 0"/>{I}</body>'),
    "two inertias": mjcf(
        '<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1" fullinertia="1 1 1 0 0 0"/></body>'
    ),
    "turned fullinertia": mjcf(
        '<body><joint/><inertial pos="0 0 0" mass="1" quat="1 0 0 0" fullinertia="1 1 1 0 0 0"/></body>'
    ),
    "sphere fromto": mjcf('<body><joint/><geom size="0.1" fromto="0 0 0 1 0 0"/></body>'),
    "size missing": mjcf('<body><joint/><geom type="box" size="0.1"/></body>'),
    "keyword": mjcf(f'<body><joint limited="True"/>{I}</body>'),
    "coordinate": mjcf(f"<body><joint/>{I}</body>", '<compiler coordinate="global"/>'),
    "pos and fromto": mjcf('<body><joint/><geom type="capsule" size="0.1" pos="1 0 0" fromto="0 0 0 1 0 0"/></body>'),
    "pos and fromto of a site": mjcf(
        f'<body><joint/>{I}<site name="s" type="capsule" size="0.1" pos="1 0 0" fromto="0 0 0 1 0 0"/></body>'
    ),
    "hinge after a ball": mjcf(f'<body><joint type="ball"/><joint/>{I}</body>'),
    "two balls": mjcf(f'<body><joint type="ball"/><joint type="ball"/>{I}</body>'),
    "range of a ball": mjcf(f'<body><joint type="ball" range="1 90"/>{I}</body>'),
    "seven degrees of freedom": mjcf(f"<body>{'<joint/>' * 7}{I}</body>"),
    "site twice": mjcf(f'<body><joint/>{I}<site name="s"/><site name="s"/></body>'),
    "geom twice": mjcf('<body><joint/><geom name="g" size="0.1"/><geom name="g" size="0.1"/></body>'),
    "joint twice": mjcf(f'<body><joint name="j"/>{I}</body><body><joint name="j"/>{I}</body>'),
    "actuator twice": mjcf(
        f'<body><joint name="j"/>{I}</body>', after='<actuator><motor name="m" joint="j"/><motor name="m" joint="j"/></actuator>'
    ),
    "tendon twice": mjcf(
        f'<body><joint name="j"/>{I}</body>',
        after="<tendon>" + '<fixed name="t"><joint joint="j" coef="1"/></fixed>' * 2 + "</tendon>",
    ),
}


def test_mjcf_tendons_of_default_classes(tmp_path):
    """What a tendon's spring does is left out, with a warning wherever the stiffness stands; MuJoCo moves by it."""
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "model.xml"
    tendon = '<tendon><fixed name="t"{}><joint joint="j" coef="2"/></fixed></tendon>'
    body = f'<body><joint name="j"/>{I}</body>'
    for before, own in (
        ("", ' stiffness="3" springlength="0.5"'),
        ('<default><tendon stiffness="3" springlength="0.5"/></default>', ""),
        ('<default><default class="c"><tendon stiffness="3" springlength="0.5"/></default></default>', ' class="c"'),
    ):
        path.write_text(mjcf(body, before, tendon.format(own)))
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        assert abs(data.qfrc_passive[0]) > 1
        assert any("stiffness of tendon 't'" in w for w in dump(path)["warnings"]), before
    path.write_text(mjcf(body, '<default><tendon stiffness="3"/></default>', tendon.format(' stiffness="0"')))
    assert not any("tendon" in w for w in dump(path)["warnings"])


@pytest.mark.parametrize("name", BOTH_REFUSE)
def test_mjcf_both_refuse(name, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "model.xml"
    path.write_text(BOTH_REFUSE[name])
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_path(str(path))
    assert isinstance(dump(path), str)


def test_mjcf_includes(tmp_path):
    """Beside the main file first, then beside the including one; never twice."""
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "sub").mkdir()
    (tmp_path / "main.xml").write_text('<mujoco><include file="sub/a.xml"/></mujoco>')
    (tmp_path / "sub" / "a.xml").write_text('<x><worldbody><include file="b.xml"/><include file="c.xml"/></worldbody></x>')
    (tmp_path / "b.xml").write_text(f'<x><body name="main"><joint/>{I}</body></x>')
    (tmp_path / "sub" / "b.xml").write_text(f'<x><body name="sub"><joint/>{I}</body></x>')
    (tmp_path / "sub" / "c.xml").write_text(f'<x><body name="c1"><joint/>{I}</body><body name="c2"><joint/>{I}</body></x>')
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "main.xml"))
    ours = compare_with_mujoco(mujoco, model, tmp_path / "main.xml", np.random.default_rng(4))
    assert [b["name"] for b in ours["bodies"]] == ["main", "c1", "c2"]
    (tmp_path / "sub" / "c.xml").write_text('<x><include file="b.xml"/></x>')
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_path(str(tmp_path / "main.xml"))
    assert "b.xml" in dump(tmp_path / "main.xml")


def test_mjcf_ellipsoid_shell(tmp_path):
    """MuJoCo takes the difference of two ellipsoids 1e-6 apart; Hamel has the limit."""
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "model.xml"
    path.write_text(mjcf('<body><joint/><geom type="ellipsoid" size="0.3 0.5 0.7" shellinertia="true"/></body>'))
    model = mujoco.MjModel.from_xml_path(str(path))
    body = dump(path)["bodies"][0]
    assert_close(body["mass"], model.body_mass[1], "mass")
    assert np.allclose(np.diag(np.reshape(body["moment"], (3, 3))), model.body_inertia[1], rtol=1e-5, atol=0)
