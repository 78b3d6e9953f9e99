"""The deepest stack of a program, from what the compiler says about each function (-fcallgraph-info=su).

Usage: stack.py FUNCTION FILE.ci...    prints the bound in bytes and the calls that need it

Fails if a function calls itself, or calls through a pointer. Functions of other libraries, which have no such file, are
listed: the bound is without them.
"""

import pathlib
import re
import sys

NODE = re.compile(r'node: \{ title: "([^"]+)" label: "(?:[^"\\]|\\.)*?(\d+) bytes \(static\)')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')


def main() -> None:
    first, files = sys.argv[1], sys.argv[2:]
    sizes: dict[str, int] = {}
    calls: dict[str, set[str]] = {}
    for file in files:
        text = pathlib.Path(file).read_text()
        sizes.update((name, int(size)) for name, size in NODE.findall(text))
        for source, target in EDGE.findall(text):
            calls.setdefault(source, set()).add(target)
    outside = set()

    def deepest(name: str, above: tuple[str, ...]) -> tuple[int, list[str]]:
        if name in above or name == "__indirect_call":
            sys.exit(f"{above[-1]} calls {name}: no bound")
        if name not in sizes:
            outside.add(name)
            return 0, []
        below = max((deepest(c, (*above, name)) for c in calls.get(name, ())), default=(0, []))
        return sizes[name] + below[0], [name, *below[1]]

    bound, path = deepest(first, ())
    print(f"stack: at most {bound} bytes, by {' > '.join(p.split(':')[-1] for p in path)}")
    if outside:
        print(f"without what these take: {', '.join(sorted(outside))}")


if __name__ == "__main__":
    main()
