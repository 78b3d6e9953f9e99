"""Runs the tutorials in docs/tutorials and keeps their pictures. Usage: python tutorials.py [NAME...]

A page is one session. Its cells are the blocks of ```{code-cell}; one tagged "picture" draws with matplotlib and leaves
a `figure`, which becomes docs/pictures/tutorial-FIRST-WORD.svg.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "tutorials"


def cells(name):
    """The cells of a page: (code, whether it draws)."""
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```\{code-cell\} python\n(.*?)^```", text, re.M | re.S):
        code = re.sub(r"\A(:.*\n)+", "", block)
        yield code, code != block


def run(name, pictures=False):
    """Runs a page, without its pictures unless they are wanted; what it has defined."""
    names = {"__name__": name}
    for i, (code, draws) in enumerate(cells(name)):
        if pictures or not draws:
            exec(compile(code, f"{name}.md, cell {i + 1}", "exec"), names)
    return names


def main():
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "hamel", "svg.fonttype": "none"})  # the same picture is the same file
    for name in sys.argv[1:] or sorted(p.stem for p in PAGES.glob("*.md")):
        print(name)
        figure = run(name, pictures=True).get("figure")
        if figure:
            figure.savefig(ROOT / "docs" / "pictures" / f"tutorial-{name.split('-')[0]}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
