"""Milliseconds of processor time that Pinocchio takes to load a URDF with a free base: python load_peer.py FILE...

The least of several runs, the counterpart of load_bench. Its Python binding adds microseconds to milliseconds.
"""

import pathlib
import sys
import time

import pinocchio as pin

for path in sys.argv[1:]:
    best, total = float("inf"), 0.0
    while total < 2:
        start = time.process_time()
        model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
        took = time.process_time() - start
        best, total = min(best, took), total + took
    print(f"{pathlib.Path(path).name:32s} nv {model.nv:6d}   Pinocchio {1e3 * best:10.3f} ms")
