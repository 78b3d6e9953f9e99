"""Compares the public headers with the package: whatever the C library does, Python can do, or a line says why not.

A function hml_x has its counterpart where the package's rule puts it: hml_so3_exp is hamel.so3.exp, what takes a model
is a method of Model. Where the rule finds nothing, complete.tsv beside this file names the counterpart, or "–" and the
reason why there is none; a * in a name stands for anything. Types are counted as well: a public struct or enumeration
must be used by the binding, and so must every field of a struct, or a line says why not.

Fails where something has no counterpart, where a line of the table is about nothing or is not needed, and where a
counterpart by rule is never called by the binding.

Usage: python complete.py    needs the package; reads include/ and python/ of the repository it lies in
"""

from __future__ import annotations

import fnmatch
import pathlib
import re
import sys
from typing import Callable, Dict, List, Optional, Tuple

import hamel

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = pathlib.Path(__file__).with_name("complete.tsv")
NONE = "–"
Rows = Dict[str, Tuple[str, str]]
Complain = Callable[[str], None]

# what a name of C loses on its way to a method, class by class
OWNERS = {
    "Model": ("model_", "configuration_", ""),
    "Subgroup": ("subgroup_",),
    "Builder": ("builder_",),
    "Motion": ("motion_",),
    "Contact": ("contact_",),
}


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def headers() -> str:
    files = sorted((ROOT / "include/hamel").rglob("*.h"))
    return "\n".join(without_comments(f.read_text(encoding="utf-8")) for f in files)


def functions(text: str) -> List[str]:
    return sorted(set(re.findall(r"\bHML_API\b[^;]*?\b(hml_\w+)\s*\(", text)))


def types(text: str) -> Dict[str, List[str]]:
    """{type: its fields}; enumerations have none"""
    found = {}
    for body, name in re.findall(r"\btypedef struct hml_\w+\s*\{(.*?)\}\s*(hml_\w+);", text, re.S):
        declared = [re.sub(r"\[[^]]*\]", "", part) for part in body.split(";")]
        callbacks = re.findall(r"\(\*(\w+)\)", body)
        plain = [n for d in declared if "(" not in d for n in re.findall(r"(\w+)\s*(?=,|$)", d.strip())]
        found[name] = [n for n in plain + callbacks if n != "struct_size"]
    for name in re.findall(r"\btypedef enum hml_\w+\s*\{[^}]*\}\s*(hml_\w+);", text):
        found[name] = []
    return found


def binding() -> str:
    parts = [*(ROOT / "python/src/binding").iterdir(), *(ROOT / "python/src/hamel").glob("*.py")]
    return "\n".join(without_comments(p.read_text(encoding="utf-8")) for p in sorted(parts))


def mentioned(text: str) -> re.Pattern[str]:
    """Matches the names the binding uses; hml_##a##_rate in a macro stands for every such name"""
    names = set(re.findall(r"\bhml_[\w#]*\w", text))
    return re.compile("|".join(re.sub(r"##\w+?##|##\w+", r"\\w+", n) for n in sorted(names)))


def find(path: str) -> Optional[object]:
    value: Optional[object] = hamel
    for part in path.split("."):
        value = getattr(value, part, None)
    return value


def by_rule(name: str) -> Optional[str]:
    """The counterpart of hml_name, or None"""
    name = name.removeprefix("hml_")
    words = name.split("_")
    places = [name] + ["_".join(words[:k]) + "." + "_".join(words[k:]) for k in range(1, min(3, len(words)))]
    for owner, prefixes in OWNERS.items():
        places += [f"{owner}.{name.removeprefix(p)}" for p in prefixes if name.startswith(p)]
    for ending, instead in (("_batch", ""), ("_to_representation", "_to"), ("_from_representation", "_from")):
        if name.endswith(ending):
            places.append(by_rule("hml_" + name.removesuffix(ending) + instead) or "")
    return next((p for p in places if p and find(p) is not None), None)


def read_table(complain: Complain) -> Rows:
    rows: Rows = {}
    for number, line in enumerate(TABLE.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not all(cells):
            complain(f"{TABLE.name}:{number}: wants three columns, separated by tabs: of C, of Python, why")
        elif cells[0] in rows:
            complain(f"{TABLE.name}:{number}: {cells[0]} twice")
        else:
            rows[cells[0]] = (cells[1], cells[2])
    return rows


def line_for(table: Rows, name: str) -> Optional[str]:
    """The line of the table for a name: its own, or the first pattern that it fits"""
    return name if name in table else next((key for key in table if fnmatch.fnmatchcase(name, key)), None)


def check_functions(names: List[str], table: Rows, used: re.Pattern[str], complain: Complain) -> Dict[str, int]:
    count = {"by the rule": 0, "by a line of complete.tsv": 0, "without, and why": 0}
    for name in names:
        found, line = by_rule(name), line_for(table, name)
        if found and used.fullmatch(name):
            if line == name:
                complain(f"{name}: hamel.{found} is there and calls it; the line of complete.tsv is not needed")
            count["by the rule"] += 1
        elif line:
            paths = table[line][0]
            for path in paths.split(", ") if paths != NONE else ():
                if find(path) is None:
                    complain(f"{name}: there is no hamel.{path}")
            count["without, and why" if paths == NONE else "by a line of complete.tsv"] += 1
        elif found:
            complain(f"{name}: hamel.{found} never calls it; complete.tsv may say why that is right")
        else:
            complain(f"{name}: nothing in the package; complete.tsv may say where it is or why not")
    return count


def check_types(all_types: Dict[str, List[str]], table: Rows, text: str, complain: Complain) -> None:
    words = set(re.findall(r"\w+", text))
    for name, fields in all_types.items():
        if line_for(table, name):
            continue
        if name not in words:
            complain(f"{name}: the binding does not know this type")
            continue
        for field in fields:
            if f"{name}.{field}" not in table and field not in words:
                complain(f"{name}.{field}: the binding does not know this field")


def main() -> int:
    faults: List[str] = []
    text, bound = headers(), binding()
    names, all_types = functions(text), types(text)
    table = read_table(faults.append)
    count = check_functions(names, table, mentioned(bound), faults.append)
    check_types(all_types, table, bound, faults.append)
    known = {*names, *all_types, *(f"{t}.{f}" for t, fields in all_types.items() for f in fields)}
    needed = {line_for(table, name) for name in known}
    faults += [f"{TABLE.name}: {name} is in no header" for name in table if name not in needed]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(names)} functions: " + ", ".join(f"{n} {how}" for how, n in count.items()))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
