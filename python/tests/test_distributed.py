"""Chunks in, chunks out: the same bits as one call, whoever computes them."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import state

import hamel
from hamel import distributed


def same(results, x):
    for name, values in results.items():
        assert np.array_equal(values, getattr(x, name), equal_nan=True), name


def test_chunks_are_the_rows_in_order():
    assert distributed.chunks(10, 4) == [slice(0, 4), slice(4, 8), slice(8, 10)]
    assert distributed.chunks(0, 4) == []
    with pytest.raises(hamel.InvalidArgumentError):
        distributed.chunks(10, 0)


@pytest.mark.parametrize("chunk", [1, 7, 64, 100, None])
def test_local_is_one_call(quadruped, chunk):
    q, v, _, tau = state(quadruped, 1, 100)
    job = distributed.job(quadruped, "linearize", inputs="actuated")
    results = distributed.local(job, (q, v, tau), chunk)
    assert set(results) == {"A", "B", "acceleration"} and results["B"].shape == (100, 36, 12)
    same(results, quadruped.linearize(q, v, tau, inputs="actuated"))


def test_other_functions(quadruped):
    q, v, _, tau = state(quadruped, 2, 30)
    job = distributed.job(quadruped, "forward_dynamics")
    results = distributed.local(job, (q, v, tau), 8)
    assert np.array_equal(results["forward_dynamics"], quadruped.forward_dynamics(q, v, tau))
    job = distributed.job(quadruped, "dynamics", ["M", "h"])
    same(distributed.local(job, (q, v, tau), 8), quadruped.dynamics(q, v, tau))
    assert distributed.local(job, (q[:0], v[:0]))["M"].shape == (0, 18, 18)


def test_a_bad_row_is_nan_and_alone(quadruped):
    q, v, _, tau = state(quadruped, 3, 50)
    q[17, 8] = np.nan
    job = distributed.job(quadruped, errors="nan")
    results = distributed.local(job, (q, v, tau), 16)
    bad = np.isnan(results["A"]).all(axis=(1, 2))
    assert bad.sum() == 1 and bad[17]
    with pytest.raises(hamel.NotFiniteError):
        distributed.local(distributed.job(quadruped), (q, v, tau), 16)


def test_a_job_travels(quadruped):
    job = distributed.job(quadruped, "linearize", ["A"], representation="mixed")
    there = pickle.loads(pickle.dumps(job))
    assert there == job and hash(there) == hash(job)
    q, v, _, tau = state(quadruped, 4, 5)
    same(distributed.compute(there, (q, v, tau)), quadruped.linearize(q, v, tau, representation="mixed"))
    damaged = distributed.Job(job.model, job.text.replace(b"9.81", b"9.82"), job.function, job.select, job.options)
    with pytest.raises(hamel.InvalidArgumentError, match="damaged"):
        distributed.compute(damaged, (q, v, tau))


def test_wrong_arguments(quadruped):
    q, v, _, tau = state(quadruped, 5, 5)
    with pytest.raises(hamel.InvalidArgumentError, match="no method"):
        distributed.job(quadruped, "linearise")
    with pytest.raises(hamel.InvalidArgumentError, match="no result 'C'"):
        distributed.local(distributed.job(quadruped, select=["C"]), (q, v))
    with pytest.raises(hamel.InvalidArgumentError, match="one row per state"):
        distributed.local(distributed.job(quadruped), (q, v[:3]))
    with pytest.raises(hamel.InvalidArgumentError, match="one row per state"):
        distributed.local(distributed.job(quadruped), (q[0], v[0]))


def test_the_size_of_a_chunk_is_measured(quadruped):
    q, v, _, tau = state(quadruped, 6, 2000)
    job = distributed.job(quadruped)
    size = distributed.chunk_size(job, (q, v, tau))
    assert 1 <= size <= 2000
    row = 8 * (36 * 36 + 36 * 18 + 18)
    assert distributed.chunk_size(job, (q, v, tau), seconds=1e9, most=10 * row) == 10


def test_parts_of_a_job_array(quadruped, tmp_path):
    q, v, _, tau = state(quadruped, 7, 23)
    np.savez(tmp_path / "s.npz", position=q, velocity=v, force=tau)

    def call(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "hamel.distributed", *arguments], cwd=tmp_path, capture_output=True, text=True
        )

    for k in range(3):
        done = call("part", "quadruped", "s.npz", f"{k}.npz", "--index", str(k), "--count", "3")
        assert done.returncode == 0, done.stderr
    assert call("merge", "all.npz", "1.npz", "2.npz", "0.npz").returncode == 0  # in any order
    same(dict(np.load(tmp_path / "all.npz")), quadruped.linearize(q, v, tau))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["0.npz", "1.npz", "2.npz", "all.npz", "s.npz"]
    call("part", "quadruped", "s.npz", "4.npz", "--index", "0", "--count", "4")
    for names, said in (
        (["x.npz", "0.npz", "2.npz"], "part 1 of 3 is missing"),
        (["x.npz", "0.npz", "0.npz"], "0.npz is part 0 of 3, which another file has as well"),
        (["x.npz", "0.npz", "s.npz"], "s.npz is not a part"),
        (["x.npz", "0.npz", "4.npz"], "4.npz has other results than 0.npz"),
        (["0.npz", "1.npz", "2.npz", "0.npz"], "0.npz would overwrite 0.npz"),
    ):
        wrong = call("merge", *names)
        assert wrong.returncode == 1 and said in wrong.stderr, wrong.stderr
    wrong = call("part", "quadruped", "s.npz", "s.npz", "--index", "0", "--count", "3")
    assert wrong.returncode == 1 and "s.npz would overwrite s.npz" in wrong.stderr
    wrong = call("part", "quadruped", "s.npz", "x.npz", "--index", "3", "--count", "3")
    assert wrong.returncode != 0 and "--index is 0 … 2" in wrong.stderr
    np.savez(tmp_path / "odd.npz", position=q, velocity=v, forces=tau)
    wrong = call("part", "quadruped", "odd.npz", "x.npz", "--index", "0", "--count", "3")
    assert wrong.returncode != 0 and "odd.npz: there is an array 'forces'" in wrong.stderr


def test_an_engine_that_is_missing_is_named(quadruped, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    q, v, _, tau = state(quadruped, 8, 3)
    with pytest.raises(ImportError, match="pip install ray"):
        distributed.ray(distributed.job(quadruped), (q, v, tau))


def test_dask_in_this_process(quadruped):
    engine = pytest.importorskip("dask.distributed")
    q, v, _, tau = state(quadruped, 9, 50)
    job = distributed.job(quadruped)
    with engine.LocalCluster(1, processes=False, threads_per_worker=2, dashboard_address=None) as cluster:
        with engine.Client(cluster) as client:
            same(distributed.dask(job, (q, v, tau), client, 8), quadruped.linearize(q, v, tau))


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or not os.path.isdir("/proc/self/task"), reason="threads cannot be counted"
)
def test_threads_follow_the_affinity():
    """A process that may use one core starts no second thread, unless it is told to."""
    program = (
        "import os, threading, numpy as np, hamel\n"
        "os.sched_setaffinity(0, [next(iter(os.sched_getaffinity(0)))])\n"
        "robot = hamel.load('quadruped')\n"
        "q = robot.random(1, 40000)\n"
        "v = np.zeros((40000, robot.nv))\n"
        "most, stop = [0], threading.Event()\n"
        "def look():\n"
        "    while not stop.is_set():\n"
        "        most[0] = max(most[0], len(os.listdir('/proc/self/task')))\n"
        "watch = threading.Thread(target=look)\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        "watch.start()\n"
        "out = robot.forward_dynamics(q, v)\n"
        "stop.set()\n"
        "watch.join()\n"
        "print(most[0] - before - 1)\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "HAMEL_THREADS"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "0", done.stdout + done.stderr


def test_threads_that_are_no_number_are_refused(monkeypatch, quadruped):
    q, v = quadruped.random(1, 100), np.zeros((100, quadruped.nv))
    monkeypatch.setenv("HAMEL_THREADS", "many")
    with pytest.raises(hamel.InvalidArgumentError, match="HAMEL_THREADS is 'many', not a positive number"):
        quadruped.forward_dynamics(q, v)
    assert quadruped.forward_dynamics(q, v, threads=1).shape == (100, quadruped.nv)
