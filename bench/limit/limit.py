"""How far from the limit: runs limit_count and limit_bench, sorts the instructions, makes the tables of docs/limit.md.

    limit.py FOLDER FILE.json           measures with the programs in FOLDER, writes FILE.json, prints the tables
    limit.py --page PAGE FILE.json      puts the tables between the page's marks
"""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "peers"))
from report import put, table  # noqa: E402

ROBOTS = ("arm7", "quadruped", "humanoid")
STEPPED = ("scalar", "one call", "pack of 4", "pack of 8")  # the kernels whose instructions are counted
RUNS = 5
KINDS = {  # the first that matches, by mnemonic
    "fused": r"vfn?m(add|sub)",
    "divisions": r"v?(div|sqrt)[ps]d",
    "arithmetic": r"v?(add|sub|mul|min|max)[ps]d",
    "moves": r"v?(mov|broadcast).*\(%",
    "vector": r"v|(mov|unpck|shuf|and|or|xor|cvt|cmp|comi|ucomi|p)\w*([ps]d|dq|ps|hp\w*|lp\w*|q|d)\b.*xmm",
    "integer": r"",
}


def said(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)


def lines_of(*command):
    return said(*command).stdout.splitlines()


def disassembly(program):
    """address → the instruction and its bytes"""
    found = {}
    for line in lines_of("objdump", "-d", "-w", program):
        match = re.match(r"\s*([0-9a-f]+):\t([0-9a-f ]+)\t(.*)", line)
        if match:
            found[int(match[1], 16)] = match[3], len(match[2].split())
    return found


def kind(instruction):
    return next(name for name, pattern in KINDS.items() if re.match(pattern, instruction))


def instructions(folder, code, robot, kernel):
    """executed for one state, by kind; and how many bytes of code they are"""
    states = int(kernel.split()[-1]) if kernel.startswith("pack") else 1
    row = dict.fromkeys(["all", *KINDS, "code"], 0) | {"robot": robot, "kernel": kernel}
    for line in lines_of(folder / "limit_bench", "--steps", kernel, robot):
        address, count = line.split()
        words, size = code.get(int(address, 16), ("", 0))
        row[kind(words)] += int(count) / states
        row["all"] += int(count) / states
        row["code"] += size
    return row


def misses(folder, robot, contender, isa):
    """instructions and references to memory per state that miss L1: the difference between two runs"""
    sizes = ["--I1=32768,8,64", "--D1=49152,12,64"]
    options = ["--tool=cachegrind", "--cache-sim=yes", *sizes, "--cachegrind-out-file=/dev/null"]
    totals = []
    for calls in (64, 192):
        program = [folder / "peer_dynamics", "--isa", isa, "--count", f"{contender},linearize,{calls}", robot]
        summary = said("valgrind", *options, *program).stderr
        found = (re.search(pattern, summary)[1] for pattern in (r"I1 +misses: +([\d,]+)", r"D1 +misses: +([\d,]+)"))
        totals.append([int(number.replace(",", "")) for number in found])
    return [max(0, b - a) / 128 for a, b in zip(*totals)]


def cached(folder):
    """valgrind does not support AVX-512: packs of four, and single calls with AVX2"""
    kernels = {"scalar": ("hamel-batch", "scalar"), "one call": ("hamel", "x4"), "pack of 4": ("hamel-batch", "x4")}
    rows = []
    for robot in ROBOTS:
        for kernel, how in kernels.items():
            code, numbers = misses(folder, robot, *how)
            rows.append({"robot": robot, "kernel": kernel, "code": code, "numbers": numbers})
    return rows


def times(folder, robot):
    """of every kernel the fastest of several runs: other programs slow some of them, and so do pages that share a cache"""
    runs = [[json.loads(line) for line in lines_of(folder / "limit_bench", robot)] for _ in range(RUNS)]
    return [min(rows, key=lambda row: row["ns"]) for rows in zip(*runs)]


def measure(folder):
    code = disassembly(folder / "limit_bench")
    data = {
        "operations": [json.loads(line) for line in lines_of(folder / "limit_count", *ROBOTS)],
        "times": [row for robot in ROBOTS for row in times(folder, robot)],
    }
    kernels = {row["kernel"] for row in data["times"]}
    data["instructions"] = [
        instructions(folder, code, robot, kernel) for robot in ROBOTS for kernel in STEPPED if kernel in kernels
    ]
    data["cache"] = cached(folder)
    return data


# ---- tables ----


def whole(x):
    return f"{x:,.0f}"


def floating(row):
    return row["multiplications"] + row["additions"]


def operations_table(data):
    lines = [
        [
            row["robot"],
            str(row["nv"]),
            whole(row["multiplications"]),
            whole(row["additions"]),
            str(row["divisions"] + row["roots"]),
            f"{8 * (row['nv'] + 3 * row['nv'] ** 2) / 1024:.1f}",
        ]
        for row in data["operations"]
    ]
    head = ["robot", "nv", "multiplications", "additions", "divisions and roots", "KiB of results"]
    return table(head, "lrrrrr", lines)


def peak_table(data):
    """the fastest of the rounds' medians; a step is a multiplication and an addition per lane"""
    lines = []
    for isa in ("x2", "x4", "x8"):
        rows = [row for row in data["times"] if row["isa"] == isa]
        if rows:
            lanes = rows[0]["lanes"]
            best = [min(row[key] for row in rows) for key in ("registers", "first cache", "second cache")]
            lines.append([str(lanes), *(f"{1 / ns:.2f}" for ns in best), f"{2 * lanes / best[0]:.0f}"])
    head = ["lanes", "in registers", "one operand from L1", "from L2", "operations"]
    return table(head, "rrrrr", lines)


def times_table(data):
    count = {row["robot"]: floating(row) for row in data["operations"]}
    lines = []
    for row in data["times"]:
        widest = max((other for other in data["times"] if other["robot"] == row["robot"]), key=lambda r: r["lanes"])
        own = count[row["robot"]] * row["registers"] / (2 * max(row["lanes"], 2))
        core = count[row["robot"]] * widest["registers"] / (2 * widest["lanes"])
        lines.append(
            [
                row["robot"],
                row["kernel"],
                f"{row['ns'] / 1e3:.2f}",
                f"{own / 1e3:.2f}",
                f"{100 * own / row['ns']:.0f} %",
                f"{100 * core / row['ns']:.0f} %",
            ]
        )
    return table(["robot", "kernel", "µs per state", "at the peak", "of its peak", "of the core's"], "llrrrr", lines)


def instructions_table(data):
    count = {row["robot"]: floating(row) for row in data["operations"]}
    time = {(row["robot"], row["kernel"]): row for row in data["times"]}
    lines = []
    for row in data["instructions"]:
        timed = time.get((row["robot"], "the same " + row["kernel"])) or time[row["robot"], row["kernel"]]
        arithmetic = row["fused"] + row["arithmetic"]
        lines.append(
            [
                row["robot"],
                row["kernel"],
                whole(row["all"]),
                whole(row["fused"]),
                whole(row["arithmetic"] + row["divisions"]),
                whole(row["moves"]),
                whole(row["vector"]),
                whole(row["integer"]),
                f"{row['code'] / 1024:.0f}",
                f"{count[row['robot']] / arithmetic:.1f}",
                f"{row['all'] / timed['ns']:.2f}",
            ]
        )
    head = ["robot", "kernel", "all", "fused", "other arithmetic", "loads, stores", "other vector", "integer"]
    return table([*head, "KiB of code", "operations each", "per nanosecond"], "ll" + "r" * 9, lines)


def memory_table(data):
    lines = []
    for robot in ROBOTS:
        rows = [r for r in data["times"] if r["robot"] == robot and r["kernel"].startswith(("scalar", "pack"))]
        results = 8 * (rows[0]["nv"] + 3 * rows[0]["nv"] ** 2)
        cells = (f"{r['work_bytes'] / 1024:.0f} + {r['lanes'] * results / 1024:.0f}" for r in rows)
        lines.append([robot, *cells])
    head = [r["kernel"] for r in rows]
    return table(["robot", *head], "l" + "r" * len(head), lines)


def cache_table(data):
    lines = [[r["robot"], r["kernel"], whole(r["code"]), whole(r["numbers"])] for r in data["cache"]]
    return table(["robot", "kernel", "instructions", "data"], "llrr", lines)


TABLES = {
    "operations": operations_table,
    "peak": peak_table,
    "times": times_table,
    "instructions": instructions_table,
    "memory": memory_table,
    "cache": cache_table,
}


def main():
    if sys.argv[1] == "--page":
        page, data = pathlib.Path(sys.argv[2]), json.loads(pathlib.Path(sys.argv[3]).read_text())
        text = page.read_text()
        for mark, make in TABLES.items():
            text = put(text, mark, make(data))
        page.write_text(text)
        return
    data = measure(pathlib.Path(sys.argv[1]).resolve())
    pathlib.Path(sys.argv[2]).write_text(json.dumps(data, indent=1) + "\n")
    for make in TABLES.values():
        print("\n" + make(data))


if __name__ == "__main__":
    main()
