#!/usr/bin/env python3
"""The Python package against the C library: the robots and states of the agreement machine, computed again.

compare.py PROGRAM [--models N] [--seed N] [--files FOLDERS]

PROGRAM is build/tests/agree/agree. It writes robots, states and results as lines of JSON; each goes through hamel.loads,
and every result is computed one by one, in a batch of one, and in one of three on two threads. The same code computed them, perhaps with other
flags: what was divided by M may differ by 1e-13 of its condition, the rest by 1e-11 (compare.c has the reasons).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import hamel
import numpy as np


def worst(one, other, weight, floor):
    """the largest difference against the largest entry, both weighed"""
    off = np.abs(np.asarray(one) - other) * weight
    return float(off.max(initial=0) / max(floor, (np.abs(other) * weight).max(initial=0))) if np.isfinite(off).all() else np.inf


def results(model, line, rows):
    """everything of a state, as rows of a batch (rows > 0) or by single calls (0)"""
    def give(x):
        x = np.asarray(x, float)
        return np.stack([x] * rows) if rows else x

    wrenches = line.get("wrenches")
    w = None if wrenches is None else give(np.reshape(wrenches, (-1, 6)))
    q, v, tau, a = (give(line[k]) for k in ("q", "v", "tau", "a"))
    how = {"threads": 2} if rows > 1 else {}
    x = model.linearize(q, v, tau, w, **how)
    return {
        "poses": model.body_poses(q, **how),
        "inverse_dynamics": model.inverse_dynamics(q, v, a, w, **how),
        "forward_dynamics": model.forward_dynamics(q, v, tau, w, **how),
        "integrate": model.integrate(q, a, **how),
        "M": model.mass_matrix(q, **how),
        "acceleration": x.acceleration,
        "Dq": x.Dq,
        "Dv": x.Dv,
        "Minv": x.Minv,
    }


def compare(line, table):
    model = hamel.loads(json.dumps(line["model"]), format="json", keep_fixed=bool(line["keep"]))
    scale, force, away = np.array(line["scale"]), line["force"], 1 + np.abs(line["q"]).max()
    n, solved = model.nv, 1e-11 + 1e-13 * line["cond"]
    up = scale[:, None]
    how = {  # weight, floor, tolerance
        "poses": (1, away, 1e-11),
        "inverse_dynamics": (1 / scale, force, 1e-11),
        "forward_dynamics": (scale, force, solved),
        "integrate": (1, away, 1e-11),
        "M": (1 / (up * scale), 1, 1e-11),
        "acceleration": (scale, force, solved),
        "Dq": (up, force, solved),
        "Dv": (up, force, solved),
        "Minv": (up * scale, 1, solved),
    }
    bad = []
    for rows in (0, 1, 3):
        mine = results(model, line, rows)
        for name, (weight, floor, allowed) in how.items():
            shape = (n, n) if name in ("M", "Dq", "Dv", "Minv") else np.shape(line[name])
            theirs = np.reshape(line[name], shape)
            got = np.reshape(mine[name], (max(rows, 1),) + shape)
            if rows > 1 and not all(np.array_equal(got[0], g) for g in got):
                bad.append(f"{name}: equal states of a batch have different results")
            off = worst(got[-1], theirs, weight, floor)
            key = f"{name}, " + ("single" if rows == 0 else f"batch of {rows}")
            count, most = table.get(key, (0, 0))
            table[key] = (count + 1, max(most, off))
            if not off <= allowed:
                bad.append(f"{key}: off by {off:.3g}, allowed {allowed:.3g}")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="")
    options = parser.parse_args()
    table, failures, robots = {}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "dump.jsonl"
        command = [options.program, "--models", options.models, "--seed", options.seed, "--check", "dump", "--dump", dump]
        if options.files:
            command += ["--files", options.files]
        subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)
        for text in dump.open():
            line = json.loads(text)
            robots += 1
            for sentence in compare(line, table):
                failures += 1
                if failures <= 10:
                    print(f"DISAGREEMENT {sentence}\n{text[:2000]}")
    for key, (count, most) in sorted(table.items()):
        print(f"{key:35s} {count:7d} {most:9.1e}")
    print(f"{robots} robots in Python, {sum(c for c, _ in table.values())} comparisons, {failures} disagreements")
    return failures > 0 or robots == 0


if __name__ == "__main__":
    sys.exit(main())
