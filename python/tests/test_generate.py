"""C source for one robot."""

import shutil
import subprocess

import hamel
import numpy as np
import pytest


def test_files_appear_and_compile(tmp_path):
    robot = hamel.load("pendulum")
    robot.generate(tmp_path / "pendulum.c", test=True, test_states=4)
    assert "int pendulum_linearize(" in (tmp_path / "pendulum.h").read_text()
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no compiler")
    files = ["pendulum.c", "pendulum_test.c", "-lm", "-o", "pendulum"]
    subprocess.run([compiler, "-std=c11", *files], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "pendulum"], check=True, capture_output=True, text=True)
    assert "agrees" in done.stdout


def test_texts_are_those_of_the_files(tmp_path):
    robot = hamel.load("quadruped")
    source, header, test = robot.generate_text(functions="mass_matrix", single=True, prefix="dog")
    assert test is None
    robot.generate(tmp_path / "dog.c", functions="mass_matrix", single=True)
    assert (tmp_path / "dog.c").read_text() == source
    assert (tmp_path / "dog.h").read_text() == header
    assert "dog_linearize" not in header


@pytest.mark.skipif(not shutil.which("cc"), reason="no compiler")
def test_frames_and_holds(tmp_path):
    robot = hamel.load("quadruped")
    holds = ["fl_foot", hamel.Hold("hr_foot", "frame")]
    robot.generate(
        tmp_path / "dog.c", functions="frames,held_linearize", frames=["imu", "fl_foot"], holds=holds, test=True, test_states=2
    )
    header = (tmp_path / "dog.h").read_text()
    assert "DOG_FRAME_FL_FOOT = 1" in header
    assert "DOG_NROWS = 9" in header
    files = ["dog.c", "dog_test.c", "-lm", "-o", "dog"]
    subprocess.run([shutil.which("cc"), "-std=c11", *files], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "dog"], check=True)


def test_what_cannot_be_held_is_refused():
    robot = hamel.load("quadruped")
    assert "_frames(" not in robot.generate_text()[1]
    assert "_step_linearize(" in robot.generate_text()[1]
    with pytest.raises(hamel.Error, match="held points"):
        robot.generate_text(holds=[hamel.Hold("fl_foot", "plane")])
    with pytest.raises(hamel.Error, match="loops"):
        robot.generate_text(holds=[hamel.Hold("fl_foot", other="fr_foot")])
    with pytest.raises(hamel.Error, match="needs frames"):
        robot.generate_text(functions="held_linearize")
    with pytest.raises((hamel.Error, KeyError), match="fl_fot"):
        robot.generate_text(frames=["fl_fot"])
    with pytest.raises(TypeError, match="names"):
        robot.generate_text(frames=3)


def test_target():
    robot = hamel.load("quadruped")
    assert "vector_size" in robot.generate_text(target="vector")[0]
    assert "vector_size" not in robot.generate_text()[0]
    assert "_linearize_batch(int n" in robot.generate_text(batch=True)[1]
    assert "_linearize_batch(int n" not in robot.generate_text()[1]
    with pytest.raises(ValueError, match="vector"):
        robot.generate_text(target="avx")


@pytest.mark.skipif(not shutil.which("cc"), reason="no compiler")
@pytest.mark.parametrize("name", ["pendulum", "quadruped"])
def test_compiled_models_agree(name, tmp_path):
    robot = hamel.load(name)
    fast = robot.compile(cache=tmp_path, always=True)
    assert fast.compiled_note() is None
    assert robot.compiled_note() is not None
    rng = np.random.default_rng(1)
    q = np.array([robot.random(seed=i) for i in range(5)])
    v, tau = rng.uniform(-1, 1, (2, 5, robot.nv))
    for row in (slice(None), 2):
        for options in ({}, {"representation": "mixed"}):
            a = robot.linearize(q[row], v[row], tau[row], **options)
            b = fast.linearize(q[row], v[row], tau[row], **options)
            for x, y in ((a.A, b.A), (a.B, b.B), (a.acceleration, b.acceleration)):
                assert abs(x - y).max() < 1e-11 * abs(x).max()
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert len(kept) == 1
    robot.compile(cache=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == kept
    bad = v[0].copy()
    bad[0] = np.nan
    with pytest.raises(hamel.Error):
        fast.linearize(q[0], bad)


def test_without_a_compiler_the_library_does_the_work(tmp_path):
    robot = hamel.load("pendulum")
    slow = robot.compile(compiler="no-such-compiler", cache=tmp_path)
    assert "compiler" in slow.compiled_note()
    assert not list(tmp_path.iterdir())
    zero = np.zeros(robot.nv)
    assert (slow.linearize(robot.neutral(), zero).A == robot.linearize(robot.neutral(), zero).A).all()


def test_estimate_and_refusals(tmp_path):
    robot = hamel.load("humanoid")
    assert robot.generate_estimate(functions="mass_matrix") < robot.generate_estimate()
    with pytest.raises(ValueError, match="mass_matrix"):
        robot.generate_text(functions="mass")
    with pytest.raises(hamel.Error):
        robot.generate(tmp_path / "robot.cpp")
    assert not list(tmp_path.iterdir())
