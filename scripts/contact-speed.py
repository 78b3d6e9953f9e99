#!/usr/bin/env python3
"""Microseconds per step of contact on robots that stand and that walk, beside MuJoCo on the same files.

contact-speed.py PROGRAM PYTHON FILE… [--seconds T] [--repeat N] [--step H]

PROGRAM is build/tests/drop_contact, PYTHON has the package mujoco. Each robot starts on the ground in its neutral posture
(clipped to its limits), on a free base. "held": every joint keeps its posture by a servo; "walk": the goals of the
servos swing by 0.2 rad, 2 times per second, neighbours out of phase. Both programs have the same servos, shapes,
friction and step, and shapes do not touch each other; MuJoCo runs implicitfast. The time is that of the processor: the
least of N runs, which take turns.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "drop_mujoco.py"


def hamel(program, file, options, how):
    command = [program, file, str(options.step), str(options.seconds), "0", "0", how]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    words = done.stdout.partition(" end ")[0].replace(" of ", " time ").split()
    return dict(zip(words[::2], words[1::2], strict=True)) if done.returncode == 0 else None


def mujoco(python, file, options, how):
    command = [python, str(SCRIPT), file, str(options.step), str(options.seconds), "0", f"0:{how}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("python")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--step", type=float, default=0.001)
    options = parser.parse_args()
    print(f"{'robot':24} {'how':5} {'contacts':>8} {'hamel us':>9} {'mujoco us':>9} {'ratio':>6}")
    ratios = []
    for file in options.files:
        for how in ("held", "walk"):
            pairs = [
                (hamel(options.program, file, options, how), mujoco(options.python, file, options, how))
                for _ in range(options.repeat)
            ]
            if None in [x for pair in pairs for x in pair]:
                print(f"{Path(file).stem:24.24} {how:5} is not read by both, or did not come to its end")
                continue
            if not pairs[0][1]["contacts"]:
                print(f"{Path(file).stem:24.24} {how:5} has no shapes that MuJoCo reads")
                continue
            mine, other = min(float(a["us"]) for a, _ in pairs), min(b["us"] for _, b in pairs)
            ratios.append(other / mine)
            print(f"{Path(file).stem:24.24} {how:5} {pairs[0][0]['contacts']:>8} {mine:9.1f} {other:9.1f} {ratios[-1]:6.2f}")
            sys.stdout.flush()
    if ratios:
        print(f"MuJoCo takes {statistics.geometric_mean(ratios):.2f} times as long (geometric mean of {len(ratios)} rows)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
