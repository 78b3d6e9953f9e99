#!/usr/bin/env python3
"""The rules of the public headers that a script can check.

- A function called …_size returns size_t, and its comment says that it counts bytes. A function that returns size_t is
  called …_size, …_doubles (it counts doubles), …_nq or …_nv.
- struct_size is the first field of a struct that has it. tests/unit/base/test_struct_size.c has every such struct, and no
  source compares struct_size by itself: src/base/struct_size.h does.
- A function with more than eight parameters is in the list of docs/c-reference.md, with the reason.

Usage: check-api.py
"""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[1]
headers = sorted((root / "include/hamel").rglob("*.h"))
declaration = re.compile(
    r"(?P<before>/\*(?:(?!\*/).)*?\*/\s*)?HML_API\s+(?P<type>[\w\s]*?[\s*]+)(?P<name>hml_\w+)\((?P<parameters>[^;]*?)\);(?P<after>[^\n]*)",
    re.S,
)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def functions():
    """(header, name, type of the result, list of parameters, comment) of every public function"""
    for header in headers:
        for m in declaration.finditer(header.read_text(encoding="utf-8")):
            parameters = [" ".join(p.split()) for p in without_comments(m["parameters"]).split(",")]
            if parameters == ["void"]:
                parameters = []
            comment = (m["before"] or "") + m["after"]
            yield header.relative_to(root), m["name"], " ".join(m["type"].split()), parameters, comment


def sizes():
    for header, name, result, _, comment in functions():
        if name.endswith("_size"):
            if result != "size_t":
                yield f"{header}: {name} returns {result}; what is called _size counts bytes, in size_t"
            elif not re.search(r"\bbytes\b", comment):
                yield f"{header}: the comment of {name} does not say that it counts bytes"
        elif result == "size_t" and not re.search(r"_(doubles|nq|nv)$", name):
            yield f"{header}: {name} returns size_t and is called neither _size (bytes) nor _doubles"


def structs():
    """(header, name, fields) of every public struct"""
    for header in headers:
        text = without_comments(header.read_text(encoding="utf-8"))
        for name, body in re.findall(r"typedef struct (hml_\w+)\s*\{(.*?)\}\s*hml_\w+;", text, re.S):
            yield header.relative_to(root), name, [" ".join(field.split()) for field in body.split(";") if field.strip()]


def struct_sizes():
    test = root / "tests/unit/base/test_struct_size.c"
    tested = set(re.findall(r"\bENTRY\((hml_\w+)|sizeof\((hml_\w+)\)\);", test.read_text(encoding="utf-8")))
    tested = {name for pair in tested for name in pair}
    for header, name, fields in structs():
        if not any(re.search(r"\bstruct_size$", field) for field in fields):
            continue
        if fields[0] != "size_t struct_size":
            yield f"{header}: {name} does not begin with struct_size"
        if name not in tested:
            yield f"{header}: {name} has struct_size and is not in {test.relative_to(root)}"
    for source in sorted((root / "src").rglob("*.[ch]")):
        if source.name == "struct_size.h":
            continue
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(r"struct_size\s*([!=]=|[<>])", line):
                yield f"{source.relative_to(root)}:{number}: compares struct_size itself; base/struct_size.h has the policy"


def parameters():
    listed = set(re.findall(r"`(hml_\w+)`", (root / "docs/c-reference.md").read_text(encoding="utf-8")))
    for header, name, _, given, _ in functions():
        if len(given) > 8 and name not in listed:
            yield f"{header}: {name} has {len(given)} parameters; more than eight need a struct, or a reason in docs/c-reference.md"


def main():
    faults = [*sizes(), *struct_sizes(), *parameters()]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(list(functions()))} public functions in {len(headers)} headers")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
