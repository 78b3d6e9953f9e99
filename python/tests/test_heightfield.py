"""Ground that is a grid of heights. See tests/unit/sim/test_heightfield.c for what it does to every shape."""

import json

import numpy as np
import pytest

import hamel

MJCF = """<mujoco><asset><hfield name="t" size="1 0.8 0.2 0.1" %s/></asset><worldbody>
<geom type="hfield" hfield="t" pos="0 0 0.1" friction="0.7 0 0"/></worldbody></mujoco>"""

BALL = """{"name": "point", "bodies": [{"name": "body", "parent": null, "joint": {"name": "base", "type": "free"}, "inertia":
{"mass": 1, "com": [0, 0, 0], "moment": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}], "shapes": [{"body": "body", "type": "point"}]}"""


@pytest.fixture
def robot():
    return hamel.load("quadruped")


def test_flat_grid_is_the_plane(robot):
    plane = hamel.Contact(robot, [hamel.Plane(friction=0.8)])
    grid = hamel.Contact(robot, [], heightfields=[hamel.Heightfield(np.zeros((7, 9)), 0.3, friction=0.8)])
    times = np.linspace(0, 0.5, 6)
    q, v = hamel.simulate(robot, robot.neutral(), None, times, contact=plane, height=0.1)
    p, w = hamel.simulate(robot, robot.neutral(), None, times, contact=grid, height=0.1)
    assert np.abs(p - q).max() < 1e-9 and np.abs(w - v).max() < 1e-7
    assert grid.points() and all(point.other == -1 for point in grid.points())


def test_grid_beside_a_plane(robot):
    """The grid is a step of 0.2 m that reaches x = -1 … 1; what stands beside it stands on the plane."""
    step = hamel.Heightfield(np.full((3, 3), 0.2), (1.0, 1.0), position=(0, 0, -0.05), friction=0.8)
    contact = hamel.Contact(robot, [hamel.Plane(friction=0.8)], heightfields=[step])
    q = robot.neutral()
    over_plane, over_grid = contact.place(q), contact.place(q, plane=1)
    assert over_grid[2] - over_plane[2] == pytest.approx(0.15, abs=1e-9)
    q[0] = 5
    assert contact.lowest(q, plane=1).shape == -1


def test_start_inside_is_refused_or_lifted(robot):
    grid = hamel.Contact(robot, [], heightfields=[hamel.Heightfield(np.full((4, 4), 0.5), 1.0, friction=0.8)])
    with pytest.raises(hamel.InvalidArgumentError, match="inside the ground"):
        hamel.simulate(robot, robot.neutral(), None, [0, 0.01], contact=grid)
    q, _ = hamel.simulate(robot, robot.neutral(), None, [0, 0.01], contact=grid, lift=True)
    assert q[0, 2] == pytest.approx(0.94, abs=1e-9)


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"heights": [[1.0]]}, "at least 2 x 2"),
        ({"heights": [1.0, 2.0]}, "at least 2 x 2"),
        ({"heights": [[0, 0], [0, np.nan]]}, "row 1, column 1 is nan"),
        ({"heights": np.zeros((2, 2)), "spacing": -1}, "positive lengths"),
        ({"heights": np.zeros((2, 2)), "spacing": (1, 0)}, "positive lengths"),
        ({"heights": np.zeros((2, 2)), "spacing": (1, 1, 1)}, "positive lengths"),
    ],
)
def test_bad_fields(arguments, sentence):
    with pytest.raises(hamel.InvalidArgumentError, match=sentence):
        hamel.Heightfield(**arguments)


def test_files(tmp_path):
    heights = np.random.default_rng(3).random((3, 4))
    np.save(tmp_path / "a.npy", np.asfortranarray(heights))
    np.savez(tmp_path / "a.npz", heights=heights.astype(np.float32), spacing=[0.1, 0.2], position=[1, 2, 3], friction=0.4)
    np.savetxt(tmp_path / "a.csv", heights, delimiter=",", header="rows along y")
    (tmp_path / "a.json").write_text(json.dumps({"heights": heights.tolist(), "spacing": 0.1, "restitution": 0.5}))
    assert np.array_equal(hamel.Heightfield.load(tmp_path / "a.npy", 0.3).heights, heights)
    packed = hamel.Heightfield.load(tmp_path / "a.npz")
    assert np.allclose(packed.heights, heights, atol=1e-7) and packed.friction == 0.4
    assert list(packed.spacing) == [0.1, 0.2] and list(packed.position) == [1, 2, 3]
    assert np.array_equal(hamel.Heightfield.load(tmp_path / "a.csv", 0.3).heights, heights)
    text = hamel.Heightfield.load(str(tmp_path / "a.json"), friction=0.3)
    assert np.array_equal(text.heights, heights) and text.restitution == 0.5 and text.friction == 0.3
    with pytest.raises(hamel.InvalidArgumentError, match="give spacing"):
        hamel.Heightfield.load(tmp_path / "a.npy")


@pytest.mark.parametrize(
    "more, sentence",
    [
        ({"friction": -1}, "the friction is -1"),
        ({"friction": np.nan}, "the friction is nan"),
        ({"friction": "high"}, "friction is text"),
        ({"postion": [0, 0, 1]}, "an array 'postion', which such files do not have"),
    ],
)
def test_bad_archives(tmp_path, more, sentence):
    """What a file says is used or refused, not left aside."""
    np.savez(tmp_path / "a.npz", heights=np.zeros((2, 2)), **more)
    with pytest.raises(hamel.BadFileError, match=sentence):
        hamel.Heightfield.load(tmp_path / "a.npz", 1.0)


@pytest.mark.parametrize(
    "name, text, sentence",
    [
        ("a.csv", "1,2\n3,nan\n", "entry 2 is not a finite number"),
        ("a.csv", "1,2\n3\n", "row 2 has 1 heights"),
        ("a.csv", "1\n", "two rows and two columns"),
        ("a.csv", "", "two rows and two columns"),
        ("a.json", '{"heights": [[1, 2], [3, 4]], "spacing": -1}', "positive length"),
        ("a.json", '{"heights": [[1, 2], [3, "x"]]}', "/heights/1/1: is not a number"),
        ("a.json", '{"height": [[1, 2], [3, 4]]}', "/heights: is missing"),
        ("a.npy", "no array", "not an NPY file"),
        ("a.npz", "no archive", "not an NPZ file"),
        ("a.tif", "", "not a file of heights"),
        ("a.xml", "<mujoco><worldbody/></mujoco>", "no geom of type hfield"),
        ("a.xml", MJCF % 'nrow="2" ncol="2" elevation="1 2 3"', "2 × 2 numbers"),
        ("a.xml", MJCF % 'nrow="1" ncol="2"', "two rows and two columns"),
        ("a.xml", MJCF % 'file="a.png"', "PNG files are not read"),
        ("a.xml", MJCF % 'file="b.bin"', "was not found"),
    ],
)
def test_bad_files(tmp_path, name, text, sentence):
    (tmp_path / name).write_text(text)
    with pytest.raises(hamel.Error, match=sentence):
        hamel.Heightfield.load(tmp_path / name, 1.0)


def test_mjcf_is_what_mujoco_reads(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    with open(tmp_path / "t.bin", "wb") as file:
        np.array([3, 4], np.int32).tofile(file)
        np.arange(12, dtype=np.float32).tofile(file)
    for said in ('nrow="3" ncol="4" elevation="5 1 9 3 4 2 6 7 8 1 10 11"', 'file="t.bin"'):
        path = tmp_path / "t.xml"
        path.write_text(MJCF % said)
        field, model = hamel.Heightfield.load(path), mujoco.MjModel.from_xml_path(str(path))
        assert np.allclose(field.heights, 0.2 * model.hfield_data.reshape(3, 4), atol=1e-7)
        assert np.allclose(field.spacing, [2 / 3, 0.8]) and list(field.position) == [0, 0, 0.1] and field.friction == 0.7
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        robot = hamel.loads(BALL)
        contact = hamel.Contact(robot, [], heightfields=[field])
        for x, y in np.random.default_rng(5).uniform(-0.6, 0.6, (20, 2)):  # a ray, and a point that is dropped
            geom = np.array([-1], np.int32)
            down = mujoco.mj_ray(model, data, np.array([x, y, 2.0]), np.array([0, 0, -1.0]), None, 1, -1, geom)
            assert contact.lowest([x, y, 2.0, 1, 0, 0, 0]).gap == pytest.approx(down, abs=1e-7)


def test_bad_settings(robot):
    with pytest.raises(hamel.InvalidArgumentError):
        hamel.Contact(robot, [], heightfields=[hamel.Heightfield(np.zeros((2, 2)), 1.0, rotation=2 * np.eye(3))])
    with pytest.raises((TypeError, AttributeError)):
        hamel.Contact(robot, [], heightfields=[hamel.Plane()])
