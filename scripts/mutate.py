#!/usr/bin/env python3
"""Single changes of the sources, one at a time: does a test notice?

mutate.py [--count N] [--seed N] [--jobs N] [--fixed] [--table FILE] [--build DIR]

A copy of the sources is built once, as shared libraries with -O1, and all test programs with it. Then each change is
made in the copy, the libraries alone are built again (one object, or the kernels: of scalars and of packs of four, which
hold all the code), and the tests run, the nearest first, until one fails: the change is killed. What does not compile is not counted; what leaves
the same machine code is equivalent and is not counted either. Results are appended to DIR/results.jsonl as they come: a
run that was stopped goes on where it was, and the same seed makes the same changes. docs/testing.md explains it.

--fixed: the changes of tests/mutations/fixed.json instead, which are found by the text of the code, wherever that lies;
with the kernels of all instruction sets.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# how often a folder is chosen; where a name is not there (folders move), the others share its part
FOLDERS = {"src/kernel": 30, "src/algo": 28, "src/group": 8, "src/model": 12, "src/sim": 16, "src/reference": 6}
NOT_MUTATED = re.compile(r"status\.c$|names\.c$|version|warnings\.c$")  # texts, and what only says something to people

# ---- finding places ----

TOKENS = [
    # name, pattern, replacements: a function of the match that gives texts, or none
    ("sign", re.compile(r"(?<=[\w\])]) ([+-]) (?=[\w(])"), lambda m: [" - " if m[1] == "+" else " + "]),
    ("assign", re.compile(r" ([+-])= "), lambda m: [" -= " if m[1] == "+" else " += "]),
    ("negate", re.compile(r"(?<=[=(,] )-(?=[a-z(])|(?<=return )-(?=[a-z(])|(?<=[(])-(?=[a-z])"), lambda m: [""]),
    ("compare", re.compile(r" (<|<=|>|>=|==|!=) "), lambda m: [
        {"<": " <= ", "<=": " < ", ">": " >= ", ">=": " > ", "==": " != ", "!=": " == "}[m[1]]]),
    ("logic", re.compile(r" (&&|\|\|) "), lambda m: [" || " if m[1] == "&&" else " && "]),
    ("index", re.compile(r"\[(\d+)\]"), lambda m: [f"[{int(m[1]) - 1 if m[1] in '25' else int(m[1]) + 1}]"]),
    ("offset", re.compile(r"(?<=[\w\])]) \+ (\d)(?=[\])])"), lambda m: [f" + {int(m[1]) + 1}"]),
    ("constant", re.compile(r"K\((\d+)\)"), lambda m: [f"K({int(m[1]) + 1})"]),
    ("literal", re.compile(r"(?<=[ (=*/])(\d+(?:\.\d+)?(?:e-?\d+)?)(?=[ ;,)*/])"), lambda m: [
        str(int(m[1]) + 1) if m[1].isdigit() else f"1.5 * {m[1]}"]),
    ("axis", re.compile(r"\.([xyz])\b(?!\()"), lambda m: ["." + {"x": "y", "y": "z", "z": "x"}[m[1]]]),
    ("part", re.compile(r"\b(\w+)\.([vw])(?=[,);])"), lambda m: [f"{m[1]}.{'w' if m[2] == 'v' else 'v'}"]),
    ("operands", re.compile(r"\b(\w*(?:cross|sub|mul|compose|difference|act)\w*)\(([\w.\[\]>-]+), ([\w.\[\]>-]+)\)"),
     lambda m: [f"{m[1]}({m[3]}, {m[2]})"] if m[2] != m[3] else []),
    ("transposed", re.compile(r"\[(\w+) \* (\w+) \+ (\w+)\]"), lambda m: [f"[{m[3]} * {m[2]} + {m[1]}]"]
     if m[1] != m[3] else []),
    ("never", re.compile(r"\bif \((?!0\))(.+)\) (?=[a-z*{])"), lambda m: ["if (0) "] if balanced(m[1]) else []),
    ("bound", re.compile(r"(\b\w+) < ([\w>.-]+); \1\+\+"), lambda m: [f"{m[1]} + 1 < {m[2]}; {m[1]}++"]),
    ("begin", re.compile(r"for \(((?:size_t|int|int32_t) \w+) = 0;"), lambda m: [f"for ({m[1]} = 1;"]),
    ("skip", re.compile(r"^(\s+)([a-z]\w*(?:->|\.|\[)?[^=;]*(?: [+*-]?= [^;]+|\([^;]*\)));$"), lambda m: [m[1] + ";"]),
]


def balanced(text):
    depth = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return False
    return depth == 0


def code_lines(text):
    """(number, line) of what lies inside functions; comments are blanked out, places stay where they are."""
    blank = lambda m: re.sub(r"[^\n]", " ", m[0])
    text = re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', lambda m: '"' + " " * (len(m[0]) - 2) + '"', text)
    inside = False
    for number, line in enumerate(text.split("\n")):
        if re.match(r"^\}", line):
            inside = False
        elif re.match(r"^\{", line):
            inside = True
        elif inside and line[:1] == " " and not re.match(r"^\s*(case .*:|default:|static const|#)", line):
            yield number, line
        elif not inside and re.match(r"^(?:static|NUM_INLINE|[a-z]).*\) \{ .* \}$", line):  # a function in one line
            yield number, line


def sites(path, tree):
    """every change of a file: (operator, line number, column, old text, new text)"""
    found = []
    for number, line in code_lines((tree / path).read_text()):
        if "NULL" in line and "return HML_" in line or "struct_size" in line or "_Static_assert" in line:
            continue  # refusals of missing arguments have tests of their own, one for every function
        for name, pattern, replacements in TOKENS:
            for match in pattern.finditer(line):
                for new in replacements(match):
                    if new != match[0]:
                        found.append((name, number, match.start(), match[0], new))
    return found


def identity(mutant):
    text = "\0".join(str(mutant[k]) for k in ("path", "text", "operator", "column", "new"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def draw(tree, count, seed):
    """mutants in the order they are tried: more than count, as some will not compile or be equivalent"""
    pools = {}
    for folder in FOLDERS:
        pool = []
        for path in sorted((tree / folder).rglob("*.[ch]")):
            relative = str(path.relative_to(tree))
            if NOT_MUTATED.search(relative):
                continue
            lines = path.read_text().split("\n")
            for name, number, column, old, new in sites(relative, tree):
                pool.append({"path": relative, "line": number + 1, "column": column, "operator": name, "old": old,
                             "new": new, "text": lines[number].strip()})
        if pool:
            pools[folder] = pool
    rng = random.Random(seed)
    mutants, used = [], set()
    while len(mutants) < 2 * count + 20 and pools:
        folder = rng.choices(list(pools), [FOLDERS[f] for f in pools])[0]
        operators = sorted({m["operator"] for m in pools[folder]})
        operator = rng.choice(operators)  # every kind of change is as likely as any other
        mutant = rng.choice([m for m in pools[folder] if m["operator"] == operator])
        where = (mutant["path"], mutant["line"])
        if where in used:
            continue
        used.add(where)
        mutant["id"] = identity(mutant)
        mutants.append(mutant)
    return mutants


def fixed(tree):
    """the changes of fixed.json, wherever their text is"""
    found = []
    for entry in json.loads((ROOT / "tests/mutations/fixed.json").read_text()):
        changes = []
        for change in entry["changes"]:
            places = []
            for path in sorted((tree / "src").rglob("*.[ch]")):
                text = path.read_text()
                for match in re.finditer(change["find"], text):
                    places.append((str(path.relative_to(tree)), text[: match.start()].count("\n") + 1))
            if len(places) != 1:
                sys.exit(f"mutate: '{entry['name']}' fits {len(places)} places, not one: tests/mutations/fixed.json "
                         f"says {change['find']}")
            changes.append({**change, "path": places[0][0], "line": places[0][1]})
        found.append({"id": entry["name"], "path": changes[0]["path"], "line": changes[0]["line"], "operator": "fixed",
                      "changes": changes, "new": "", "text": entry["what"]})
    return found


# ---- building and testing ----


def changed(text, change):
    if "find" in change:
        return re.sub(change["find"], lambda m: change["replace"], text, count=1)
    lines = text.split("\n")
    line, column = lines[change["line"] - 1], change["column"]
    if not line[column:].startswith(change["old"]):
        raise ValueError(f"{change['path']}:{change['line']} is not what it was")
    lines[change["line"] - 1] = line[:column] + change["new"] + line[column + len(change["old"]):]
    return "\n".join(lines)


class Slot:
    """a copy of the sources with its build"""

    def __init__(self, folder, all_sets):
        self.tree, self.build, self.folder = folder / "tree", folder / "build", folder
        self.tests, self.all_sets = [], all_sets
        self.copy()
        self.configure()

    def copy(self):
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True,
                                text=True, check=True).stdout.split("\n")
        keep = set()
        for name in listed:
            if not re.match(r"(src|include|tests|cmake|robots|cli)/|CMakeLists.txt$", name):
                continue
            if not (ROOT / name).is_file():
                continue
            keep.add(name)
            to = self.tree / name
            data = (ROOT / name).read_bytes()
            if name == "CMakeLists.txt":  # tests look into the libraries
                data = data.replace(b"C_VISIBILITY_PRESET hidden", b"C_VISIBILITY_PRESET default")
            if name == "src/CMakeLists.txt" and not self.all_sets:  # packs of four, and single calls in their lanes
                data = data.replace(b"APPEND HAMEL_KINDS X2", b"APPEND HAMEL_KINDS")
                data = data.replace(b"X4 X8 S4 S4V X4V", b"X4")
            if not to.exists() or to.read_bytes() != data:
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(data)
        for path in self.tree.rglob("*.[ch]"):
            if str(path.relative_to(self.tree)) not in keep:
                path.unlink()

    def configure(self):
        run(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
             "-DCMAKE_C_FLAGS_DEBUG=-O1", "-DBUILD_SHARED_LIBS=ON", "-DHAMEL_CLI=OFF", "-DHAMEL_EXAMPLES=OFF",
             "-DHAMEL_TEST_KINDS=F64", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"])
        run(["ninja", "-C", self.build, "-j", "2"])
        self.objects = self.hashes()

    def hashes(self):
        out = {}
        for path in sorted((self.build / "src").rglob("*.o")):
            out[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
        return out

    def make(self, targets, limit=400):
        try:
            return subprocess.run(["ninja", "-C", self.build, "-j", "1", *targets], capture_output=True,
                                  timeout=limit).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def try_one(self, mutant):
        started = time.monotonic()
        before = {}
        try:
            for change in mutant.get("changes", [mutant]):
                path = self.tree / change["path"]
                text = path.read_text()
                before.setdefault(path, text)
                path.write_text(changed(text, change))
            verdict = self.judge(mutant)
        finally:
            for path, text in before.items():
                path.write_text(text)
        return {**mutant, **verdict, "seconds": round(time.monotonic() - started, 1)}

    def judge(self, mutant):
        if not self.make(["hamel", "hamel-io"]):
            return {"result": "does not compile", "by": ""}
        same = self.hashes() == self.objects
        inline = mutant["path"].startswith(("src/group/", "src/num/")) and mutant["path"].endswith(".h")
        if same and not inline:
            return {"result": "equivalent", "by": "same machine code"}
        extra = []
        if inline:  # what is in headers is tested in the programs that include them
            extra = [t for t in self.tests if t["name"].endswith("_f64")]
            if not self.make([t["name"] for t in extra]):
                return {"result": "does not compile", "by": ""}
        near = relevance(mutant["path"])
        for test in sorted(self.tests, key=lambda t: (t not in extra, -near(t["name"]))):
            if not passes(self.build, test):
                return {"result": "killed", "by": test["name"]}
        return {"result": "equivalent" if same else "survived", "by": ""}


def relevance(path):
    """how near a test's name is to a file's: words they share. The agreement machine knows everything but src/sim"""
    words = set(re.findall(r"[a-z]{4,}", path.rsplit(".", 1)[0])) - {"kernel", "algo", "group", "model", "single", "pack"}

    def near(name):
        if name == "agree":
            return 0.5 if path.startswith("src/sim/") else 9
        return len(words & set(re.findall(r"[a-z]{4,}", name)))

    return near


def passes(build, test, limit=None):
    try:
        done = subprocess.run(test["command"], cwd=build / "tests", stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=limit or test["limit"], env={
                                  **os.environ, "LD_LIBRARY_PATH": f"{build}/src"})
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mutate: {' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def collect_tests(build):
    """all test programs with their times, the agreement machine first, then the quickest"""
    listed = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True,
                                       text=True, check=True).stdout)
    tests = []
    for test in listed["tests"]:
        name, command = test["name"], test.get("command")
        if not command or name.startswith(("accuracy_", "mutate")):
            continue
        if name == "agree":
            command = [command[0], "--models", "48", "--stop", "1"]
        started = time.monotonic()
        entry = {"name": name, "command": command}
        if not passes(build, entry, 300):
            sys.exit(f"mutate: {name} fails without any change")
        took = time.monotonic() - started
        entry["seconds"], entry["limit"] = round(took, 2), 10 + 6 * took
        tests.append(entry)
    return sorted(tests, key=lambda t: (t["name"] != "agree", t["seconds"]))


# ---- running ----


def progress(done, total, killed, survived, begin):
    if not sys.stderr.isatty():
        return
    width = 30
    filled = width * done // max(total, 1)
    spent = time.monotonic() - begin
    left = spent / max(done, 1) * (total - done)
    sys.stderr.write(f"\r[{'#' * filled}{'.' * (width - filled)}] {done}/{total}  {killed} killed, {survived} survived, "
                     f"{left / 60:.0f} min left ")
    sys.stderr.flush()


def load_results(path):
    if not path.exists():
        return {}
    return {r["id"]: r for r in map(json.loads, path.read_text().splitlines())}


def table(results, out):
    by = {}
    for r in results:
        if r["result"] == "killed":
            by[r["by"]] = by.get(r["by"], 0) + 1
    killed = [r for r in results if r["result"] == "killed"]
    survived = [r for r in results if r["result"] == "survived"]
    print(f"{len(killed)} killed, {len(survived)} survived, "
          f"{sum(r['result'] == 'equivalent' for r in results)} with the same machine code, "
          f"{sum(r['result'] == 'does not compile' for r in results)} that do not compile: "
          f"{100 * len(killed) / max(1, len(killed) + len(survived)):.1f} % killed", file=out)
    for name, n in sorted(by.items(), key=lambda item: -item[1]):
        print(f"    {n:4d}  by {name}", file=out)
    for r in survived:
        print(f"survived {r['id']}: {r['path']}:{r['line']} {r['operator']}: {r.get('old', '')!r} -> {r['new']!r}\n"
              f"    {r['text']}", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="changes that compile and change something")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--check", action="store_true", help="only look whether the fixed changes fit the sources")
    parser.add_argument("--again", action="store_true", help="try survivors of earlier runs once more")
    parser.add_argument("--build", type=Path, default=ROOT / "build/mutate")
    options = parser.parse_args()
    if options.check:
        print(f"{len(fixed(ROOT))} fixed changes fit; {len(draw(ROOT, options.count, options.seed))} others drawn")
        return 0
    folder = options.build.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.nice(10)

    first = Slot(folder / ("all" if options.fixed else "slot0"), options.fixed)
    tests = collect_tests(first.build)
    first.tests = tests
    print(f"{len(tests)} test programs, {sum(t['seconds'] for t in tests):.0f} s without a change")
    slots = queue.Queue()
    slots.put(first)
    for k in range(1, options.jobs):
        other = Slot(folder / f"slot{k}", False)
        other.tests = [{**t, "command": [c.replace(str(first.folder), str(other.folder)) for c in t["command"]]}
                       for t in tests]
        slots.put(other)

    wanted = fixed(first.tree) if options.fixed else draw(first.tree, options.count, options.seed)
    record = folder / "results.jsonl"
    known = load_results(record)
    results, begin = [], time.monotonic()
    counts = lambda: (sum(r["result"] == "killed" for r in results), sum(r["result"] == "survived" for r in results))
    need = len(wanted) if options.fixed else options.count

    def work(mutant):
        slot = slots.get()
        try:
            return slot.try_one(mutant)
        finally:
            slots.put(slot)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, record.open("a") as log:
        pending, order = set(), iter(wanted)
        while True:
            while len(pending) < options.jobs and sum(counts()) + len(pending) < need:
                mutant = next(order, None)
                if mutant is None:
                    break
                old = known.get(mutant["id"])
                if old and not (options.again and old["result"] == "survived"):
                    results.append(old)
                    continue
                pending.add(pool.submit(work, mutant))
            if not pending:
                break
            done, pending = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
            for each in done:
                result = each.result()
                results.append(result)
                log.write(json.dumps(result) + "\n")
                log.flush()
            progress(sum(counts()), need, *counts(), begin)
    print()
    table(results, sys.stdout)
    with (folder / "table.txt").open("w") as out:
        table(results, out)
    unkilled = [r for r in results if r["operator"] == "fixed" and r["result"] != "killed"]
    for r in unkilled:
        print(f"mutate: '{r['id']}' must be killed and was not: {r['result']}")
    return bool(unkilled)


if __name__ == "__main__":
    sys.exit(main())
