#!/usr/bin/env python3
"""What readers_study prints, as the table and the plot of docs/robustness.md.

Usage: readers.py [--picture FILE.svg] PROGRAM [RUNS]
"""

import math
import subprocess
import sys

COLOURS = {"URDF": "#1f5fbf", "MJCF": "#d9480f", "JSON": "#2b8a3e", "state": "#7048a8", "scene": "#868e96"}
LEFT, TOP, WIDTH, HEIGHT = 64, 92, 350, 300
BYTES = (4, 7)  # powers of ten on the axis below


def measurements(command):
    """(kind, shape, format) → [(bytes of the file, milliseconds, bytes of memory, loads or refused)]"""
    curves = {}
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        form, shape, what, size, milliseconds, memory, status = line.split("\t")
        kind = form if what == "model" else what
        curves.setdefault((kind, shape, form), []).append((int(size), float(milliseconds), int(memory), status))
    return curves


def near(points, size):
    return min(points, key=lambda p: abs(math.log(p[0] / size)))


def number(x):
    return f"{x:.0f}" if x >= 10 else f"{x:.1f}" if x >= 0.1 else f"{x:.2f}"


def print_table(curves):
    """Shape by shape: time and memory of the model at 1 MB and 10 MB, then of the scene at 10 MB."""
    print("| | file | | ms, 1 MB | ms, 10 MB | memory, 1 MB | memory, 10 MB | scene: ms, 10 MB | memory, 10 MB |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for (kind, shape, form), points in curves.items():
        if kind == "scene":
            continue
        small, large = near(points, 1e6), near(points, 1e7)
        scene = curves.get(("scene", shape, form))
        last = near(scene, 1e7) if scene else None
        cells = [number(small[1]), number(large[1]), number(1e-6 * small[2]), number(1e-6 * large[2])]
        cells += [number(last[1]), number(1e-6 * last[2])] if last else ["", ""]
        print(f"| {kind} | {shape} | {large[3]} | " + " | ".join(cells) + " |")


def panel(x, title, unit, low, high, curves, column, scale):
    """A plot with two logarithmic axes; the grey line is proportional to the size."""

    def at(size, value):
        across = (math.log10(size) - BYTES[0]) / (BYTES[1] - BYTES[0])
        up = (math.log10(max(value, 10**low)) - low) / (high - low)
        return x + LEFT + WIDTH * across, TOP + HEIGHT * (1 - up)

    out = [f'<rect class="panel" x="{x}" y="62" width="440" height="378" rx="8"/>']
    out.append(f'<text class="name" x="{x + 12}" y="82">{title}</text>')
    for power in range(low, high + 1):
        _, y = at(1e4, 10**power)
        label = f"{10**power:g}" if -3 <= power <= 4 else f"1e{power}"
        out.append(f'<path class="grid" d="M{x + LEFT} {y:.1f} h{WIDTH}"/>')
        out.append(f'<text class="small" text-anchor="end" x="{x + LEFT - 6}" y="{y + 4:.1f}">{label}</text>')
    for power, label in zip(range(BYTES[0], BYTES[1] + 1), ("10 kB", "100 kB", "1 MB", "10 MB")):
        px, _ = at(10**power, 1)
        out.append(f'<path class="grid" d="M{px:.1f} {TOP} v{HEIGHT}"/>')
        out.append(f'<text class="small" text-anchor="middle" x="{px:.1f}" y="{TOP + HEIGHT + 18}">{label}</text>')
    out.append(f'<text class="small" x="{x + LEFT}" y="{TOP + HEIGHT + 38}">{unit}</text>')
    (x0, y0), (x1, y1) = at(1e4, 10 ** (high - 3)), at(1e7, 10**high)
    out.append(f'<path d="M{x0:.1f} {y0:.1f} L{x1:.1f} {y1:.1f}" class="slope"/>')
    out.append(f'<text class="small" text-anchor="end" x="{x1 - 44:.1f}" y="{y1 + 26:.1f}">∝ n</text>')
    for (kind, _, _), points in curves.items():
        path = " L".join("%.1f %.1f" % at(p[0], scale * p[column]) for p in points)
        dash = ' stroke-dasharray="3 3"' if points[-1][3] == "refused" else ""
        out.append(f'<path d="M{path}" fill="none" stroke="{COLOURS[kind]}" stroke-width="1.3" opacity="0.75"{dash}/>')
    return out


def write_picture(file, curves):
    slowest = max(1e6 * p[-1][1] / p[-1][0] for p in curves.values())
    greediest = max(p[-1][2] / p[-1][0] for p in curves.values())
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 922 454" width="922" height="454" role="img" '
        'aria-labelledby="title desc">',
        '<title id="title">Time and memory of the readers over the size of a file</title>',
        f'<desc id="desc">Two plots with logarithmic axes, {len(curves)} curves each, for files of 10 kB to 10 MB: '
        f"milliseconds, {slowest:.0f} per megabyte at most, and megabytes of memory, {greediest:.0f} bytes per byte at most. "
        "No curve is steeper than a line proportional to the size.</desc>",
        '<style>text { font-family: "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #22262b; } '
        ".card { fill: #ffffff; stroke: #d5dae2; } .panel { fill: #f7f8fa; stroke: #e3e7ed; } "
        ".title { font-size: 19px; font-weight: bold; } .name { font-size: 14px; font-weight: bold; } "
        ".small { font-size: 12.5px; fill: #6b7280; } .grid { stroke: #dfe3e9; fill: none; } "
        ".slope { stroke: #adb5bd; stroke-width: 5; fill: none; opacity: 0.6; }</style>",
        '<rect class="card" x="0.5" y="0.5" width="921" height="453" rx="10"/>',
        '<text class="title" x="14" y="32">Files of every shape: time and memory</text>',
    ]
    for k, (kind, colour) in enumerate(COLOURS.items()):
        lines.append(f'<path d="M{430 + 82 * k} 27 h20" stroke="{colour}" stroke-width="3"/>')
        lines.append(f'<text class="small" x="{455 + 82 * k}" y="31">{kind}</text>')
    lines.append('<path d="M842 27 h20" stroke="#22262b" stroke-dasharray="3 3"/>')
    lines.append('<text class="small" x="867" y="31">refused</text>')
    lines += panel(14, "time", "milliseconds of processor time", -2, 4, curves, 1, 1)
    lines += panel(468, "memory", "megabytes at the peak, beside the file", -2, 4, curves, 2, 1e-6)
    with open(file, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n</svg>\n")


def main():
    arguments = sys.argv[1:]
    picture = None
    if arguments[:1] == ["--picture"]:
        picture, arguments = arguments[1], arguments[2:]
    curves = measurements(arguments)
    print_table(curves)
    if picture:
        write_picture(picture, curves)


main()
