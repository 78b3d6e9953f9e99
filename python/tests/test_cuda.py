"""hamel.cuda without a GPU: on the emulated device of the C tests, which is compiled here, and the sentences of its absence."""

import ctypes.util
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import hamel
from conftest import ROOT
from hamel import _cuda_arrays


class OnGpu:
    """An array that says it lies on a GPU: the emulated device has the memory of the host."""

    def __init__(self, x):
        self.x = np.ascontiguousarray(x)
        self.shape = self.x.shape

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.x.dtype.str, "data": (self.x.ctypes.data, False), "version": 3}


def states(robot, n, dtype="float64"):
    rng = np.random.default_rng(3)
    q = robot.random(1, n)
    return tuple(x.astype(dtype) for x in (q, rng.normal(size=(n, robot.nv)), rng.normal(size=(n, robot.nv))))


def test_device(emulated):
    assert emulated.available()
    assert emulated.device().name == "emulated"
    with pytest.raises(hamel.NotFoundError, match="no GPU 7"):
        emulated.Batch(hamel.load("pendulum"), device=7)


@pytest.mark.parametrize("name", ["quadruped", "arm7"])
def test_linearize_is_the_cores(emulated, name):
    robot = hamel.load(name)
    q, v, tau = states(robot, 5)
    batch = emulated.Batch(robot)
    x = batch.linearize(q, v, tau, select=["acceleration", "Dq", "Dv", "Minv", "A", "B"])
    want = robot.linearize(q, v, tau)
    assert isinstance(x.A, np.ndarray) and not x.status.any()
    for part in ("acceleration", "Dq", "Dv", "Minv", "A", "B"):
        scale = abs(getattr(want, part)).max()
        assert abs(getattr(x, part) - getattr(want, part)).max() < 1e-12 * scale
    there = batch.linearize(OnGpu(q), OnGpu(v), OnGpu(tau))  # used where it lies
    assert isinstance(there.Dq, emulated.Array)
    assert np.array_equal(there.Dq.numpy(), x.Dq) and there.A is None
    assert np.array_equal(batch.forward_dynamics(OnGpu(q), OnGpu(v), OnGpu(tau)).numpy(), x.acceleration)


def test_float32_and_leading_dimensions(emulated):
    robot = hamel.load("quadruped")
    q, v, tau = states(robot, 6, "float32")
    batch = emulated.Batch(robot, dtype="float32")
    x = batch.linearize(q.reshape(2, 3, -1), v.reshape(2, 3, -1), tau[0])
    assert x.Dv.shape == (2, 3, 18, 18) and x.Dv.dtype == np.float32
    want = robot.linearize(q.astype(float), v.astype(float), tau[0].astype(float)).Dv
    assert abs(x.Dv.reshape(6, 18, 18) - want).max() < 1e-3 * abs(want).max()


def test_steps_and_rollouts(emulated):
    robot = hamel.load("quadruped")
    q, v, tau = states(robot, 3)
    batch = emulated.Batch(robot)
    x, want = batch.step(q, v, 0.01, tau, jacobians=True), robot.step_linearize(q, v, 0.01, tau)
    assert np.allclose(x.q, want.q, atol=1e-12) and np.allclose(x.v, want.v, atol=1e-11)
    assert abs(x.Ad - want.Ad).max() < 1e-11 * abs(want.Ad).max()
    assert abs(x.Bd - want.Bd).max() < 1e-11 * abs(want.Bd).max()
    path = batch.rollout(q, v, 0.01, np.stack([tau, 2 * tau]))
    assert path.q.shape == (3, 3, robot.nq) and np.array_equal(path.q[0], q) and np.array_equal(path.v[1], x.v)
    last = robot.step(x.q, x.v, 0.01, 2 * tau)
    assert np.allclose(path.q[2], last.q, atol=1e-12)
    held = batch.rollout(q, v, 0.01, np.zeros((4, robot.nv)))
    assert not held.status.any() and held.v.shape == (5, 3, robot.nv)


def test_configurations(emulated):
    robot = hamel.load("quadruped")
    q, v, _ = states(robot, 4)
    batch = emulated.Batch(robot)
    there = batch.integrate(q, v)
    assert np.allclose(there, robot.integrate(q, v), atol=1e-14)
    assert np.allclose(batch.difference(q, there), robot.difference(q, there), atol=1e-13)


def test_dynamics_and_frames(emulated):
    robot = hamel.load("quadruped")
    q, v, a = states(robot, 3)
    batch = emulated.Batch(robot)
    want = robot.inverse_dynamics(q, v, a)
    assert abs(batch.inverse_dynamics(q, v, a) - want).max() < 1e-12 * abs(want).max()
    assert np.allclose(batch.mass_matrix(q), robot.mass_matrix(q), atol=1e-12)
    assert np.allclose(batch.frames(q).pose, robot.body_poses(q).reshape(3, -1, 4, 4), atol=1e-13)
    name = robot.frames[-1].name
    x = batch.frames(q, v, [name, 1], "mixed", select=("pose", "J", "twist"))
    one = robot.frame(name, q, v, representation="mixed")
    assert x.J.shape == (3, 2, 6, robot.nv) and not x.status.any()
    assert np.allclose(x.J[:, 0], one.J, atol=1e-12) and np.allclose(x.twist[:, 0], one.twist, atol=1e-12)
    with pytest.raises(hamel.InvalidArgumentError, match="did you mean 'mixed'"):
        batch.frames(q, representation="mixd")


def test_held_feet(emulated):
    robot = hamel.load("quadruped")
    q, v, tau = states(robot, 3)
    batch = emulated.Batch(robot)
    feet = [hamel.Hold(body, "point", damping=2.0) for body in (3, 6, 9, 12)]
    holds = batch.hold(feet)
    x = holds.linearize(q, v, tau, select=("acceleration", "force", "Dq", "Dv", "Dtau", "A", "B"))
    want = robot.constrained_linearize(feet, q, v, tau)
    assert not x.status.any() and x.force.shape == (3, 12)
    for name in ("acceleration", "Dq", "Dv", "Dtau", "A"):
        assert abs(getattr(x, name) - getattr(want, name)).max() < 1e-10 * abs(getattr(want, name)).max()
    assert np.allclose(holds.forward_dynamics(q, v, tau).acceleration, x.acceleration, atol=1e-8)
    with pytest.raises(hamel.UnsupportedError, match="planes"):
        batch.hold([hamel.Hold(3, "plane")])
    with pytest.raises(hamel.InvalidArgumentError, match="pose"):
        batch.hold([hamel.Hold(3, "point", stiffness=2.0)])


def test_a_state_that_fails(emulated):
    robot = hamel.load("quadruped")
    q, v, tau = states(robot, 3)
    good = emulated.Batch(robot).linearize(q, v, tau)
    q[1, 9] = np.nan
    bad = emulated.Batch(robot).linearize(q, v, tau)
    assert bad.status.tolist() == [0, 2, 0] and np.isnan(bad.Dq[1]).all()
    assert np.array_equal(bad.Dq[[0, 2]], good.Dq[[0, 2]])


def test_dlpack_beside_packages_that_type_the_functions_of_python(emulated, monkeypatch):
    """jax.ffi.pycapsule, for one, gives ctypes.pythonapi.PyCapsule_New other arguments."""
    deleter = ctypes.CFUNCTYPE(None, ctypes.py_object)
    monkeypatch.setattr(
        ctypes.pythonapi.PyCapsule_New, "argtypes", [ctypes.c_void_p, ctypes.c_char_p, deleter], raising=False
    )
    robot = hamel.load("pendulum")
    q, v, _ = states(robot, 2)
    assert "dltensor" in repr(emulated.Batch(robot).linearize(OnGpu(q), OnGpu(v)).Dq.__dlpack__())


def test_results_as_dlpack(emulated):
    robot = hamel.load("pendulum")
    q, v, _ = states(robot, 2)
    x = emulated.Batch(robot).linearize(OnGpu(q), OnGpu(v)).Dq
    assert x.__dlpack_device__() == (2, 0)
    capsule = x.__dlpack__()
    assert "dltensor" in repr(capsule)
    lent = len(_cuda_arrays._lent)
    del capsule  # nobody took it: nothing is kept
    assert len(_cuda_arrays._lent) == lent - 1

    class Other:  # what a library that has only DLPack would hand over
        shape = x.shape

        def __dlpack_device__(self):
            return x.__dlpack_device__()

        def __dlpack__(self, stream=None):
            return x.__dlpack__(stream=stream)

    place = _cuda_arrays.place_of(Other())
    assert place.shape == x.shape and place.dtype == np.float64 and place.is_packed()
    assert place.address == x.__cuda_array_interface__["data"][0]


def test_wrong_arguments(emulated):
    robot = hamel.load("quadruped")
    q, v, tau = states(robot, 3)
    batch = emulated.Batch(robot)
    with pytest.raises(hamel.InvalidArgumentError, match="shape"):
        batch.linearize(q[:, :-1], v)
    with pytest.raises(hamel.InvalidArgumentError, match="v has the shape"):
        batch.linearize(q, v[:2])
    with pytest.raises(hamel.InvalidArgumentError, match="float32, and the batch float64"):
        batch.linearize(OnGpu(q.astype("float32")), OnGpu(v))
    with pytest.raises(hamel.InvalidArgumentError, match="on the host"):
        batch.linearize(OnGpu(q), v)
    with pytest.raises(hamel.InvalidArgumentError, match="on the GPU"):
        batch.linearize(q, OnGpu(v))
    with pytest.raises(hamel.InvalidArgumentError, match="did you mean 'Minv'"):
        batch.linearize(q, v, select=["Minw"])
    with pytest.raises(hamel.InvalidArgumentError, match="dtype"):
        emulated.Batch(robot, dtype="int32")
    with pytest.raises(hamel.InvalidArgumentError, match="steps"):
        batch.rollout(q, v, 0.01, tau[0])


def test_gradients_by_numbers_and_by_motions():
    """what Batch.torch_function does between them, on the host, beside Model.rate_matrix and Model.velocity"""
    torch = pytest.importorskip("torch")
    from hamel._cuda_coordinates import Coordinates

    for name in ("quadruped", "ship_crane", "satellite", "nine"):
        robot = hamel.load(name)
        q, g = robot.random(1, 3), np.random.default_rng(1).normal(size=(3, robot.nq))
        own = Coordinates(torch, robot)
        F = robot.rate_matrix(q)
        to = own.to_motions(torch.as_tensor(q), torch.as_tensor(g)).numpy()
        assert np.allclose(to, (g[:, None] @ F)[:, 0], atol=1e-12)
        w = to
        G = np.swapaxes(robot.velocity(q[:, None, :], np.eye(robot.nq)), -1, -2)
        back = own.to_numbers(torch.as_tensor(q), torch.as_tensor(w)).numpy()
        assert np.allclose(back, (w[:, None] @ G)[:, 0], atol=1e-12)


def test_without_the_library():
    """a program that asks for it and has none gets a sentence"""
    program = (
        "import hamel\n"
        "assert not hamel.cuda.available()\n"
        "try:\n    hamel.cuda.Batch(hamel.load('pendulum'))\n"
        "except hamel.NotFoundError as why:\n    print(why)\n"
    )
    environment = {**os.environ, "HAMEL_CUDA_LIBRARY": "/nowhere/libhamel-cuda.so"}
    out = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert "libhamel-cuda is not there" in out.stdout and "docs/gpu.md" in out.stdout


def test_the_package_that_carries_it(emulated, tmp_path):
    """hamel-cuda's library is found where nothing else is said"""
    package = tmp_path / "hamel_cuda"
    package.mkdir()
    shutil.copy(ROOT / "packaging/cuda/src/hamel_cuda/__init__.py", package)
    shutil.copy(os.environ["HAMEL_CUDA_LIBRARY"], package / "libhamel-cuda.so")
    program = "import hamel, hamel_cuda; print(hamel.cuda.device().name, hamel_cuda.library())"
    environment = {key: value for key, value in os.environ.items() if key != "HAMEL_CUDA_LIBRARY"}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), environment.get("PYTHONPATH", "")])
    out = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["emulated", str((package / "libhamel-cuda.so").resolve())]


@pytest.mark.parametrize("n", [0, 1, 13])
def test_sizes(emulated, n):
    robot = hamel.load("arm7")
    q, v, tau = (x[:n] for x in states(robot, 13))
    batch, nv = emulated.Batch(robot), robot.nv
    x, step = batch.linearize(q, v, tau), batch.step(q, v, 0.01, tau, jacobians=True)
    assert x.Dq.shape == (n, nv, nv) and x.status.shape == (n,) and step.Ad.shape == (n, 2 * nv, 2 * nv)
    torque, there = batch.inverse_dynamics(q, v, tau), batch.integrate(q, v)
    path = batch.rollout(q, v, 0.01, np.zeros((2, nv)))
    assert torque.shape == (n, nv) and there.shape == (n, robot.nq) and path.q.shape == (3, n, robot.nq)
    assert batch.frames(q).pose.shape == (n, robot.nbodies, 4, 4) and batch.difference(q, there).shape == (n, nv)
    if n:
        want = robot.step_linearize(q, v, 0.01, tau)
        assert abs(x.Dq - robot.linearize(q, v, tau).Dq).max() < 1e-11 and np.allclose(step.Ad, want.Ad, atol=1e-11)
        assert np.allclose(torque, robot.inverse_dynamics(q, v, tau), atol=1e-12)
        assert np.allclose(there, robot.integrate(q, v), atol=1e-14)


def test_another_version_of_the_library(monkeypatch):
    monkeypatch.setattr(hamel.cuda, "_loaded", [])
    monkeypatch.setenv("HAMEL_CUDA_LIBRARY", ctypes.util.find_library("m") or "libm.so.6")
    with pytest.raises(hamel.UnsupportedError, match="another version"):
        hamel.cuda.device()
