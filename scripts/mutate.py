#!/usr/bin/env python3
"""Single changes of the sources, one at a time: does a test notice?

mutate.py [--count N] [--seed N] [--jobs N] [--again] [--keep] [--build DIR]
mutate.py --fixed [--base BUILD] [--build DIR]
mutate.py --check

The sources are copied and built once, as shared libraries with -O1, with kernels for scalars and packs of four, which
hold all the code. A change is written to a folder of its own; what is made of the changed file is compiled there and
linked with the other objects of that build. Then the tests run, the nearest first, until one fails: the change is
killed. What does not compile is not counted; what leaves the same machine code is equivalent and is not counted either.
Results are appended to DIR/results.jsonl as they come: a run that was stopped goes on where it was, and the same seed
makes the same changes. --again tries survivors once more, --keep copies and builds nothing before. docs/testing.md
explains it.

--fixed: the changes of tests/mutations/fixed.json instead, found by the text of the code, wherever that lies. They are
compiled into a static build that is there (build) and must be found by the agreement machine. --check: do they fit?
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import queue
import random
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# how often a folder is chosen; where a name is not there (folders move), the others share its part
FOLDERS = {"src/kernel": 30, "src/algo": 28, "src/group": 8, "src/model": 12, "src/sim": 16, "src/reference": 6,
           "src/num": 4, "src/base": 2}
# texts and what only says something to people; numbers of the tests alone
NOT_MUTATED = re.compile(r"status\.c$|names\.[ch]$|version|warnings\.c$|num_(c64|f128)\.h$")
KINDS = ("scalar", "scalar_f32", "avx2_x4")  # scalars and packs of four hold all the code
# tests that are left out unless they share a word with the file: simulations take long and see little of what they stand
# on that nothing else sees, and of simulations other tests see nothing; files are not changed here
FAR = {False: re.compile("test_(io|contact|motion|constraint|traps)"), True: re.compile("test_(?!contact|motion|constraint|traps)")}
REFUSED = ["-Werror=incompatible-pointer-types", "-Werror=int-conversion"]  # operands of other types are no change
AGREE = ["--models", "200", "--stop", "1"]

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


DECLARED = re.compile(r"\s*(?:static |const )*(?:double|float|num|lane|int|int32_t|size_t|char|unsigned|vec3|quad) [^=]*$")


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
        if "OUT_OF_MEMORY" in line:
            continue  # tests/check/allocator.h looks after these
        for name, pattern, replacements in TOKENS:
            for match in pattern.finditer(line):
                for new in replacements(match):
                    if name == "index" and DECLARED.match(line[: match.start()]):
                        continue  # the size of an array
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
        if where in used or '"' in mutant["old"]:  # texts were blanked out while looking
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
                      "changes": changes, "new": "", "text": entry["what"], "kinds": entry["kinds"],
                      "arguments": entry["arguments"], "bodies": entry.get("bodies"), "tests": ["agree"]})
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


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mutate: {' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def quiet(command, folder, cpu=400.0, wall=1800, **environment):
    """did it end well, and seconds of processor time: the limit is on those, for the machine may be busy"""
    limits = ["prlimit", f"--cpu={int(cpu) + 1}", f"--as={6 << 30}", "--core=0"]
    process = subprocess.Popen(limits + command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env={**os.environ, **environment})
    end = threading.Timer(wall, process.kill)
    end.start()
    _, status, usage = os.wait4(process.pid, 0)
    end.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode == 0, usage.ru_utime + usage.ru_stime


class Base:
    """the sources as they are, built once; nothing in it changes while mutants are tried"""

    def __init__(self, tree, build):
        """asks ninja how objects are made, and of what"""
        self.tree, self.build = tree, build
        self.lock, self.links = threading.RLock(), {}
        self.compile, self.uses, name = {}, {}, None
        for each in json.loads((self.build / "compile_commands.json").read_text()):
            words = shlex.split(each["command"])
            at = words.index("-o")
            self.compile[words[at + 1]] = (words[:at], Path(each["file"]))
        for line in run(["ninja", "-C", self.build, "-t", "deps"]).splitlines():
            if line[:1] not in (" ", ""):
                name = line.split(":")[0]
                self.uses[name] = set()
            elif line.strip() and name:
                self.uses[name].add(os.path.normpath(self.build / line.strip()))

    def link(self, target):
        """the words of the command that links a target"""
        if target not in self.links:
            with self.lock:
                last = run(["ninja", "-C", self.build, "-t", "commands", "-s", target]).strip().splitlines()[-1]
            parts = [p.strip() for p in last.split("&&")]
            self.links[target] = shlex.split(max(parts, key=lambda p: " -o " in p and len(p)))
        return self.links[target]

    def objects(self, path, prefix):
        """what must be compiled again after a change of a file"""
        full = str(self.tree / path)
        return [o for o, used in self.uses.items() if o.startswith(prefix) and o in self.compile and
                (full in used or str(self.compile[o][1]) == full)]


class Tests:
    """test programs, and what they cost without a change"""

    def __init__(self, base):
        self.base, self.known, self.cost = base, {}, {}
        self.kept = base.build / "seconds.json"  # of earlier runs with the same programs
        if self.kept.exists():
            self.cost = {tuple(k): c for k, c in json.loads(self.kept.read_text())}
        for test in json.loads(run(["ctest", "--test-dir", base.build, "--show-only=json-v1"]))["tests"]:
            name = test["name"]
            if name.startswith("test_"):
                self.known[name] = test.get("command") or [str(base.build / "tests" / name)]
        self.known["agree"] = [str(base.build / "tests/agree/agree"), *AGREE]
        self.known["agree_quick"] = [*self.known["agree"], "--models", "24"]

    def target(self, name):
        return "tests/agree/agree" if name.startswith("agree") else f"tests/{name}"

    def seconds(self, name, arguments=()):
        """of processor time, without a change; None: it fails"""
        key = (name, *arguments, Path(self.known[name][0]).stat().st_mtime_ns)
        with self.base.lock:
            if key not in self.cost:
                good, cost = quiet([*self.known[name], *arguments], self.base.build / "tests",
                                   LD_LIBRARY_PATH=f"{self.base.build}/src")
                if not good:
                    print(f"mutate: {name} fails without any change and is left out", flush=True)
                self.cost[key] = cost if good else None
                self.kept.write_text(json.dumps([[k, c] for k, c in self.cost.items()]))
            return self.cost[key]

    def order(self, path):
        """the nearest first, then a short look by the machine, then the others by what they cost"""
        near, seconds = relevance(path), {key[0]: cost or 0 for key, cost in self.cost.items()}
        named = [n for n in self.known if near(n) or not FAR[path.startswith("src/sim/")].match(n)]
        return sorted(named, key=lambda n: (-near(n), n != "agree_quick", seconds.get(n, 0.1), n))


class Attempt:
    """one change: its own copy of the changed files, of the objects made of them and of what is linked of those"""

    def __init__(self, tests, folder, flags):
        self.tests, self.base, self.folder, self.flags = tests, tests.base, folder, flags
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def write(self, mutant):
        self.paths = []
        for change in mutant.get("changes", [mutant]):
            to = self.folder / change["path"]
            text = to.read_text() if to.exists() else (self.base.tree / change["path"]).read_text()
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(changed(text, change))
            if change["path"] not in self.paths:
                self.paths.append(change["path"])

    def compile(self, prefix, wanted=None):
        """objects made again, {their names: the new files}; None where a compiler refuses"""
        made = {}
        for name in sorted({o for p in self.paths for o in self.base.objects(p, prefix)}):
            if wanted and "hamel_kernels_" in name and not any(f"kernels_{k}." in name for k in wanted):
                continue
            words, source = self.base.compile[name]
            own = self.folder / source.relative_to(self.base.tree)
            to = self.folder / name.replace("/", "_")
            first = next(i for i, w in enumerate(words) if w.startswith("-I"))
            command = [*words[:first], f"-I{self.folder}/src", *words[first:], *self.flags, *REFUSED, "-o", str(to), "-c",
                       str(own if own.exists() else source)]
            if not quiet(command, self.base.build, CCACHE_DISABLE="1")[0]:
                return None
            made[name] = to
        return made

    def link_library(self, made):
        whole = next(self.base.build.glob("src/libhamel.so.*.*.*"))  # the others are links to it
        words = [str(made.get(w, w)) for w in self.base.link(str(whole.relative_to(self.base.build)))]
        at = words.index("-o")
        soname = next(w for w in words if w.startswith("-Wl,-soname,")).split(",")[-1]
        words[at + 1] = str(self.folder / soname)
        return quiet(words, self.base.build)[0]

    def program(self, name, library):
        """the test's command, linked again where it is made of what changed"""
        command = list(self.tests.known[name])
        target = self.tests.target(name)
        own = self.compile(f"tests/CMakeFiles/{name}.dir/")
        if own is None:
            return None
        if own or library:
            words = [str(own.get(w, w)) for w in self.base.link(target)]
            at = words.index("-o")
            words[at + 1] = command[0] = str(self.folder / name)
            words[at:at] = map(str, library.values())  # before the archives, whose members of the same name stay out
            if not quiet(words, self.base.build)[0]:
                return None
        return command

    def judge(self, mutant, shared):
        self.write(mutant)
        made = self.compile("src/", mutant.get("kinds"))
        if made is None or shared and not self.link_library(made):
            return {"result": "does not compile", "by": ""}
        same = all(new.read_bytes() == (self.base.build / old).read_bytes() for old, new in made.items())
        inline = mutant["path"].startswith(("src/group/", "src/num/")) and mutant["path"].endswith(".h")
        if same and not inline and not self.flags:
            return {"result": "equivalent", "by": "same machine code"}
        arguments = mutant.get("arguments", [])
        for name in mutant.get("tests") or self.tests.order(mutant["path"]):
            cost = self.tests.seconds(name, arguments)
            if cost is None:
                continue
            command = self.program(name, {} if shared else made)
            if command is None:
                return {"result": "does not compile", "by": ""}
            command += arguments
            if not quiet(command, self.base.build / "tests", 5 + 4 * cost,
                         LD_LIBRARY_PATH=f"{self.folder}:{self.base.build}/src")[0]:
                if mutant.get("bodies") and not 0 < shrunk(command[0], mutant) <= mutant["bodies"]:
                    return {"result": "killed, but the robot was not made small and printed", "by": name}
                return {"result": "killed", "by": name}
        return {"result": "equivalent" if same else "survived", "by": ""}


def can_run(kinds, base):
    """are these kernels in the build, and has this processor what they are made for?"""
    has = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    for kind in kinds:
        if not any(f"kernels_{kind}." in o for o in base.compile) or kind.startswith("avx512") and not all(
                f in has for f in ("avx512f", "avx512dq", "avx512vl")):
            print(f"mutate: a change of the kernels {kind} is left out, which this build or processor does not have")
            return False
    return True


def shrunk(program, mutant):
    """bodies of the robot that the agreement machine prints when it does not stop at the first finding"""
    done = subprocess.run([program, *AGREE, "--stop", "0", *mutant["arguments"]], capture_output=True, text=True)
    found = re.search(r"^DISAGREEMENT .*?^(\{.*?^\})", done.stdout, re.S | re.M)
    return len(json.loads(found[1])["bodies"]) if found else 0


def relevance(path):
    """how near a test's name is to a file's: words they share"""
    dull = {"src", "kernel", "algo", "group", "model", "single", "pack"}
    words = set(re.findall(r"[a-z0-9]{3,}", path.rsplit(".", 1)[0])) - dull
    return lambda name: len(words & set(re.findall(r"[a-z0-9]{3,}", name)))


def copy(tree, kinds):
    """the sources, so that one may go on working on them; with the kernels of these kinds alone"""
    listed = run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"]).split("\n")
    keep = set()
    for name in listed:
        if not re.match(r"(src|include|tests|cmake|robots|cli)/|CMakeLists.txt$", name) or not (ROOT / name).is_file():
            continue
        keep.add(name)
        to, data = tree / name, (ROOT / name).read_bytes()
        if name == "CMakeLists.txt":  # tests look into the libraries
            data = data.replace(b"C_VISIBILITY_PRESET hidden", b"C_VISIBILITY_PRESET default")
        if name == "src/kernel/kinds.cmake" and kinds:
            lines = data.decode().split("\n")
            data = "\n".join(l for l in lines if not l.startswith("hamel_kind(") or l[11:].split()[0] in kinds).encode()
        if not to.exists() or to.read_bytes() != data:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(data)
    for path in tree.rglob("*.[ch]"):
        if str(path.relative_to(tree)) not in keep:
            path.unlink()


def prepare(folder, jobs, keep):
    """a build of shared libraries with -O1, and of all tests"""
    tree, build = folder / "tree", folder / "build"
    if keep:
        return Base(tree, build)
    copy(tree, KINDS)
    run(["cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1",
         "-DBUILD_SHARED_LIBS=ON", "-DHAMEL_CLI=OFF", "-DHAMEL_EXAMPLES=OFF", "-DHAMEL_TEST_KINDS=F64",
         "-DCMAKE_SKIP_RPATH=ON", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"])
    run(["ninja", "-C", build, "-j", str(jobs)])
    return Base(tree, build)


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
    parser.add_argument("--keep", action="store_true", help="the copy of the sources and its build as they are")
    parser.add_argument("--base", type=Path, default=ROOT / "build", help="with --fixed: a build of static libraries")
    parser.add_argument("--build", type=Path, default=ROOT / "build/mutate")
    options = parser.parse_args()
    if options.check:
        print(f"{len(fixed(ROOT))} fixed changes fit; {len(draw(ROOT, options.count, options.seed))} others drawn")
        return 0
    folder = options.build.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if options.fixed:  # in a build that is there, of archives: what changed is linked before them
        base = Base(ROOT, options.base.resolve())
        wanted, flags, shared = [m for m in fixed(ROOT) if can_run(m["kinds"], base)], ["-O0"], False
    else:
        base = prepare(folder, options.jobs, options.keep)
        wanted, flags, shared = draw(base.tree, options.count, options.seed), [], True
    tests = Tests(base)
    print(f"{len(tests.known)} test programs", flush=True)
    numbers = queue.Queue()
    for k in range(options.jobs):
        numbers.put(k)
    record = folder / "results.jsonl"
    known = {} if options.fixed else load_results(record)
    results, begin = [], time.monotonic()
    counts = lambda: (sum(r["result"] == "killed" for r in results), sum(r["result"] == "survived" for r in results))
    need = len(wanted) if options.fixed else options.count

    def work(mutant):
        number, started = numbers.get(), time.monotonic()
        try:
            attempt = Attempt(tests, folder / f"attempt{number}", flags)
            return {**mutant, **attempt.judge(mutant, shared), "seconds": round(time.monotonic() - started, 1)}
        finally:
            numbers.put(number)

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
