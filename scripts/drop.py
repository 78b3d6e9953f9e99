#!/usr/bin/env python3
"""Drops robots on the ground, limp and held, in random postures and with three sizes of step, and prints a table.

drop.py PROGRAM [--files FOLDER[:FOLDER…]] [--seconds T] [--postures N] [--steps H,H…] [--jobs N]
        [--out FILE [--resume]] [--mujoco PYTHON] [--no-pairs]
drop.py --table FILE

PROGRAM is build/tests/drop_contact. The robots are those of the library and every model file of the folders. A row of
the table is a robot with one size of step, all its drops together: the neutral posture and N − 1 random ones, limp and
held.

  failed       drops that ended before their time: a step returned a status, or the program died or took too long
  gain         the largest gain of energy, relative to the weight times the height of fall; – where springs of a joint
               with several coordinates have no potential energy
  deepest      the deepest overlap with the ground or of two shapes, metres
  uncertified  steps whose laws of contact were not met, per cent of all
  us           microseconds per step, the mean

Shapes of the robot touch each other too, but for the pairs that the file excludes and those that overlap in the
posture in which it starts; --no-pairs: only the ground. A line of --out is a drop. With --resume the drops that FILE
has are not made again; --table prints the table of a FILE and its summary. With --mujoco every file is also dropped in
MuJoCo, if it loads it: PYTHON has the package mujoco; see drop_mujoco.py.

The exit status is 1 if a drop of this library failed. docs/contact.md says what to expect.
"""

import argparse
import concurrent.futures
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STEPS = "0.002,0.001,0.0005"
HEIGHT = 0.5
TIMEOUT = 300
NOT_A_ROBOT = 3
LEFT_OUT = "left out"


def find(folders):
    """Model files of the folders, then the robots of the library."""
    files = []
    for folder in filter(None, folders.split(":")):
        for ending in ("urdf", "xml"):
            files += sorted(str(path) for path in Path(folder).rglob(f"*.{ending}"))
    return files + sorted(str(path) for path in (ROOT / "robots").glob("*.json"))


def run(command):
    """Output and exit status of a program; None instead of the output if it takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return None, 0
    return done.stdout.strip(), done.returncode


def drop(options, robot, step, seed, how):
    """What the program says: numbers by their names, 'end': how it ended."""
    pairs = [] if options.no_pairs else ["pairs"]
    command = [options.program, robot, str(step), str(options.seconds), str(HEIGHT), str(seed), how, *pairs]
    output, status = run(command)
    if output is None:
        return {"end": f"takes more than {TIMEOUT} s"}
    if status == NOT_A_ROBOT:
        return {"end": LEFT_OUT}
    said, _, end = output.partition("end ")
    if not end:
        return {"end": f"died with status {status}"}
    words = said.replace(" of ", " time ").split()
    numbers = {name: float(value) for name, value in zip(words[::2], words[1::2], strict=True)}
    return {**numbers, "end": end}


def drop_mujoco(options, robot, step, drops):
    """The same drops in MuJoCo, all of them in one process: MuJoCo starts and compiles more slowly than it steps."""
    script = str(ROOT / "scripts" / "drop_mujoco.py")
    words = [f"{seed}:{how}" for seed, how in drops] + ([] if options.no_pairs else ["pairs"])
    output, status = run([options.mujoco, script, robot, str(step), str(options.seconds), str(HEIGHT), *words])
    if output is None:
        return [{"end": f"takes more than {TIMEOUT} s"}] * len(drops)
    if status == NOT_A_ROBOT:
        return [{"end": LEFT_OUT}] * len(drops)
    said = [json.loads(text) for text in output.splitlines()]
    return said + [{"end": f"died with status {status}"}] * (len(drops) - len(said))


def key(record):
    return record["by"], record["robot"], record["step"], record["seed"], record["how"]


def read(path):
    """The drops of a file. A run that was stopped may have left half a line at its end."""
    records = {}
    for line in Path(path).read_text().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        records[key(record)] = record
    return records


def summary(drops):
    """What a row of the table says of some drops."""
    ran = [d for d in drops if "steps" in d]
    steps = sum(d["steps"] for d in ran)
    gains = [d["gain"] for d in ran if d.get("gain") is not None and not math.isnan(d["gain"])]
    return {
        "failed": [d for d in drops if d["end"] != "ok"],
        "gain": f"{max(gains):.1e}" if gains else "–",
        "deepest": max((d["deepest"] for d in ran), default=0),
        "uncertified": 100 * sum(d.get("uncertified", 0) for d in ran) / steps if steps else 0,
        "us": sum(d["us"] * d["steps"] for d in ran) / steps if steps else 0,
    }


def line(name, step, drops):
    s = summary(drops)
    why = s["failed"][0]["end"] if s["failed"] else ""
    return (
        f"{name:30.30} {1000 * step:6.2g} {len(drops):6d} {len(s['failed']):7d} {s['gain']:>9} "
        f"{s['deepest']:9.1e} {s['uncertified']:11.4f} {s['us']:8.1f}  {why}"
    )


def name_of(robot):
    """What tells two files of the same name apart: the folder of the robot, too."""
    parts = Path(robot).parts
    folder = [p for p in parts[-4:-1] if p not in ("robots", "urdf", "xacro", "mjcf")]
    return "/".join([*folder[-1:], Path(robot).stem])


def table(records):
    """Prints a row for each robot and step, then one for each step. Returns how many drops failed."""
    by_row = {}
    for record in records.values():
        by_row.setdefault((record["by"], record["robot"], record["step"]), []).append(record)
    head = f"{'robot':30} step/ms  drops  failed      gain   deepest uncertified       us"
    failed = 0
    for by in sorted({row[0] for row in by_row}):
        print(f"\n{by}\n{head}")
        left_out = set()
        for (whose, robot, step), drops in by_row.items():
            if whose != by:
                continue
            if all(d["end"] == LEFT_OUT for d in drops):
                left_out.add(name_of(robot))
                continue
            print(line(name_of(robot), step, drops))
        rows = [r for r in records.values() if r["by"] == by and r["end"] != LEFT_OUT]
        for step in sorted({r["step"] for r in rows}, reverse=True):
            drops = [r for r in rows if r["step"] == step]
            robots = len({r["robot"] for r in drops})
            times = sorted(summary(d)["us"] for (w, _, h), d in by_row.items() if w == by and h == step and d[0] in drops)
            print(line(f"all {robots} robots", step, drops) + f" median {statistics.median(times):.1f} us")
        if by == "hamel":
            failed = sum(1 for r in rows if r["end"] != "ok")
        if left_out:
            print(f"left out, as files that are no robots or have nothing that moves: {', '.join(sorted(left_out))}")
        print(f"{by}: {len(rows)} drops, {sum(1 for r in rows if r['end'] != 'ok')} failed")
    return failed


def bundle(todo):
    """Drops that one process makes: of this library one, of MuJoCo all of a robot with a step."""
    bundles = {}
    for case in todo:
        bundles.setdefault(case if case[0] == "hamel" else case[:3], []).append(case)
    return list(bundles.values())


def make(options, cases, unfit):
    """The records of a bundle."""
    by, robot, step, seed, how = cases[0]
    if (by, robot) in unfit:
        said = [{"end": LEFT_OUT}] * len(cases)
    elif by == "hamel":
        said = [drop(options, robot, step, seed, how)]
    else:
        said = drop_mujoco(options, robot, step, [case[3:] for case in cases])
    names = ("by", "robot", "step", "seed", "how")
    return [{**dict(zip(names, case, strict=True)), **one} for case, one in zip(cases, said, strict=True)]


def work(options, cases, records, out):
    """Makes the drops that are missing; every one is written as soon as it is done."""
    todo = [case for case in cases if case not in records]
    unfit = {(k[0], k[1]) for k, r in records.items() if r["end"] == LEFT_OUT}
    began, told, count = time.monotonic(), 0.0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(make, options, some, unfit) for some in bundle(todo)]
        for done in concurrent.futures.as_completed(runs):
            for record in done.result():
                count += 1
                records[key(record)] = record
                if record["end"] == LEFT_OUT:
                    unfit.add((record["by"], record["robot"]))
                if out:
                    print(json.dumps(record), file=out, flush=True)
            spent = time.monotonic() - began
            if spent > told + 10:
                told = spent
                failed = sum(1 for r in records.values() if r["end"] not in ("ok", LEFT_OUT))
                left = spent / count * (len(todo) - count)
                print(f"{count} of {len(todo)} drops, {failed} failed, about {left:.0f} s to go", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--files", default="")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--postures", type=int, default=3)
    parser.add_argument("--steps", default=STEPS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--mujoco")
    parser.add_argument("--no-pairs", action="store_true")
    parser.add_argument("--table")
    options = parser.parse_args()
    if options.table:
        return 1 if table(read(options.table)) else 0
    if not options.program:
        parser.error("PROGRAM is missing")
    records = read(options.out) if options.resume and options.out and Path(options.out).exists() else {}
    cases = [
        (by, robot, step, seed, how)
        for robot in find(options.files)
        for by in (["hamel", "mujoco"] if options.mujoco and not robot.endswith(".json") else ["hamel"])
        for step in map(float, options.steps.split(","))
        for seed in range(options.postures)
        for how in ("limp", "held")
    ]
    if not options.out:
        work(options, cases, records, None)
    else:
        with open(options.out, "a" if options.resume else "w") as out:
            work(options, cases, records, out)
    wanted = set(cases)
    return 1 if table({k: r for k, r in records.items() if k in wanted}) else 0


if __name__ == "__main__":
    sys.exit(main())
