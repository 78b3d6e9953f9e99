#!/usr/bin/env python3
"""Writes docs/equations.md from docs/equations.tsv: which function evaluates an equation of the papers, which test proves it.

Before it writes it checks that every equation of docs/equations.list has one row, that a row names functions of the
public headers and tests that are there, or is a (definition) with the page of docs/ that adopts it. A test is found by
the name of its file and its own name anywhere below tests/ and python/tests/. Every function of a row is called by one
of its tests, by itself or through what its file and the headers of the tests define; a test of the command stands for
what cli/ calls.

Usage: check-equations.py [--check]    --check writes nothing and fails where the page is not what it would write
"""

import ast
import functools
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[1]
table, wanted, page = root / "docs/equations.tsv", root / "docs/equations.list", root / "docs/equations.md"
columns = ["paper", "equation", "what", "function", "test", "remark"]
definition = "(definition)"


def expected():
    """{paper: [equation, …]} in the order of docs/equations.list"""
    papers = {}
    for line in wanted.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        paper, numbers = line.split(": ", 1)
        for item in numbers.split("; "):
            if range_ := re.fullmatch(r"(\d+)-(\d+)", item):
                names = [str(n) for n in range(int(range_[1]), int(range_[2]) + 1)]
            elif range_ := re.fullmatch(r"(\d+)([a-z])-([a-z])", item):
                names = [range_[1] + chr(c) for c in range(ord(range_[2]), ord(range_[3]) + 1)]
            else:
                names = [item]
            papers.setdefault(paper, []).extend(names)
    return papers


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def public_functions():
    """{function: header}"""
    found = {}
    for header in sorted((root / "include/hamel").rglob("*.h")):
        for statement in re.split(r"[;{}]", without_comments(header.read_text(encoding="utf-8"))):
            if "typedef" in statement:
                continue
            for name in re.findall(r"\b(hml_\w+)\s*\(", statement):
                found.setdefault(name, header)
    return found


def all_tests():
    """{name of a file: {its path: names of its tests}}"""
    files = {}
    for folder in "tests", "python/tests":
        for path in sorted((root / folder).rglob("test_*")):
            if path.suffix == ".c":
                names = re.findall(r"\bcmocka_unit_test\w*\(\s*(\w+)", without_comments(path.read_text(encoding="utf-8")))
            elif path.suffix == ".py":
                names = re.findall(r"^\s*def (test_\w+)\(", path.read_text(encoding="utf-8"), flags=re.M)
            else:
                continue
            files.setdefault(path.name, {})[path] = set(names)
    return files


def definitions(text):
    """{name: text} of what stands at the top level of a C file: functions, variables, types, macros"""
    found = {}

    def take_macro(match):
        found[match[1]] = found.get(match[1], "") + match[0]
        return ""

    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', without_comments(text))
    text = re.sub(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]*\\\n)*[^\n]*", take_macro, text, flags=re.M)
    text = re.sub(r"^[ \t]*#[^\n]*", "", text, flags=re.M)
    depth = start = 0
    for match in re.finditer(r"[{};]", text):
        depth += {"{": 1, "}": -1, ";": 0}[match[0]]
        piece = text[start : match.end()]
        if depth or match[0] == "{" or (match[0] == "}" and not re.search(r"\)\s*$", piece.split("{", 1)[0])):
            continue  # inside, or before the semicolon after an initializer
        for name in re.findall(r"\b([A-Za-z_]\w*)\s*(?=[(=\[;,]|$)", piece.split("{", 1)[0].strip()):
            found[name] = found.get(name, "") + piece
        start = match.end()
    return found


@functools.cache
def definitions_with_headers(path):
    found, seen, todo = {}, {path}, [path]
    while todo:
        here = todo.pop()
        text = here.read_text(encoding="utf-8")
        for name, body in definitions(text).items():
            found[name] = found.get(name, "") + body
        for name in re.findall(r'#include "([\w/]+\.h)"', text):
            for folder in here.parent, root / "tests/check", root / "tests/num":
                if (folder / name).is_file() and folder / name not in seen:
                    seen.add(folder / name)
                    todo.append(folder / name)
    return found


def names_below(path, test):
    """All names that a test of a C file uses, by itself or through what it uses"""
    defined, seen, todo = definitions_with_headers(path), set(), [test]
    while todo:
        for name in set(re.findall(r"[A-Za-z_][\w#]*", defined.get(todo.pop(), ""))) - seen:
            seen.add(name)
            todo.append(name)
    return seen


def names_below_python(path, test):
    """The same for Python: attributes of hamel and of its objects"""
    functions = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            functions[node.name] = node
    seen, todo = set(), [test]
    while todo:
        for node in ast.walk(functions.get(todo.pop(), ast.Module([], []))):
            name = getattr(node, "attr", None) or getattr(node, "id", None)
            if name and name not in seen:
                seen.add(name)
                todo.append(name)
    return {"hml_" + name for name in seen}


def called_by(path, test):
    """A pattern for the public functions that a test calls; a macro's hml_##a##_rate is any such name"""
    if path.parent.name == "cli":
        text = "".join(source.read_text(encoding="utf-8") for source in sorted((root / "cli").glob("*.c")))
        names = set(re.findall(r"\bhml_\w+", without_comments(text)))
    elif path.suffix == ".py":
        names = names_below_python(path, test)
    else:
        names = {name for name in names_below(path, test) if name.startswith("hml_")}
    return re.compile("|".join(re.sub(r"##\w+?##|##\w+", r"\\w+", name) for name in sorted(names)) or "$^")


def find_test(tests, name):
    """The file a test FILE:NAME is in, or what is wrong with it"""
    file, _, test = name.partition(":")
    for path, names in tests.get(file, {}).items():
        if test in names:
            return path, ""
    elsewhere = sorted(path.name for paths in tests.values() for path, names in paths.items() if test in names)
    hint = f"; it is in {', '.join(elsewhere)}" if elsewhere else ""
    return None, f"no test {test} in a file {file}{hint}"


def read_rows(complain):
    rows = []
    lines = table.read_text(encoding="utf-8").splitlines()
    if lines[0].split("\t") != columns:
        complain(1, f"the first line must be {' '.join(columns)}")
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(columns) or any(cell != cell.strip() for cell in cells):
            complain(number, f"wants {len(columns)} columns, separated by tabs, without other space around them")
            continue
        rows.append((number, dict(zip(columns, cells))))
    return rows


def check_row(row, functions, tests, calls, complain):
    if not row["what"]:
        complain("says not what it is")
    if row["function"] == definition:
        pages = re.findall(r"\b([\w/-]+\.md)\b", row["remark"])
        if row["test"]:
            complain("a definition has no test")
        if not pages:
            complain("a definition wants the page of docs/ that adopts it")
        for name in pages:
            if not (root / "docs" / name).is_file():
                complain(f"no page docs/{name}")
        return
    if not row["function"] or not row["test"]:
        complain("open: wants a function and a test, or (definition)")
    paths = []
    for name in filter(None, row["test"].split(", ")):
        path, complaint = find_test(tests, name)
        if path:
            paths.append((path, name.partition(":")[2]))
        else:
            complain(complaint)
    for name in filter(None, row["function"].split(", ")):
        if name not in functions:
            complain(f"no function {name} in the public headers")
        elif paths and not any(calls(*place).fullmatch(name) for place in paths):
            complain(f"{name} is called by none of its tests")


def escape(text):
    return re.sub(r"([\\*|\[\]<_])", r"\\\1", text)


def link_pages(text):
    return re.sub(r"[\w/-]+\.md\b", r"[\g<0>](\g<0>)", escape(text))


def label(path):
    return "/".join(path.relative_to(root).parts[-2:]) if path.parts[-3] != "python" else f"python/{path.name}"


def write_page(papers, rows, functions, tests):
    used = {}

    def link_functions(cell):
        for name in cell.split(", "):
            used[name] = functions[name]
        return ", ".join(f"[{name}]" for name in cell.split(", "))

    def link_tests(cell):
        files = {}
        for name in cell.split(", "):
            path = find_test(tests, name)[0]
            files.setdefault(label(path), []).append(name.partition(":")[2])
            used[label(path)] = path
        return "; ".join(f"[{file}]: {escape(', '.join(names))}" for file, names in files.items())

    out = [
        "# From equations to functions and tests",
        "",
        "<!-- written by scripts/check-equations.py from equations.tsv: change that and run it -->",
        "",
        "Every numbered equation of the five papers behind Hamel, the function that evaluates it, and the test that fails if it is",
        "wrong. What has no number in its paper is named by its place. [papers.md](papers.md) says which paper is which and lists their",
        "misprints; [conventions.md](conventions.md) translates letters, orders and signs. A *definition* is a choice of words or",
        "letters that nothing can evaluate; the remark names the page that adopts it.",
        "",
        "The tests in `num/` run on every kind of number the kernels know, complex and quadruple ones among them; the others go through",
        "the public functions, and those in `papers/` take the formulas as they are printed.",
        "",
        "| paper | equations | with function and test | definitions |",
        "| --- | ---: | ---: | ---: |",
    ]
    for paper in papers:
        count = [row for row in rows if row["paper"] == paper]
        definitions = sum(row["function"] == definition for row in count)
        out.append(f"| [{paper}](#{paper.lower()}) | {len(count)} | {len(count) - definitions} | {definitions} |")
    by_name = {(row["paper"], row["equation"]): row for row in rows}
    for paper, equations in papers.items():
        out += ["", f"## {paper}", "", "| | what | function | test | remark |", "| --- | --- | --- | --- | --- |"]
        for equation in equations:
            row = by_name[paper, equation]
            name = f"({equation})" if re.fullmatch(r"\d+[a-z]?", equation) else escape(equation)
            if row["function"] == definition:
                function, test = "*definition*", ""
            else:
                function, test = link_functions(row["function"]), link_tests(row["test"])
            out.append(f"| {name} | {escape(row['what'])} | {function} | {test} | {link_pages(row['remark'])} |")
    out.append("")
    out += [f"[{name}]: ../{path.relative_to(root).as_posix()}" for name, path in sorted(used.items())]
    return "\n".join(out) + "\n"


def main():
    faults = []
    papers, functions, tests, calls = expected(), public_functions(), all_tests(), functools.cache(called_by)
    numbered = read_rows(lambda line, text: faults.append(f"docs/equations.tsv:{line}: {text}"))
    seen = set()
    for line, row in numbered:
        place = f"docs/equations.tsv:{line}: {row['paper']} {row['equation']}"
        if row["equation"] not in papers.get(row["paper"], []):
            faults.append(f"{place}: not in docs/equations.list")
        if (row["paper"], row["equation"]) in seen:
            faults.append(f"{place}: twice")
        seen.add((row["paper"], row["equation"]))
        check_row(row, functions, tests, calls, lambda text: faults.append(f"{place}: {text}"))
    for paper, equations in papers.items():
        faults += [f"docs/equations.tsv: no row for {paper} {e}" for e in equations if (paper, e) not in seen]
    if faults:
        sys.exit("\n".join(faults))
    text = write_page(papers, [row for _, row in numbered], functions, tests)
    if sys.argv[1:] != ["--check"]:
        page.write_text(text, encoding="utf-8")
    elif not page.is_file() or page.read_text(encoding="utf-8") != text:
        sys.exit("docs/equations.md is not what scripts/check-equations.py writes: run it")


if __name__ == "__main__":
    main()
