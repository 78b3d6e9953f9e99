"""hamel.cuda on a GPU, with torch, CuPy and JAX, those of them that are there. Run by scripts/cuda.sh.

Gradients of a rollout equal those of the CPU, nothing is copied to the host on the way, arrays stay where they are.
"""

import importlib.util
import sys
import time

import numpy as np

import hamel
import hamel.cuda
import hamel.interop

STEPS, N, H = 10, 64, 0.005
failures = 0


def report(what, ok):
    global failures
    failures += not ok
    print(("ok      " if ok else "FAILED  ") + what, flush=True)


def draw(robot, n, dtype="float64"):
    rng = np.random.default_rng(1)
    return tuple(x.astype(dtype) for x in (robot.random(1, n), rng.normal(size=(n, robot.nv)), rng.normal(size=(n, robot.nv))))


def rollout_loss(torch, step, q, v, tau, weights):
    for k in range(STEPS):
        q, v = step(q, v, tau[k])
    return (q * weights[0]).sum() + (v * weights[1]).sum()


def check_torch(name):
    import torch

    robot = hamel.load(name)
    batch = hamel.cuda.Batch(robot)
    q, v, _ = draw(robot, N)
    rng = np.random.default_rng(2)
    tau, weights = rng.normal(size=(STEPS, N, robot.nv)), (rng.normal(size=q.shape), rng.normal(size=v.shape))
    gradients = []
    for place, step in (
        ("cpu", hamel.interop.torch_function(robot, "step", h=H)),
        ("cuda", batch.torch_function("step", h=H)),
    ):
        x = [torch.tensor(a, device=place, requires_grad=True) for a in (q, v, tau)]
        w = [torch.tensor(a, device=place) for a in weights]
        rollout_loss(torch, step, *x, w).backward()
        gradients.append([a.grad.cpu().numpy() for a in x])
        if place == "cuda":
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
                rollout_loss(torch, step, *x, w).backward()
                torch.cuda.synchronize()
            names = [event.name for event in profile.events()]
            copies = [event for event in names if "HtoD" in event or "DtoH" in event]
            report(f"torch, {name}: {len(names)} events on the GPU, copies to or from the host: {len(copies)}", not copies)
    worst = max(abs(a - b).max() / abs(a).max() for a, b in zip(*gradients))
    report(f"torch, {name}: gradients of {STEPS} steps differ from the CPU's by {worst:.1e} of the largest", worst < 1e-9)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        y = batch.linearize(*(torch.tensor(a, device="cuda") for a in draw(robot, N)))
    stream.synchronize()
    want = robot.linearize(*draw(robot, N))
    report(f"torch, {name}: another stream", abs(y.Dq.cpu().numpy() - want.Dq).max() < 1e-11 * abs(want.Dq).max())


def check_jax(name):
    """Gradients of a rollout in one compiled program, on the GPU and on the CPU"""
    import jax

    jax.config.update("jax_enable_x64", True)
    robot = hamel.load(name)
    q, v, _ = draw(robot, N)
    rng = np.random.default_rng(2)
    tau, weights = rng.normal(size=(STEPS, N, robot.nv)), (rng.normal(size=q.shape), rng.normal(size=v.shape))

    def gradients(step, device):
        def loss(q, v, taus):
            (q, v), _ = jax.lax.scan(lambda x, tau: (step(*x, tau), None), (q, v), taus)
            return (q * weights[0]).sum() + (v * weights[1]).sum()

        x = [jax.device_put(a, device) for a in (q, v, tau)]
        return [np.asarray(g) for g in jax.jit(jax.grad(loss, (0, 1, 2)))(*x)]

    ours = hamel.cuda.Batch(robot).jax_function("step", h=H)
    theirs = hamel.interop.jax_function(robot, "step", h=H)
    pairs = zip(gradients(theirs, jax.devices("cpu")[0]), gradients(ours, jax.devices("gpu")[0]))
    worst = max(abs(a - b).max() / abs(a).max() for a, b in pairs)
    report(f"jax, {name}: gradients of {STEPS} steps differ from the CPU's by {worst:.1e} of the largest", worst < 1e-9)
    why = ""
    try:
        jax.block_until_ready(jax.jit(ours)(*(jax.device_put(a, jax.devices("cpu")[0]) for a in (q, v, tau[0]))))
    except Exception as error:
        why = str(error)
    report(f"jax, {name}: arrays on the host have a sentence", "put them on the GPU" in why)


def check_arrays(name, kind):
    robot = hamel.load(name)
    states = draw(robot, N, "float32")
    want = robot.linearize(*(a.astype(float) for a in states)).Dq
    batch = hamel.cuda.Batch(robot, dtype="float32")
    if kind == "cupy":
        import cupy

        y = batch.linearize(*map(cupy.asarray, states)).Dq
        same, got = isinstance(y, cupy.ndarray), cupy.asnumpy(y)
    elif kind == "jax":
        import jax

        y = batch.linearize(*map(jax.numpy.asarray, states)).Dq
        same, got = isinstance(y, jax.Array), np.asarray(y)
    else:
        got = batch.linearize(*states).Dq
        same = isinstance(got, np.ndarray)
    report(f"{kind}, {name}: results are its own", same)
    report(f"{kind}, {name}: results are right", abs(got - want).max() < 1e-3 * abs(want).max())


def measure_numpy(name, n=65536):
    robot = hamel.load(name)
    batch, states = hamel.cuda.Batch(robot, dtype="float32"), draw(robot, n, "float32")
    for _ in range(2):
        begin = time.perf_counter()
        batch.linearize(*states)
        rate = n / (time.perf_counter() - begin)
    print(f"        numpy, {name}: {1e-6 * rate:.2f} million linearizations per second, copies included")


print(hamel.cuda.device())
for robot in ("quadruped", "arm7"):
    check_arrays(robot, "numpy")
    for library in ("cupy", "jax"):
        if importlib.util.find_spec(library):
            check_arrays(robot, library)
    if importlib.util.find_spec("jax"):
        check_jax(robot)
    if importlib.util.find_spec("torch"):
        check_torch(robot)
measure_numpy("quadruped")
sys.exit(1 if failures else 0)
