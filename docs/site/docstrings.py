"""The package's docstrings are plain text laid out by hand. Here they become paragraphs, tables and examples."""

import inspect
import re

SPAN = re.compile(r"``[^`]+``|`[^`]+`")
RESULT = re.compile(r"^ *→ (\w+)(?:  +(.*))?$")
ROW = re.compile(r"^ *([\w*]+(?:, [\w*]+)*)  +(\S.*)$")


def escaped(text: str) -> str:
    """As reStructuredText says it; words in backticks are code"""
    out, end = [], 0
    for match in SPAN.finditer(text):
        out += [re.sub(r"([\\*_|`])", r"\\\1", text[end : match.start()]), f"``{match[0].strip('`')}``"]
        end = match.end()
        if text[end : end + 1].isalnum():
            out.append("\\ ")
    return "".join(out) + re.sub(r"([\\*_|`])", r"\\\1", text[end:])


def table(rows: list[tuple[str, str]], head: tuple[str, str]) -> list[str]:
    out = [".. list-table::", "   :header-rows: 1", "   :widths: 25 75", "", f"   * - {head[0]}", f"     - {head[1]}"]
    for name, text in rows:
        out += [f"   * - ``{name}``", f"     - {escaped(text)}"]
    return [*out, ""]


def rst(text: str) -> list[str]:
    out: list[str] = []
    lines = inspect.cleandoc(text).splitlines()
    i = 0
    while i < len(lines):
        line = lines[i]
        if line.lstrip().startswith(">>>"):
            block = []
            while i < len(lines) and lines[i].strip():
                block.append("   " + lines[i].strip() if not lines[i].startswith(" ") else "   " + lines[i])
                i += 1
            out += ["", ".. code-block:: pycon", "", *block, ""]
            continue
        result, row = RESULT.match(line), ROW.match(line)
        if result or (row and not line.endswith(".")) or (row and line.startswith(" ")):
            i, made = rows_at(lines, i)
            out += ["", *made]
            continue
        if line.startswith("  "):
            block = []
            while i < len(lines) and (lines[i].startswith("  ") or not lines[i].strip()):
                block.append("   " + lines[i])
                i += 1
            out += ["", ".. code-block:: text", "", *block, ""]
            continue
        out.append(escaped(line))
        i += 1
    return out


def rows_at(lines: list[str], i: int) -> tuple[int, list[str]]:
    """The tables of arguments and of results that begin here"""
    taken: list[tuple[str, str]] = []
    given: list[tuple[str, str]] = []
    kind = ""
    indent = len(lines[i]) - len(lines[i].lstrip())
    while i < len(lines) and lines[i].strip():
        line = lines[i]
        own = len(line) - len(line.lstrip())
        result, row = RESULT.match(line), ROW.match(line)
        rows = given if given or kind or result else taken
        if result and result[2] is None:
            kind = result[1]
        elif result:
            given.append((result[1], result[2]))
        elif row and own <= indent + 4:
            rows.append((row[1], row[2]))
        elif rows and own > indent:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {line.strip()}")
        else:
            break
        i += 1
    made = table(taken, ("argument", "")) if taken else []
    if given:
        made += ["", *table(given, ("result" if not kind else f"of {kind}", ""))]
    return i, made


def process(app, what, name, obj, options, lines):
    if what != "module" and lines:
        lines[:] = rst("\n".join(lines))
