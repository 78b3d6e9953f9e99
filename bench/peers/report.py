"""Tables and a picture of what the dynamics benchmark measured.

    report.py FILE.json                           prints the tables of a file
    report.py --page PAGE --picture SVG FOLDER    puts those of FOLDER/bench*.json between the page's marks
"""

import argparse
import json
import pathlib
import re
import statistics

NATIVE = ("pinocchio-native", "pinocchio-haswell")  # Pinocchio's best build
SHORT = {
    "linearize": "linearization",
    "constrained_linearize": "linearization, feet held",
    "rnea": "inverse dynamics",
    "aba": "forward dynamics",
    "crba": "mass matrix",
    "factorization": "mass matrix and its factors",
    "minv": "inverse mass matrix",
    "forward_kinematics": "poses",
    "jacobians": "all joint Jacobians",
    "integrate": "q ⊕ ν",
    "step_linearize": "A_d, B_d of an Euler step",
    "rnea_derivatives": "derivatives of inverse dynamics",
    "coriolis": "Coriolis matrix",
    "regressor": "regressor",
    "centroidal": "centroidal A and Ȧ",
    "frame_jacobian": "one frame's pose and J",
    "com_jacobian": "centre of mass and its J",
    "gravity": "gravity torque and its derivative",
    "centroidal_derivatives": "∂h/∂q, ∂ḣ/∂q, ∂ḣ/∂ν, A",
    "frame_rate": "one frame's pose, J and J̇",
    "frame_derivatives": "derivatives of a frame's twist and acceleration",
    "com_derivative": "∂(velocity of the centre of mass)/∂q",
    "static_torque": "static torque's derivative",
    "step_rk4": "A_d, B_d of a Munthe-Kaas step, order 4",
}
TABLES = ("linearize", "constrained_linearize")  # they have tables of their own
SHOWN = ("ur5", "solo12", "simple_humanoid")  # the robots whose other algorithms are on the page


def cases(rows):
    """(robot, algorithm) → Hamel's numbers and the peers' by name, in the file's order"""
    found = {}
    for row in rows:
        case = found.setdefault((row["robot"], row["algorithm"]), dict(row, peers={}))
        if row["peer"]:
            case["peers"][row["peer"]] = row["peer_ns"]
    return found


def best(case):
    return min((ns for peer, ns in case["peers"].items() if peer.startswith("pinocchio")), default=None)


def time(ns):
    if ns is None:
        return "–"
    return f"{ns / 1e3:.3g}" if ns < 999.5e3 else f"{ns / 1e3:.0f}"


def ratio(peer, ours):
    return "–" if peer is None or ours is None else f"{peer / ours:.2f}"


def table(head, align, lines):
    rule = [{"l": "---", "r": "---:"}[a] for a in align]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *lines])


def peer(case, *names):
    return next((case["peers"][n] for n in names if n in case["peers"]), None)


def cells(case):
    return [
        time(case["hamel_ns"]),
        time(case["hamel_batch_ns"]),
        time(case["hamel_batch_all_cores_ns"]),
        time(peer(case, "pinocchio-wheel")),
        time(peer(case, *NATIVE)),
        time(peer(case, "mujoco")),
        ratio(best(case), case["hamel_ns"]),
        ratio(best(case), case["hamel_batch_ns"]),
    ]


COLUMNS = ["one call", "batch", "all cores", "Pinocchio, shipped", "native", "MuJoCo", "÷ one call", "÷ batch"]


def made(robot):
    return robot.startswith(("tree-", "chain-"))


def linearize_table(found):
    lines = [
        [robot, str(case["nv"]), *cells(case)[:3], time(case["hamel_stream_ns"]), *cells(case)[3:]]
        for (robot, algorithm), case in sorted(found.items(), key=lambda item: item[1]["nv"])
        if algorithm == "linearize" and not made(robot)
    ]
    return table(["robot", "nv", *COLUMNS[:3], "A, B to memory", *COLUMNS[3:]], "lrrrrrrrrrr", lines)


def held_table(found):
    lines = [
        [robot, str(case["nv"]), *cells(case)[:5], *cells(case)[6:]]
        for (robot, algorithm), case in sorted(found.items(), key=lambda item: item[1]["nv"])
        if algorithm == "constrained_linearize" and not made(robot)
    ]
    return table(["robot", "nv", *COLUMNS[:5], *COLUMNS[6:]], "lrrrrrrrr", lines)


def algorithms_table(found, robots):
    lines = [
        [f"{SHORT[algorithm]}", robot, str(case["nv"]), *cells(case)]
        for name in SHORT
        for (robot, algorithm), case in found.items()
        if algorithm == name and name not in TABLES and not made(robot) and (robots is None or robot in robots)
    ]
    return table(["algorithm", "robot", "nv", *COLUMNS], "llrrrrrrrrr", lines)


def summary_table(found):
    """how many times as fast as the best Pinocchio, over the robots; without the algorithms that it does not have"""

    def spread(values):
        if not values:
            return ["–", "–"]
        return [f"{statistics.median(values):.2f}", f"{min(values):.2f} – {max(values):.2f}"]

    lines = []
    for name in SHORT:
        group = [c for (r, a), c in found.items() if a == name and not made(r) and best(c)]
        if not group:
            continue
        single = [best(c) / c["hamel_ns"] for c in group]
        batch = [best(c) / c["hamel_batch_ns"] for c in group if c["hamel_batch_ns"]]
        lines.append([SHORT[name], str(len(group)), *spread(single), str(sum(x < 1 for x in single)), *spread(batch)])
    head = ["algorithm", "robots", "one call", "range", "slower on", "batch", "range"]
    return table(head, "lrrrrrr", lines)


def scaling_table(found):
    lines = []
    for (robot, algorithm), case in found.items():
        if algorithm != "linearize" or not made(robot):
            continue
        other = found.get((robot, "finite_differences"))
        reference = found.get((robot, "reference"))
        lines.append(
            [
                robot,
                str(case["nv"]),
                time(case["hamel_ns"]),
                time(case["hamel_batch_ns"]),
                time(peer(case, *NATIVE)),
                ratio(best(case), case["hamel_ns"]),
                ratio(best(case), case["hamel_batch_ns"]),
                time(other and other["hamel_ns"]),
                time(other and best(other)),
                time(reference and reference["hamel_ns"]),
                time(peer(case, "mujoco")),
            ]
        )
    head = ["robot", "nv", "one call", "batch", "Pinocchio, native", "÷ one call", "÷ batch", "our differences"]
    head += ["Pinocchio's", "reference", "MuJoCo"]
    return table(head, "lrrrrrrrrrr", lines)


def instructions_table(rows):
    names = list(dict.fromkeys(row["contender"] for row in rows))
    robots = list(dict.fromkeys(row["robot"] for row in rows))
    count = {(row["robot"], row["contender"]): row["instructions"] for row in rows}
    lines = [[robot, *(f"{count.get((robot, n), 0):,}" for n in names)] for robot in robots]
    return table(["robot", *names], "l" + "r" * len(names), lines)


def cores_table(rows):
    lines = [
        [
            row["robot"],
            str(row["nv"]),
            str(row["cores"]),
            str(row["states"]),
            f"{row['ns'] * row['cores'] / 1e3:.3g}",
            f"{1e6 / row['ns']:.0f}",
            f"{row['efficiency']:.2f}",
        ]
        for row in rows
    ]
    head = ["robot", "nv", "cores", "states", "µs per state on each", "states per millisecond", "together ÷ alone"]
    return table(head, "lrrrrrr", lines)


def machine(data):
    peers = "; ".join(data["peers"].values())
    runs = f" Medians of {data['runs']} runs." if data.get("runs", 1) > 1 else ""
    return (
        f"{data['processor']}, {data['cores']} cores, Hamel with packs of {data['isa'][1:]} "
        f"compiled by gcc {data['compiler']}. Peers: {peers}.{runs}"
    )


# ---- the picture ----

SERIES = [  # name, colour, how to find it
    ("Pinocchio, as shipped", "#c9a26b", lambda c: peer(c, "pinocchio-wheel")),
    ("Pinocchio, native", "#b5562f", lambda c: peer(c, *NATIVE)),
    ("Hamel, one call", "#6f93b5", lambda c: c["hamel_ns"]),
    ("Hamel, batch of 64", "#24496b", lambda c: c["hamel_batch_ns"]),
]


def text(x, y, words, size=13, anchor="start", colour="#2b2b2b"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def picture(found):
    """microseconds per linearization: one line per robot, one bar per contender; the slowest sets the scale"""
    shown = [
        (robot, case)
        for (robot, algorithm), case in sorted(found.items(), key=lambda item: item[1]["nv"])
        if algorithm == "linearize" and not made(robot) and best(case)
    ]
    bar, gap, top, left, width = 9, 16, 96, 190, 600
    height = top + len(shown) * (len(SERIES) * bar + gap) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 {height}" font-family="Helvetica, Arial, sans-serif" '
        'role="img" aria-labelledby="title desc">',
        '<title id="title">Microseconds per linearization, Hamel and Pinocchio</title>',
        '<desc id="desc">For every robot four bars: Pinocchio as shipped, Pinocchio compiled for the processor, Hamel one '
        "call per state, Hamel in batches of 64. The numbers are in the table of the page.</desc>",
        f'<rect x="1" y="1" width="958" height="{height - 2}" rx="14" fill="#fffdf8" stroke="#d8d2c4"/>',
        text(24, 36, "Time per linearization", 20),
        text(24, 58, "ν̇, D_q, D_ν and M⁻¹ of one state on one core, in µs; each robot’s longest bar is its slowest", 13),
    ]
    x = 24.0
    for name, colour, _ in SERIES:
        parts.append(f'<rect x="{x:.0f}" y="70" width="12" height="12" fill="{colour}"/>' + text(x + 18, 81, name))
        x += 40 + 7.2 * len(name)
    y = top
    for robot, case in shown:
        values = [find(case) for _, _, find in SERIES]
        most = max(v for v in values if v)
        parts.append(text(left - 12, y + 24, f"{robot}, nv {case['nv']}", 13, "end"))
        for (_, colour, _), value in zip(SERIES, values):
            if value:
                length = width * value / most
                parts.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 1}" fill="{colour}"/>')
                parts.append(text(left + length + 6, y + bar - 1, f"{value / 1e3:.3g}", 10))
            y += bar
        y += gap
    return "\n".join([*parts, "</svg>"]) + "\n"


# ---- the page ----


def put(page, mark, content):
    """replaces what stands between <!-- mark --> and <!-- end -->"""
    pattern = rf"(<!-- {mark} -->\n).*?(<!-- end -->)"
    new, count = re.subn(pattern, lambda m: f"{m[1]}\n{content}\n\n{m[2]}", page, flags=re.S)
    if not count:
        raise SystemExit(f"no mark {mark}")
    return new


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--picture", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    options = parser.parse_args()
    if not options.page:
        data = json.loads(options.source.read_text())
        if "efficiency" in data["rows"][0]:
            print("\nA batch on several cores\n\n" + cores_table(data["rows"]))
            return
        if "processor" not in data:
            print("\nInstructions per linearization\n\n" + instructions_table(data["rows"]))
            return
        found = cases(data["rows"])
        print(f"\n{machine(data)}\nMicroseconds per state. ÷: how many times as fast as the faster Pinocchio.\n")
        for part in (linearize_table, held_table, lambda f: algorithms_table(f, None), summary_table, scaling_table):
            print(part(found) + "\n")
        return
    page = options.page.read_text()
    for name in ("bench", "bench-avx2", "bench-instructions", "bench-cores"):
        path = options.source / f"{name}.json"
        if not path.exists():
            print(f"{path} is not there: its tables stay as they are")
            continue
        data = json.loads(path.read_text())
        if name == "bench-instructions":
            page = put(page, "instructions", instructions_table(data["rows"]))
            continue
        if name == "bench-cores":
            page = put(page, "cores", cores_table(data["rows"]))
            continue
        found = cases(data["rows"])
        if name == "bench-avx2":
            page = put(page, "avx2", summary_table(found))
            continue
        page = put(page, "machine", machine(data))
        page = put(page, "linearize", linearize_table(found))
        page = put(page, "held", held_table(found))
        page = put(page, "algorithms", algorithms_table(found, SHOWN))
        page = put(page, "summary", summary_table(found))
        page = put(page, "scaling", scaling_table(found))
        options.picture.write_text(picture(found))
    options.page.write_text(page)


if __name__ == "__main__":
    main()
