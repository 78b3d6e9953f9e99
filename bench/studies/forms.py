#!/usr/bin/env python3
"""Tables of what linear_bench and forms_count print, and the plot of docs/newton-euler-forms.md.

Usage: forms.py [--picture FILE.svg] PROGRAM...
"""

import math
import subprocess
import sys

FORMS = {"left": "#1f5fbf", "right": "#d9480f", "mixed": "#2b8a3e", "split": "#7048a8"}
RUNS = 5  # the best of them counts
NAMED = ["screws", "vectors turned", "inertias", "brackets", "cross products"]


def measurements(programs):
    """Times by (algorithm, shape, bodies) and counts by (form, bodies, what)."""
    time, count = {}, {}
    for program in RUNS * programs:
        out = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        for line in out.splitlines():
            first, second, third, value = line.split("\t")
            if second.isdigit():
                count[first, int(second), third] = int(value)
            else:
                key = first, second, int(third)
                time[key] = min(float(value), time.get(key, math.inf))
    return time, count


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("| --- |" + " --: |" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def operations(count, form, n):
    return count[form, n, "multiplications"] + count[form, n, "additions"]


def print_counts(count):
    sizes = sorted({n for _, n, _ in count})
    head = ["multiplications + additions, poses apart", *(f"n = {n}" for n in sizes)]
    rows = []
    for form in ["poses", *FORMS]:
        cells = (f"{count[form, n, 'multiplications']} + {count[form, n, 'additions']}" for n in sizes)
        rows.append([form, *cells])
    table(head, rows)
    n = sizes[-1]
    table([f"calls, n = {n}", *NAMED], [[form, *(str(count[form, n, what]) for what in NAMED)] for form in FORMS])


def print_times(time):
    algorithms = list(dict.fromkeys(algorithm for algorithm, _, _ in time))
    for shape in ("chain", "tree"):
        sizes = sorted({n for _, s, n in time if s == shape})
        rows = [[a, *(f"{time[a, shape, n]:.0f}" for n in sizes)] for a in algorithms]
        table([f"nanoseconds per body, {shape}", *(f"n = {n}" for n in sizes)], rows)


def panel(x, title, unit, curves, most):
    """One plot: n on a logarithmic axis, a curve a form from zero up to `most`."""
    left, top, width, height = x + 56, 92, 370, 240

    def at(n, value):
        return left + width * math.log10(n) / 3, top + height * (1 - value / most)

    out = [f'<rect class="panel" x="{x}" y="62" width="450" height="318" rx="8"/>']
    out.append(f'<text class="name" x="{x + 12}" y="82">{title}</text>')
    for k in range(5):
        value = most * k / 4
        _, y = at(1, value)
        out.append(f'<path class="grid" d="M{left} {y:.1f} H{left + width}"/>')
        out.append(f'<text class="small" text-anchor="end" x="{left - 6}" y="{y + 4:.1f}">{value:.0f}</text>')
    for n in (1, 10, 100, 1000):
        px, _ = at(n, 0)
        out.append(f'<path class="grid" d="M{px:.1f} {top} V{top + height}"/>')
        out.append(f'<text class="small" text-anchor="middle" x="{px:.1f}" y="{top + height + 16}">{n}</text>')
    out.append(f'<text class="small" text-anchor="end" x="{left + width}" y="{top + height + 34}">bodies</text>')
    out.append(f'<text class="small" x="{left}" y="{top + height + 34}">{unit}</text>')
    for form, points in curves.items():
        path = " L".join(f"{px:.1f} {py:.1f}" for px, py in (at(n, value) for n, value in points))
        out.append(f'<path d="M{path}" fill="none" stroke="{FORMS[form]}" stroke-width="2.2"/>')
    return out


def write_picture(file, time, count):
    sizes = sorted({n for _, n, _ in count})
    counts = {f: [(n, (operations(count, f, n) + operations(count, "poses", n)) / n) for n in sizes] for f in FORMS}
    times = {f: [(n, time[f"hml_rnea {f}", "chain", n]) for n in sizes] for f in FORMS}
    slowest = max(value for points in times.values() for _, value in points)
    last = ", ".join(f"{f} {counts[f][-1][1]:.0f}" for f in FORMS)
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 942 396" width="942" height="396" role="img" '
        'aria-labelledby="title desc">',
        '<title id="title">Newton-Euler in four forms: operations and time per body</title>',
        '<desc id="desc">Two plots over the number of bodies of a chain, 1 to 1000: multiplications and additions per body, '
        f"at 1000 bodies {last}; and nanoseconds per body. All eight curves are nearly level: the cost is linear.</desc>",
        '<style>text { font-family: "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #22262b; } '
        ".card { fill: #ffffff; stroke: #d5dae2; } .panel { fill: #f7f8fa; stroke: #e3e7ed; } "
        ".title { font-size: 19px; font-weight: bold; } .name { font-size: 14px; font-weight: bold; } "
        ".small { font-size: 12.5px; fill: #6b7280; } .grid { stroke: #dfe3e9; fill: none; }</style>",
        '<rect class="card" x="0.5" y="0.5" width="941" height="395" rx="10"/>',
        '<text class="title" x="14" y="32">Newton-Euler in four forms</text>',
    ]
    for k, (form, colour) in enumerate(FORMS.items()):
        lines.append(f'<path d="M{560 + 92 * k} 27 h22" stroke="{colour}" stroke-width="3"/>')
        lines.append(f'<text class="small" x="{588 + 92 * k}" y="31">{form}</text>')
    lines += panel(14, "operations per body", "multiplications and additions, poses included", counts, 800)
    lines += panel(478, "time per body", "nanoseconds", times, 100 * math.ceil(slowest / 100))
    with open(file, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n</svg>\n")


def main():
    arguments = sys.argv[1:]
    picture = None
    if arguments[:1] == ["--picture"]:
        picture, arguments = arguments[1], arguments[2:]
    time, count = measurements(arguments)
    if count:
        print_counts(count)
    if time:
        print_times(time)
    if picture:
        write_picture(picture, time, count)


main()
