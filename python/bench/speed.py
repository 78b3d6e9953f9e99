"""Time per call from Python: Hamel next to Pinocchio, and adam-robotics with JAX, in the same run.

Usage: python speed.py [ROBOT...]     names as hamel.load takes them (solo12, anymal_b, talos); prints a Markdown table.

The programs take turns, and of each the fastest of several short rounds counts: other work on the machine only adds.
Processor time of one thread; JAX, which has threads of its own, by the clock on the wall. Batches hold 1000 states;
Pinocchio's package takes them one by one, adam vectorized. Pinocchio writes into the same data in every call; Hamel
makes new arrays in single calls and writes batches with out=.
"""

import argparse
import time

import numpy as np

import hamel

N, ROUNDS = 1000, 25


def once(call, clock, at_least):
    """Seconds a call, over at_least seconds."""
    n = 1
    while True:
        begin = clock()
        for _ in range(n):
            call()
        spent = clock() - begin
        if spent >= at_least:
            return spent / n
        n = max(2 * n, int(n * at_least / max(spent, 1e-9)))


def in_turns(calls, walls="", at_least=0.002):
    """Processor time; of those named in walls, which have threads of their own, the time on the wall."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            clock = time.perf_counter if name in walls else time.process_time
            best[name] = min(best[name], once(call, clock, at_least))
    return best


def pinocchio_calls(path, free):
    try:
        import pinocchio as pin
    except ImportError:
        return {}
    model = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if free else []))
    data = model.createData()
    rng = np.random.default_rng(1)
    q = np.stack([pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv)) for _ in range(N)])
    v, a = rng.uniform(-1, 1, (2, N, model.nv))
    frame = model.nframes - 1

    def all_of(function):
        return lambda: [function(i) for i in range(N)]

    singles = {
        "inverse_dynamics": lambda i: pin.rnea(model, data, q[i], v[i], a[i]),
        "forward_dynamics": lambda i: pin.aba(model, data, q[i], v[i], a[i]),
        "mass_matrix": lambda i: pin.crba(model, data, q[i]),
        "frame": lambda i: pin.computeFrameJacobian(model, data, q[i], frame),
        "linearize": lambda i: pin.computeABADerivatives(model, data, q[i], v[i], a[i]),
    }
    return {name: (lambda f=f: f(0), all_of(f)) for name, f in singles.items()}


def adam_calls(path):
    """adam-robotics with JAX: mass matrix and frame Jacobian, compiled; batches by vmap."""
    try:
        import jax
        from adam.jax import KinDynComputations

        jax.config.update("jax_enable_x64", True)
        model = hamel.load(path, base="free")
        names = [j.name for j in model.joints if j.type != "free"]
        adam = KinDynComputations(str(path), names)
        H, s = np.eye(4), np.zeros((N, len(names)))
        one = jax.jit(lambda x: adam.mass_matrix(H, x))
        many = jax.jit(jax.vmap(lambda x: adam.mass_matrix(H, x)))
        one(s[0]).block_until_ready()
        many(s).block_until_ready()
    except Exception as reason:  # not installed, or it does not read this robot
        print(f"adam: {type(reason).__name__}: {str(reason)[:80]}")
        return {}
    return {"mass_matrix": (lambda: one(s[0]).block_until_ready(), lambda: many(s).block_until_ready())}


def hamel_calls(model):
    q, v, a = model.random(1, N), *np.random.default_rng(1).uniform(-1, 1, (2, N, model.nv))
    frame = model.nframes - 1
    functions = {
        "inverse_dynamics": lambda s, **k: model.inverse_dynamics(q[s], v[s], a[s], **k),
        "forward_dynamics": lambda s, **k: model.forward_dynamics(q[s], v[s], a[s], **k),
        "mass_matrix": lambda s, **k: model.mass_matrix(q[s], **k),
        "frame": lambda s, **k: model.frame(frame, q[s], **k),
        "linearize": lambda s, **k: model.linearize(q[s], v[s], a[s], **k),
    }
    everything, calls = slice(None), {}
    for name, f in functions.items():
        again = f(everything)
        calls[name] = (lambda f=f: f(0), lambda f=f, again=again: f(everything, threads=1, out=again))
    return calls


def overhead():
    """What a call from Python costs beyond the C function: a single call less a row of a batch, which is C alone."""
    model = hamel.load("pendulum")
    q, v, a = model.random(1, N), *np.zeros((2, N, 1))
    out, outs = np.empty(1), np.empty((N, 1))
    x, y, z = q[0], v[0], a[0]
    best = in_turns({
        "new": lambda: model.inverse_dynamics(x, y, z),
        "out": lambda: model.inverse_dynamics(x, y, z, out=out),
        "rows": lambda: model.inverse_dynamics(q, v, a, out=outs, threads=1),
    })  # fmt: skip
    row = best["rows"] / N
    print(f"\ninverse_dynamics of a pendulum: {1e9 * row:.0f} ns in C; from Python {1e9 * (best['new'] - row):.0f} ns more, "
          f"{1e9 * (best['out'] - row):.0f} ns with out=")  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("robots", nargs="*", default=["solo12", "anymal_b", "talos_reduced"])
    for name in parser.parse_args().robots:
        path = hamel.find(name)
        model = hamel.load(path)
        ours, theirs, jax = hamel_calls(model), pinocchio_calls(path, model.joints[0].type == "free"), adam_calls(path)
        print(f"\n**{name}**, nv = {model.nv}; microseconds per state\n")
        print("| | Hamel | Pinocchio | adam (JAX) | Hamel, 1000 | Pinocchio, 1000 | adam, 1000 |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for what, (single, batch) in ours.items():
            pin, adam = theirs.get(what, (None, None)), jax.get(what, (None, None))
            calls = {"h": single, "p": pin[0], "j": adam[0], "H": batch, "P": pin[1], "J": adam[1]}
            best = in_turns({key: call for key, call in calls.items() if call}, walls="jJ")
            cells = [f"{best[k] * (1e6 if k in 'hpj' else 1e6 / N):.2f}" if k in best else "–" for k in calls]
            print(f"| `{what}` | " + " | ".join(cells) + " |", flush=True)
    overhead()


if __name__ == "__main__":
    main()
