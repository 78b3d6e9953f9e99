"""The real engines on this machine: the same bits as in one process, also where a worker is killed on the way."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import hamel
from hamel import distributed

HERE = pathlib.Path(__file__).parent
N = int(os.environ.get("HAMEL_STATES", "20000"))


@pytest.fixture(scope="module")
def work():
    robot = hamel.load("quadruped")
    q, v = robot.random(1, N), np.random.default_rng(1).normal(size=(N, robot.nv))
    job = distributed.job(robot, "linearize", ["A", "acceleration"])
    begin, used = time.perf_counter(), time.process_time()
    results = distributed.local(job, (q, v), 256)
    print(f"\n{N} states in this process: {time.perf_counter() - begin:.2f} s, processor {time.process_time() - used:.2f} s")
    return job, (q, v), results


def same(results, expected):
    assert set(results) == set(expected)
    for name in expected:
        assert np.array_equal(results[name], expected[name]), name


def kill_later(find, killed):
    """Kills a process that `find` names, as soon as there is one."""

    def run():
        for _ in range(2000):
            for pid in find():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
                killed.append(pid)
                return
            time.sleep(0.005)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_dask(work):
    engine = pytest.importorskip("dask.distributed")
    job, arrays, expected = work
    with engine.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster, engine.Client(cluster) as client:
        begin = time.perf_counter()
        same(distributed.dask(job, arrays, client, 256), expected)
        print(f"Dask, two workers: {time.perf_counter() - begin:.2f} s")
        pids = list(client.run(os.getpid).values())
        killed = []

        def find():  # while it works
            return pids[:1] if any(client.processing().values()) else []

        thread = kill_later(find, killed)
        same(distributed.dask(job, arrays, client, 64), expected)
        thread.join()
        assert killed == pids[:1] and pids[0] not in client.run(os.getpid).values()  # it died, and was replaced


def start_ray(ray, turns=5):
    """Ray waits for its own processes for 30 seconds, which cannot be set, and gives up: then once more."""
    for turn in range(turns):
        try:
            return ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        except Exception as error:
            ray.shutdown()
            if turn + 1 == turns or "timed out" not in str(error):
                raise
            print(f"Ray did not start: {error}")


def test_ray(work):
    ray = pytest.importorskip("ray")
    job, arrays, expected = work
    start_ray(ray)
    try:
        begin = time.perf_counter()
        same(distributed.ray(job, arrays, 256), expected)
        print(f"Ray, two workers: {time.perf_counter() - begin:.2f} s")
        killed = []

        @ray.remote
        def pid():
            return os.getpid()

        worker = ray.get(pid.remote())
        thread = kill_later(lambda: [worker], killed)
        same(distributed.ray(job, arrays, 64), expected)
        thread.join()
        assert killed == [worker]
    finally:
        ray.shutdown()


@pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun")
@pytest.mark.parametrize("processes", [1, 2, 3])
def test_mpi(processes):
    pytest.importorskip("mpi4py")
    run = [*mpirun(processes), sys.executable, str(HERE / "mpi_program.py"), str(N)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same bits" in done.stdout
    print(done.stdout.strip())


def mpirun(processes):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes)]


def mpi_compiles():
    """Debian has an mpicc without headers, too."""
    if not shutil.which("mpicc"):
        return False
    return subprocess.run(["mpicc", "-E", "-x", "c", "-"], input="#include <mpi.h>", capture_output=True, text=True).returncode == 0


@pytest.mark.skipif(not mpi_compiles() or "HAMEL_BUILD" not in os.environ, reason="there is no build, or no MPI to compile with")
def test_mpi_from_c(work, tmp_path):
    """The example in C, on one and on two processes: the same file, and the numbers of the command."""
    build, root = pathlib.Path(os.environ["HAMEL_BUILD"]), HERE.parents[1]
    libraries = [str(build / "src" / f"lib{name}.a") for name in ("hamel-io", "hamel")]
    flags = subprocess.check_output(["pkg-config", "--libs", "expat", "libzip", "libzstd", "matio"], text=True).split()
    source = str(root / "examples" / "cluster" / "linearize_mpi.c")
    program = str(tmp_path / "linearize_mpi")
    subprocess.check_call(["mpicc", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{root}/include", source, "-o", program, *libraries, *flags, "-lm"])
    _, (q, v), expected = work
    n = min(N, 3000)
    np.savez(tmp_path / "s.npz", position=q[:n], velocity=v[:n])
    model = str(root / "robots" / "quadruped.json")
    for processes in (1, 2):
        out = tmp_path / f"{processes}.npz"
        subprocess.check_call([*mpirun(processes), program, model, str(tmp_path / "s.npz"), str(out)], timeout=120)
        with np.load(out) as results:
            assert np.array_equal(results["A"], expected["A"][:n]) and not results["status"].any()
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()
