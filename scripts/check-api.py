#!/usr/bin/env python3
"""The rules of the public headers that a script can check.

- A function called …_size returns size_t, and its comment says that it counts bytes. A function that returns size_t is
  called …_size, …_doubles (it counts doubles), …_nq or …_nv.

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


def main():
    faults = list(sizes())
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(list(functions()))} public functions in {len(headers)} headers")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
