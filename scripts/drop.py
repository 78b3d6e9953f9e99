#!/usr/bin/env python3
"""Drops robots on the ground, limp and held, in random postures and with three sizes of step, and prints a table.

drop.py PROGRAM [--files FOLDER[:FOLDER…]] [--seconds T] [--postures N] [--jobs N]

PROGRAM is build/tests/drop_contact. The robots are those of the library and every model file of the folders. A row of
the table is a robot with one size of step, all its drops together: the neutral posture and N − 1 random ones, limp and
held.

  failed       drops that ended before their time: a step returned a status, or the program died or took too long
  gain         the largest gain of energy, relative to the weight times the height of fall plus a metre; – where springs
               of a joint with several coordinates have no potential energy
  deepest      the deepest overlap with the ground, metres
  uncertified  steps whose laws of contact were not met, per cent of all
  us           microseconds per step, the mean

The exit status is 1 if a drop failed. docs/contact.md says what to expect.
"""

import argparse
import concurrent.futures
import math
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STEPS = (0.005, 0.001, 0.0002)
HEIGHT = 0.3
TIMEOUT = 120
NOT_A_ROBOT = 3


def find(folders):
    """Model files of the folders, then the robots of the library."""
    files = []
    for folder in filter(None, folders.split(":")):
        for ending in ("urdf", "xml"):
            files += sorted(str(path) for path in Path(folder).rglob(f"*.{ending}"))
    return files + sorted(str(path) for path in (ROOT / "robots").glob("*.json"))


def drop(program, robot, step, seconds, seed, how):
    """What the program says, {word: number}, 'end': how it ended; None if the file is no robot."""
    command = [program, robot, str(step), str(seconds), str(HEIGHT), str(seed), how]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return {"end": f"takes more than {TIMEOUT} s"}
    if done.returncode == NOT_A_ROBOT:
        return None
    said, _, end = done.stdout.strip().partition("end ")
    if not end:
        return {"end": f"died with status {done.returncode}"}
    words = said.replace(" of ", " time ").split()
    numbers = {name: float(value) for name, value in zip(words[::2], words[1::2])}
    return {**numbers, "end": end}


def row(robot, step, drops):
    """One line of the table, and how many drops failed."""
    failed = [d for d in drops if d["end"] != "ok"]
    ran = [d for d in drops if "steps" in d]
    steps = sum(d["steps"] for d in ran)
    gains = [d["gain"] for d in ran if not math.isnan(d["gain"])]
    gain = f"{max(gains):.1e}" if gains else "–"
    deepest = max((d["deepest"] for d in ran), default=0)
    uncertified = 100 * sum(d["uncertified"] for d in ran) / steps if steps else 0
    mean = sum(d["us"] * d["steps"] for d in ran) / steps if steps else 0
    print(
        f"{Path(robot).stem:24.24} {1000 * step:6.2g} {len(drops):6d} {len(failed):7d} {gain:>9} "
        f"{deepest:9.1e} {uncertified:11.3f} {mean:8.1f}  {failed[0]['end'] if failed else ''}",
        flush=True,
    )
    return len(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--files", default="")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--postures", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    cases = [(seed, how) for seed in range(options.postures) for how in ("limp", "held")]
    failed = total = 0
    print("robot                    step/ms  drops  failed      gain   deepest uncertified       us")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for robot in find(options.files):
            for step in STEPS:
                runs = [pool.submit(drop, options.program, robot, step, options.seconds, *case) for case in cases]
                drops = [run.result() for run in runs]
                if None in drops:
                    print(f"{Path(robot).stem:24.24} is left out: it is no robot, or nothing of it moves", flush=True)
                    break
                failed += row(robot, step, drops)
                total += len(drops)
    print(f"{total} drops, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
