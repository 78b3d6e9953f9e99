#!/bin/sh
# Runs commands of two builds of hamel, one of them for Windows under wine, and compares what they write: the same names,
# numbers within 1e-9 of the largest. Usage: compare-windows.sh HAMEL HAMEL.exe
set -eu

cd "$(dirname "$0")/.."
native=$(realpath "$1")
windows=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp robots/quadruped.json robots/nine.json examples/states/quadruped_crouch.json "$work/"
cd "$work"
export WINEDEBUG=-all
count=0
# compare OUT ARGUMENTS...: both succeed, and so do their results
compare()
{
    out=$1
    shift
    "$native" "$@" --out "native-$out" >/dev/null
    wine "$windows" "$@" --out "windows-$out" </dev/null >/dev/null
    python3 - "native-$out" "windows-$out" <<'END' || exit 1
import io, json, struct, sys, zipfile

def arrays(path):
    if path.endswith(".json"):
        found = json.load(open(path, encoding="utf-8"))
        found.pop("workspace", None)  # of the kinds of kernel that a build has
        if "disk_margins" in found:  # the last number is the frequency of a peak, which may be flat
            found["disk_margins"] = [row[:3] for row in found["disk_margins"]]
        return found
    found = {}
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            data = archive.read(name)
            size = struct.unpack("<H", data[8:10])[0]
            header, body = data[10:10 + size].decode(), data[10 + size:]
            kind = "d" if "'<f8'" in header else "i" if "'<i4'" in header else None
            found[name] = [header, list(struct.unpack(f"<{len(body) // struct.calcsize(kind)}{kind}", body)) if kind else body.hex()]
    return found

def flat(x):
    if isinstance(x, dict):
        return [y for k in x for y in [k, *flat(x[k])]]
    return [y for v in x for y in flat(v)] if isinstance(x, list) else [x]

a, b = (flat(arrays(path)) for path in sys.argv[1:])
numbers = [abs(x) for x in a if isinstance(x, float) and x == x]
largest = max(numbers, default=0)
assert len(a) == len(b), "they have different names or sizes"
for x, y in zip(a, b):
    same = abs(x - y) <= 1e-9 * largest if isinstance(x, (int, float)) and isinstance(y, (int, float)) else x == y
    assert same or (x != x and y != y), f"{sys.argv[2]}: {x} and {y}"
END
    count=$((count + 1))
}
compare info.json info quadruped.json
compare dynamics.json dynamics quadruped.json --state quadruped_crouch.json
compare linearize.json linearize quadruped.json --state quadruped_crouch.json
compare linearize.npz linearize nine.json
compare jacobian.json jacobian quadruped.json --frame fl_foot
compare lqr.json lqr quadruped.json --state quadruped_crouch.json --hold fl_foot --hold fr_foot --hold hl_foot --hold hr_foot
compare simulate.json simulate quadruped.json --time 0.1
compare trim.json trim quadruped.json --hold fl_foot --hold fr_foot --hold hl_foot --hold hr_foot
# many states: the rows of a motion
python3 - <<'END'
import struct, zipfile
def npy(rows):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + b"".join(struct.pack(f"<{len(r)}d", *r) for r in rows)
with zipfile.ZipFile("states.npz", "w") as archive:
    archive.writestr("position.npy", npy([[0, 0, i / 300, 1, 0, 0, 0] + [((7 * i + 3 * k) % 11 - 5) / 10 for k in range(12)] for i in range(300)]))
    archive.writestr("velocity.npy", npy([[((5 * i + 2 * k) % 13 - 6) / 10 for k in range(18)] for i in range(300)]))
END
compare many.npz linearize quadruped.json --states states.npz
compare many.npz linearize quadruped.json --states states.npz --resume
# what is wrong is said in the same words
for arguments in "info nowhere.urdf" "linearize quadruped.json --states quadruped.json --out x.npz" "dynamics quadruped.json --out quadruped.json" "dance"; do
    # shellcheck disable=SC2086
    if "$native" $arguments 2>native.txt; then exit 1; fi
    # shellcheck disable=SC2086
    if wine "$windows" $arguments 2>windows.txt </dev/null; then exit 1; fi
    tr -d '\r' <windows.txt | diff native.txt -
    count=$((count + 1))
done
echo "$count commands agree"
