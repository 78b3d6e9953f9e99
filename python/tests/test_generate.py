"""C source for one robot."""

import shutil
import subprocess

import hamel
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


def test_target():
    robot = hamel.load("quadruped")
    assert "vector_size" in robot.generate_text(target="vector")[0]
    assert "vector_size" not in robot.generate_text()[0]
    with pytest.raises(ValueError, match="vector"):
        robot.generate_text(target="avx")


def test_estimate_and_refusals(tmp_path):
    robot = hamel.load("humanoid")
    assert robot.generate_estimate(functions="mass_matrix") < robot.generate_estimate()
    with pytest.raises(ValueError, match="mass_matrix"):
        robot.generate_text(functions="mass")
    with pytest.raises(hamel.Error):
        robot.generate(tmp_path / "robot.cpp")
    assert not list(tmp_path.iterdir())
