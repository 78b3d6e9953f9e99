"""Robots for the tests. Random numbers have fixed seeds; a failing case prints its arguments."""

import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import hamel

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def quadruped():
    return hamel.load("quadruped")


@pytest.fixture(scope="session", params=[*hamel.builtin_names(), "random"])
def robot(request):
    """Every robot of the library, and one with every kind of joint."""
    if request.param != "random":
        return hamel.load(request.param)
    joints = (
        "revolute prismatic helical cylindrical universal planar spherical translation2 translation3 schoenflies free"
    )
    return hamel.random_model(6, nbodies=14, joints=joints.split(), passive=0.5, nframes=2)


def state(model, seed=0, n=None):
    """A configuration, two velocities and a force."""
    rng = np.random.default_rng(seed)
    shape = (model.nv,) if n is None else (n, model.nv)
    return (model.random(seed, n), *(rng.uniform(-1, 1, shape) for _ in range(3)))


@pytest.fixture(scope="session")
def emulated(tmp_path_factory):
    """libhamel-cuda over the emulator, loaded as hamel.cuda would load the real one"""
    compiler = shutil.which("cc")
    archive = hamel.library() / "libhamel.a"
    if not compiler or not archive.exists():
        pytest.skip("needs a C compiler and the package's libhamel.a")
    folder = tmp_path_factory.mktemp("cuda")
    flags = ["-std=c11", "-O0", "-fPIC", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE"]
    flags += [f"-I{ROOT / name}" for name in ("include", "src", "tests/cuda")]
    objects = []

    def build(source, *more):
        objects.append(str(folder / f"{len(objects)}.o"))
        return subprocess.Popen([compiler, *flags, *more, "-c", str(ROOT / source), "-o", objects[-1]])

    jobs = [build("tests/cuda/emulate.c", f"-DHML_NUM_{t.upper()}", f"-DHML_TYPE={t}") for t in ("f32", "f64")]
    jobs += [build(path.relative_to(ROOT)) for path in sorted((ROOT / "src/cuda").glob("*.c"))]
    jobs += [build(f"tests/cuda/{name}") for name in ("emulator.c", "device_emulated.c", "streams_emulated.c")]
    assert not any([job.wait() for job in jobs])
    path = folder / "libhamel-cuda.so"
    subprocess.run([compiler, "-shared", "-o", path, *objects, archive, "-lm"], check=True)
    cuda = hamel.cuda
    before = os.environ.get("HAMEL_CUDA_LIBRARY")
    os.environ["HAMEL_CUDA_LIBRARY"] = str(path)
    cuda._loaded.clear()
    yield cuda
    cuda._loaded.clear()
    if before is None:
        del os.environ["HAMEL_CUDA_LIBRARY"]
    else:
        os.environ["HAMEL_CUDA_LIBRARY"] = before
