"""Puts the rows of generated.sh into one JSON file and prints them as a table.

Usage: report.py ROWS BENCH.json OUT.json    BENCH.json, for Pinocchio's time, may be missing
"""

import json
import pathlib
import sys

WRONG = 1e-6  # a part of the largest entry: rounding is orders of magnitude below, a mistake above


def peers(path: str) -> dict[str, float]:
    """Nanoseconds of Pinocchio's native build per linearization, by robot."""
    if not pathlib.Path(path).exists():
        return {}
    rows = json.loads(pathlib.Path(path).read_text())["rows"]
    native = [r for r in rows if r.get("algorithm") == "linearize" and r.get("peer") == "pinocchio-native"]
    return {r["robot"]: r["peer_ns"] for r in native}


def main() -> None:
    source, bench, out = sys.argv[1:]
    native = peers(bench)
    rows = [json.loads(line) for line in pathlib.Path(source).read_text().splitlines()]
    if not rows:
        sys.exit(f"{source}: no robot was measured")
    print("| robot | nv | library, ns | generated, ns | ratio | batch, ns | generated, ns | ratio | cold, ns | generated, ns | ratio | Pinocchio, ns | code, kB | difference |")
    print("| --- |" + " --: |" * 13)
    for r in rows:
        r["pinocchio_native_ns"] = native.get(r["robot"])
        single = r["generic_ns"] / r["generated_ns"]
        batch = r["generic_batch_ns"] / r["generated_batch_ns"]
        print(
            f"| {r['robot']} | {r['nv']} | {r['generic_ns']:.0f} | {r['generated_ns']:.0f} | {single:.2f} "
            f"| {r['generic_batch_ns']:.0f} | {r['generated_batch_ns']:.0f} | {batch:.2f} "
            f"| {r['generic_cold_ns']:.0f} | {r['generated_cold_ns']:.0f} | {r['generic_cold_ns'] / r['generated_cold_ns']:.2f} "
            f"| {r['pinocchio_native_ns'] or '-'} | {r['code_bytes'] / 1000:.0f} | {r['difference']:.0e} |"
        )
    pathlib.Path(out).write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    wrong = [r["robot"] for r in rows if not r["difference"] < WRONG]
    if wrong:
        sys.exit(f"the generated code of {', '.join(wrong)} does not agree with the library")


if __name__ == "__main__":
    main()
