"""Models: built, asked, changed, written, copied."""

import copy
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import state

import hamel


def two_links(gravity=None):
    builder = hamel.Builder("two", gravity=gravity)
    builder.add_body(
        "upper", None, "revolute", axis=[0, 1, 0], mass=1, com=[0, 0, -0.5], moment=np.diag([0.1, 0.1, 0.01])
    )
    builder.add_body("lower", "upper", "revolute", joint="knee", axis=[0, 1, 0], position=[0, 0, -1], mass=2,
                     com=[0, 0, -0.5], moment=np.diag([0.2, 0.2, 0.02]), damping=0.3, lower=-1, upper=2)  # fmt: skip
    return builder.add_frame("foot", "lower", [0, 0, -1])


def test_builder():
    robot = two_links([0, 0, -10]).build()
    assert robot.velocity_names == ("upper", "knee") and robot.mass == 3 and robot.name == "two"
    knee = robot.joints[1]
    assert (knee.name, knee.type, knee.q, knee.nv, knee.actuated) == ("knee", "revolute", 1, 1, True)
    assert knee.damping[0] == 0.3 and knee.upper[0] == 2 and robot.bodies[1].parent == 0
    # by hand: both links hang straight down and swing as one
    assert np.allclose(robot.mass_matrix([0, 0])[0, 0], 0.1 + 0.25 + 0.2 + 2 * 1.5**2)
    assert np.allclose(robot.frame("foot", [np.pi / 2, 0]).pose[:3, 3], [-2, 0, 0])
    assert np.allclose(robot.bias([np.pi / 2, 0], [0, 0])[0], 10 * (0.5 + 2 * 1.5))


def test_builder_by_screws():
    """A joint by its screw is the joint by its axis."""
    axis, point = np.array([0, 0.6, 0.8]), np.array([0.1, 0.2, 0.3])
    screw = np.concatenate([np.cross(point, axis), axis])
    a = hamel.Builder().add_body("b", screw=screw, position=[1, 2, 3], mass=1, moment=np.eye(3)).build()
    b = hamel.Builder().add_body("b", axis=axis, point=point, position=[1, 2, 3], mass=1, moment=np.eye(3)).build()
    assert np.allclose(a.body_poses([0.7]), b.body_poses([0.7]), atol=1e-14)


@pytest.mark.parametrize(
    "arguments, words, sentence",
    [
        (("b", "nobody"), {"axis": [1, 0, 0]}, "nobody"),
        (("b", None, "ball"), {}, "there is no joint type 'ball'"),
        (("b",), {"axis": [0, 0, 0]}, "axis"),
        (("b",), {"axis": [1, 0, 0], "mass": -1}, "mass"),
        (("b",), {"axes": [1, 0, 0]}, "no argument 'axes'"),
        (("b",), {"axis": [1, 0]}, "axis has 2 numbers, expected 3"),
    ],
)
def test_builder_complains(arguments, words, sentence):
    with pytest.raises((hamel.Error, TypeError), match=sentence):
        hamel.Builder().add_body(*arguments, **words).build()


def test_edit(quadruped):
    q, v, _, tau = state(quadruped, 1)
    robot = two_links().build()
    both = quadruped.append(robot, "trunk" if "trunk" in [b.name for b in quadruped.bodies] else 0, prefix="arm_")
    assert both.nv == quadruped.nv + 2 and "arm_knee" in both.velocity_names
    joints = [j.name for j in quadruped.joints if "knee" in j.name]
    stiff = quadruped.lock(joints, q)
    assert stiff.nv == quadruped.nv - len(joints) and np.isclose(stiff.mass, quadruped.mass)
    moved, _ = quadruped.transfer(stiff, q)
    assert np.isclose(
        stiff.dynamics(moved, np.zeros(stiff.nv)).potential_energy, quadruped.dynamics(q, 0 * v).potential_energy
    )
    other = quadruped.reroot(quadruped.bodies[-1].name)
    rq, rv = quadruped.reroot_state(other, q, v)
    assert np.isclose(other.dynamics(rq, rv).kinetic_energy, quadruped.dynamics(q, v).kinetic_energy)
    assert np.isclose(quadruped.scale(mass=2).mass, 2 * quadruped.mass)
    assert quadruped.realign().differs(quadruped, 0) is None
    with pytest.raises(ValueError, match="tolerance"):
        quadruped.realign(0.1)
    moon = quadruped.with_gravity([0, 0, -1.62])
    assert moon.gravity[2] == -1.62 and quadruped.gravity[2] == -9.81
    b = quadruped.bodies
    same = quadruped.with_inertias([x.mass for x in b], [x.com for x in b], [x.moment for x in b])
    assert same.differs(quadruped, 1e-12) is None and "gravity" in moon.differs(quadruped)
    heavy = quadruped.with_parameters(2 * quadruped.parameters())
    rotors = np.diag(np.concatenate([j.armature for j in quadruped.joints]))
    assert np.allclose(heavy.mass_matrix(q) - rotors, 2 * (quadruped.mass_matrix(q) - rotors), atol=1e-12)
    assert quadruped.world_inertia.shape == (10,) and not quadruped.world_inertia.any()
    assert quadruped.layout_joint(0) == (0, 7, 0, 6, -1)
    assert hamel.Subgroup.of_joint("planar").name == "SE(2)"
    with pytest.raises(hamel.NotFoundError, match="no joint is called 'tail'"):
        quadruped.lock(["tail"])
    assert hamel.Builder(model=robot).build().differs(robot) is None


def test_files(robot, tmp_path):
    path = tmp_path / "robot.json"
    robot.save_json(path)
    assert hamel.load(path).differs(robot) is None
    assert hamel.loads(robot.to_json(), "x.json").differs(robot) is None
    assert path.read_text() == robot.to_json()


def test_urdf(tmp_path):
    robot = two_links().build()
    robot.save_urdf(tmp_path / "robot.urdf")
    again = hamel.load(tmp_path / "robot.urdf", base="fixed")
    assert np.allclose(again.mass_matrix([0.1, 0.2]), robot.mass_matrix([0.1, 0.2]))
    assert hamel.load(tmp_path / "robot.urdf", base="free", base_name="root").velocity_names[0] == "root.0"
    assert hamel.load(tmp_path / "robot.urdf", base="fixed", passive=False).joints[1].damping[0] == 0
    with pytest.raises(hamel.UnsupportedError, match="gravity"):
        robot.with_gravity([0, 0, -1]).to_urdf()


def test_copies(robot):
    q, v, _, tau = state(robot, 2)
    x = robot.linearize(q, v, tau)
    for twin in (
        pickle.loads(pickle.dumps(robot)),
        copy.copy(robot),
        copy.deepcopy(robot),
        hamel.Model.from_bytes(robot.to_bytes()),
    ):
        assert twin == robot and hash(twin) == hash(robot) and twin is not robot
        assert np.array_equal(twin.linearize(q, v, tau).A, x.A)
    again = pickle.loads(pickle.dumps(x))
    assert np.array_equal(again.A, x.A) and np.array_equal(again.B, x.B) and again.input_names == x.input_names
    d = pickle.loads(pickle.dumps(robot.dynamics(q, v)))
    assert np.array_equal(d.M, robot.dynamics(q, v).M)
    group = pickle.loads(pickle.dumps(hamel.Subgroup("H", [0, 0, 2.0], 0.5)))
    assert (group.name, group.pitch, list(group.axis)) == ("H", 0.5, [0, 0, 1])
    for broken in (b"", b"x" * 1000, robot.to_bytes()[:-8]):
        with pytest.raises(hamel.Error):
            hamel.Model.from_bytes(broken)


def test_another_process(quadruped):
    code = "import pickle, sys; m = pickle.load(sys.stdin.buffer); print(m.name, m.nv)"
    run = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(quadruped), capture_output=True, check=True)
    assert run.stdout.split() == [b"quadruped", b"18"]


def test_random_models_are_the_same_everywhere():
    assert hamel.random_model(3) == hamel.random_model(3) != hamel.random_model(4)
    with pytest.raises(hamel.InvalidArgumentError):
        hamel.random_model(1, shape="ring")


def test_infos_cannot_be_changed(quadruped):
    with pytest.raises(ValueError):
        quadruped.bodies[0].com[0] = 1
    with pytest.raises(AttributeError):
        quadruped.nv = 3
    assert quadruped.frame_index(quadruped.frames[2].name) == 2
    assert quadruped.actuated.sum() == 12 and not quadruped.actuated[:6].any()


def test_what_the_wheel_carries():
    assert (hamel.include() / "hamel" / "hamel.h").exists() and (hamel.library() / "libhamel.a").exists()
    said = [subprocess.run([*p, "--version"], capture_output=True, text=True, check=True).stdout
            for p in ([str(hamel.command())], [sys.executable, "-m", "hamel"])]  # fmt: skip
    assert said[0] == said[1] and hamel.__version__ in said[0]
    run = subprocess.run([sys.executable, "-m", "hamel", "info", "nothing.urdf"], capture_output=True, text=True)
    assert run.returncode == 1 and run.stderr.startswith("hamel: nothing.urdf: ")


def test_robots_by_name():
    """Robots of example-robot-data, if it is there."""
    try:
        path = hamel.find("anymal_b")
    except hamel.NotFoundError:
        pytest.skip("example-robot-data is not there")
    assert isinstance(path, pathlib.Path) and path.suffix == ".urdf"
    assert hamel.load("anymal_b").nv == 18 and hamel.load("ur5").nv >= 6
    assert path.name == "anymal.urdf" and hamel.find("anymal_b_simple_description") == path
    assert hamel.find("solo12").name == "solo12.urdf"
    with pytest.raises(hamel.NotFoundError, match="may be any of .*anymal_b.*anymal_c"):
        hamel.load("anymal")
    with pytest.raises(hamel.NotFoundError, match="may be any of .*talos_full_v2"):
        hamel.load("talos")


@pytest.mark.parametrize("name", ["", "t", "*", "?", "quadrupe", "Quadruped", "[a]1", "anymal_", "..", "robots", "a1*"])
def test_names_are_not_guessed(name, tmp_path, monkeypatch):
    """Neither prefixes nor patterns nor capitals name a robot, and what is missing is not replaced by another robot."""
    robots = tmp_path / "share" / "example-robot-data" / "robots"
    for folder, files in {"a1_description": ["a1"], "anymal_b_simple_description": ["anymal", "anymal-kinova"],
                          "talos_data": ["talos_full", "talos_reduced"]}.items():  # fmt: skip
        (robots / folder / "urdf").mkdir(parents=True)
        for file in files:
            two_links().build().save_urdf(robots / folder / "urdf" / f"{file}.urdf")
    monkeypatch.setattr(hamel._load, "_example_robots", lambda: iter([robots]))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(hamel.Error) as e:
        hamel.load(name)
    assert isinstance(e.value, (hamel.NotFoundError, hamel.CannotReadError)), e.value
    assert hamel.find("anymal_b").name == "anymal.urdf" and hamel.load("a1", base="fixed").nv == 2


def test_text_includes_below_its_folder(tmp_path):
    """What a text in memory includes lies in the folder of its name or below; a file may include every file."""
    part = '<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody></mujoco>'
    (tmp_path / "part.xml").write_text(part)
    (tmp_path / "sub").mkdir()
    text = '<mujoco><include file="{}"/></mujoco>'
    name = str(tmp_path / "main.xml")
    assert hamel.loads(text.format("part.xml"), name).nv == 1
    for outside in (tmp_path / "part.xml", "sub/../../part.xml", "/etc/passwd"):
        with pytest.raises(hamel.UnsupportedError, match="not below the folder"):
            hamel.loads(text.format(outside), name)
    with pytest.raises(hamel.UnsupportedError, match="has no folder"):
        hamel.loads(text.format("part.xml"), format="mjcf")
    (tmp_path / "sub" / "main.xml").write_text(text.format("../part.xml"))
    assert hamel.load(tmp_path / "sub" / "main.xml").nv == 1


def test_folders_without_a_robot_are_not_meant(tmp_path, monkeypatch):
    """A folder with files of other formats gives no name that could be loaded."""
    robots = tmp_path / "share" / "example-robot-data" / "robots"
    (robots / "cassie_description" / "sdf").mkdir(parents=True)
    (robots / "cassie_description" / "sdf" / "cassie.sdf").touch()
    monkeypatch.setattr(hamel._load, "_example_robots", lambda: iter([robots]))
    for name in ("cassie", "cassi"):
        with pytest.raises(hamel.NotFoundError) as e:
            hamel.load(name)
        assert "'cassie' is meant" not in str(e.value)


def test_names_that_were_perhaps_meant(tmp_path):
    for name in ("quadrupe", "Quadruped", "quadruped "):
        with pytest.raises(hamel.NotFoundError, match="perhaps 'quadruped'"):
            hamel.load(name)
    with pytest.raises(hamel.CannotReadError):
        hamel.load(tmp_path / "quadruped")
    with pytest.raises(hamel.CannotReadError):
        hamel.load("quadruped.json")


def test_robot_descriptions(tmp_path, monkeypatch):
    """A robot of robot_descriptions, whose modules say where its file is."""
    package = tmp_path / "robot_descriptions"
    package.mkdir()
    (package / "__init__.py").touch()
    two_links().build().save_urdf(tmp_path / "toy.urdf")
    (package / "toybot_description.py").write_text(f"URDF_PATH = {str(tmp_path / 'toy.urdf')!r}")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "robot_descriptions", raising=False)
    assert hamel.find("toybot") == tmp_path / "toy.urdf"
    assert hamel.load("toybot", base="fixed").nv == 2


def test_what_is_fixed_to_the_world_has_inertia(tmp_path):
    moment = np.diag([1.0, 2.0, 2.5])
    builder = hamel.Builder().add_body("plinth", None, "fixed", mass=2, position=[0, 0, 2])
    builder.add_body("arm", axis=[0, 1, 0], mass=1)
    robot = builder.set_world_inertia(2, [0, 0, 0], moment).build()
    assert robot.world_inertia[0] == 4 and np.allclose(robot.world_inertia[1:4], [0, 0, 4])
    robot.save_json(tmp_path / "robot.json")
    again = hamel.load(tmp_path / "robot.json")
    assert (again.world_inertia == robot.world_inertia).all() and again.differs(robot) is None
    with pytest.raises(hamel.BadModelError):
        builder.set_world_inertia(-1)
    with pytest.raises(hamel.NotFiniteError):
        builder.set_world_inertia(1, [0, 0, np.nan])
    with pytest.raises(hamel.InvalidArgumentError):
        builder.set_world_inertia(1, [0, 0])


def test_keyframes():
    """From MJCF, where qvel has a base's linear velocity in the world; from a builder; through files and bytes."""
    text = """<mujoco><worldbody><body name="trunk" pos="1 2 3"><freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><body name="leg"><joint name="hip" axis="0 1 0"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody>
      <keyframe><key name="home" qpos="0 0 2 0.6 0 0.8 0 0.1" qvel="1 2 3 4 5 6 7"/></keyframe></mujoco>"""
    robot = hamel.loads(text, format="mjcf")
    assert list(robot.keyframes) == ["start", "home"]
    q, v = robot.keyframes["home"]
    assert np.allclose(q, [0, 0, 2, 0.6, 0, 0.8, 0, 0.1], atol=1e-15)
    assert np.allclose(robot.velocity_to(q, v, "split"), [1, 2, 3, 4, 5, 6, 7], atol=1e-14)
    assert np.array_equal(robot.keyframes["start"][0], [1, 2, 3, 1, 0, 0, 0, 0])
    for again in (hamel.loads(robot.to_json(), format="json"), hamel.Model.from_bytes(robot.to_bytes())):
        assert robot.differs(again) is None
        assert np.array_equal(again.keyframes["home"][1], v)
    built = hamel.Builder(model=robot).add_keyframe("home", "hip", 0.2).add_keyframe("rest").build()
    assert built.keyframes["home"][0][7] == 0.2 and np.array_equal(built.keyframes["rest"][0], built.neutral())
    assert "keyframe" in robot.differs(built)
    with pytest.raises(hamel.NotFoundError, match="knee"):
        hamel.Builder(model=robot).add_keyframe("home", "knee", 0.2)
    with pytest.raises(hamel.InvalidArgumentError, match="1 positions"):
        hamel.Builder(model=robot).add_keyframe("home", "hip", [0.2, 0.3])
    with pytest.raises(TypeError):
        hamel.Builder(model=robot).add_keyframe("home", "hip", "bent")


def test_hulls_have_vertices():
    builder = hamel.Builder()
    builder.add_body("box", None, "free", mass=1.0, moment=np.eye(3))
    corners = [[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (0, 3)]
    model = builder.add_shape("box", "hull", vertices=corners).add_shape("box", "sphere", 0.5).build()
    assert [s.kind for s in model.shapes] == ["hull", "sphere"]
    np.testing.assert_array_equal(model.shapes[0].vertices, corners)
    assert model.shapes[1].vertices.shape == (0, 3)
    assert hamel.Contact(model, [hamel.Plane()]).lowest(model.neutral()).gap == -0.5
    with pytest.raises(hamel.InvalidArgumentError, match="vertices are points"):
        builder.add_shape("box", "hull", vertices=[1, 2, 3])
    with pytest.raises(hamel.Error, match="1 to 64"):
        builder.add_shape("box", "hull")
