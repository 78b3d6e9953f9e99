"""A picture of a robot's tree, without any other package."""

from __future__ import annotations

import os
from html import escape
from typing import List, Tuple, Union

from ._core import Model

LINE, LETTER, GAP, MARGIN = 22, 6.7, 34, 12  # pixels: between bodies, a letter's width, between columns, around
COLOURS = {"revolute": "#3b6ea5", "prismatic": "#b5651d", "free": "#8b2635", "spherical": "#4d7c3a", "fixed": "#777777"}
OTHER = "#6a4c93"


class Tree:
    """A picture of a tree: bodies from the world outward, on lines in the colour of their joints.

    A notebook shows it; `str` is the SVG text; `save` writes it, inside a page if the name ends in .html.

    >>> import hamel, hamel.plot
    >>> picture = hamel.plot.tree(hamel.load("quadruped"))
    >>> "fl_thigh" in str(picture)
    True
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    def __str__(self) -> str:
        return _svg(self.model)

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<div style='overflow:auto'>{self}</div>"

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        text = str(self)
        if os.fspath(path).endswith(".html"):
            text = f"<!doctype html><meta charset='utf-8'><title>{escape(self.model.name)}</title>{text}\n"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def _rows(model: Model) -> List[float]:
    """The height of each body: leaves one after the other, a parent half way between its first and last child."""
    children: List[List[int]] = [[] for _ in model.bodies]
    for i, body in enumerate(model.bodies):
        if body.parent >= 0:
            children[body.parent].append(i)
    rows, leaf = [0.0] * model.nbodies, 0
    for i in range(model.nbodies):
        if not children[i]:
            rows[i], leaf = float(leaf), leaf + 1
    for i in reversed(range(model.nbodies)):
        if children[i]:
            rows[i] = (rows[children[i][0]] + rows[children[i][-1]]) / 2
    return rows


def _columns(model: Model) -> Tuple[List[float], List[float]]:
    """Where each depth begins, and how wide each label is."""
    widths = [LETTER * len(body.name) + 12 for body in model.bodies]
    depths = max((body.depth for body in model.bodies), default=0) + 1
    widest = [max((w for w, b in zip(widths, model.bodies) if b.depth == d), default=0.0) for d in range(depths)]
    starts = [MARGIN + LETTER * 5 + 12 + GAP]  # after "world"
    for width in widest:
        starts.append(starts[-1] + width + GAP)
    return starts, widths


def _svg(model: Model) -> str:
    rows, (starts, widths) = _rows(model), _columns(model)
    first = min((b.depth for b in model.bodies), default=0)
    world = sum(rows[i] for i, b in enumerate(model.bodies) if b.parent < 0) / max(
        1, sum(b.parent < 0 for b in model.bodies)
    )
    height = 2 * MARGIN + LINE * (max(rows, default=0) + 1)
    edges, labels = [], [_label("world", MARGIN, world, LETTER * 5 + 12, "#333333", "")]
    for i, body in enumerate(model.bodies):
        joint, x = model.joints[body.joint], starts[body.depth - first]
        colour = COLOURS.get(joint.type, OTHER)
        parent = model.bodies[body.parent] if body.parent >= 0 else None
        begin = starts[parent.depth - first] + widths[body.parent] if parent else MARGIN + LETTER * 5 + 12
        y0, y1 = _height(rows[body.parent] if parent else world), _height(rows[i])
        middle = (begin + x) / 2
        curve = f"M{begin:.1f} {y0:.1f}C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} {x:.1f} {y1:.1f}"
        edges.append(f"<path d='{curve}' stroke='{colour}'/>")
        labels.append(_label(body.name, x, rows[i], widths[i], colour, f"{joint.name}: {joint.type}"))
    kinds = sorted({model.joints[b.joint].type for b in model.bodies})
    legend = [
        f"<text x='{MARGIN + 95 * k}' y='{height + 6:.1f}' fill='{COLOURS.get(kind, OTHER)}'>{kind}</text>"
        for k, kind in enumerate(kinds)
    ]
    width = max(starts[-1], MARGIN + 95.0 * len(kinds))
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height + 16:.0f}' "
        f"viewBox='0 0 {width:.0f} {height + 16:.0f}' font-family='monospace' font-size='11'>"
        f"<g fill='none' stroke-width='1.5'>{''.join(edges)}</g>{''.join(labels)}{''.join(legend)}</svg>"
    )


def _height(row: float) -> float:
    return MARGIN + LINE * (row + 0.5)


def _label(text: str, x: float, row: float, width: float, colour: str, title: str) -> str:
    y = _height(row)
    return (
        f"<g><title>{escape(title or text)}</title>"
        f"<rect x='{x:.1f}' y='{y - 8:.1f}' width='{width:.1f}' height='16' rx='4' "
        f"fill='white' stroke='{colour}'/><text x='{x + 6:.1f}' y='{y + 4:.1f}'>{escape(text)}</text></g>"
    )
