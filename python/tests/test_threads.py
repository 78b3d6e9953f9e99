"""Threads share a model, and nothing grows."""

import mmap
import os
import resource
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import state

import hamel

CALLS = int(os.environ.get("HAMEL_LEAK_CALLS", "20000"))


def test_sixteen_threads_on_one_model(quadruped):
    """Sixteen threads, each with states of its own, a hundred times: bit by bit what one thread finds."""
    q, v, a, tau = state(quadruped, 1, 16)

    def work(i):
        x = quadruped.linearize(q[i], v[i], tau[i])
        return (
            x.A.copy(),
            quadruped.inverse_dynamics(q[i], v[i], a[i]),
            quadruped.frame(3, q[i]).J,
            quadruped.crba(q[i]),
        )

    alone = [work(i) for i in range(16)]
    begin = threading.Barrier(16)

    def often(i):
        begin.wait()
        return all(all(np.array_equal(x, y) for x, y in zip(work(i), alone[i])) for _ in range(100))

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(often, range(16)))


def test_the_lock_is_released(quadruped):
    """While a thread computes for a while, another one runs Python."""
    q, v, _, tau = state(quadruped, 2, 20000)
    ticks, done = 0, threading.Event()

    def compute():
        quadruped.linearize(q, v, tau, threads=1)
        done.set()

    thread = threading.Thread(target=compute)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 3  # without the release: 1 or 2, before and after


def resident():
    """Kilobytes of memory now; the most so far where the system does not say."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize() // 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def grown(call, n):
    """Kilobytes by which the process has grown over n calls, after it has warmed up."""
    for _ in range(n // 10):
        call()
    before = resident()
    for _ in range(n):
        call()
    return resident() - before


def test_a_leak_would_be_seen():
    lost = []

    def lose():
        lost.append(float(len(lost)))
        if len(lost) % 1000 == 0:  # numbers alone may fit into what lies free; a mapping does not
            lost.append(mmap.mmap(-1, 2**20))
            lost[-1].write(bytes(2**20))

    assert grown(lose, 20000) > 256


def poke(quadruped, q):
    for wrong in (
        lambda: quadruped.linearize(q, q),
        lambda: quadruped.frame("tail", q),
        lambda: quadruped.mass_matrix([1j] * 19),
    ):
        with pytest.raises((hamel.Error, TypeError)):
            wrong()


CASES = {
    "linearize": lambda m, q, v: m.linearize(q, v, v),
    "parts": lambda m, q, v: (lambda x: (x.A, x.B, x.Dq, x.Minv, x.state_names))(m.linearize(q, v, inputs="actuated")),
    "dynamics": lambda m, q, v: m.dynamics(q, v),
    "batch": lambda m, q, v: m.integrate(np.stack([q, q]), v),
    "lists": lambda m, q, v: m.mass_matrix(list(q)),
    "frame": lambda m, q, v: m.frame(2, q, v, v),
    "copy": lambda m, q, v: hamel.Model.from_bytes(m.to_bytes()).neutral(),
    "errors": lambda m, q, v: poke(m, q),
    "group": lambda m, q, v: hamel.se3.log(hamel.se3.exp(v[:6])),
    "builder": lambda m, q, v: hamel.Builder().add_body("b", axis=[0, 0, 1], mass=1, moment=np.eye(3)).build(),
}


@pytest.mark.parametrize("case", CASES)
def test_nothing_leaks(quadruped, case):
    """What is lost once a call costs at least 16 bytes a call: more than a few pages, which the allocator may want."""
    q, v, _, _ = state(quadruped, 3)
    n = CALLS if case not in ("errors", "parts", "copy", "builder") else CALLS // 10
    kilobytes = grown(lambda: CASES[case](quadruped, q, v), n)
    print(f"{case}: {kilobytes} KB in {n} calls")
    assert kilobytes <= 256
