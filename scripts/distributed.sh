#!/bin/sh
# Tests hamel.distributed on real engines, on this machine: Ray and Dask with two workers each, of which one is killed,
# and MPI. The wheel is that of scripts/python.sh. Usage: distributed.sh [BUILD [VENV]]
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
build=${1:-build}
venv=${2:-$build/venv-distributed}
case $build in /*) ;; *) build=$root/$build ;; esac
wheel=$(ls build/python/wheel/hamel-*.whl 2>/dev/null | tail -n 1)
if [ -z "$wheel" ]; then
    echo "there is no wheel in build/python/wheel: make python makes it" >&2
    exit 1
fi
if ! cmp -s tests/distributed/requirements.txt "$venv/requirements.txt"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement tests/distributed/requirements.txt
    cp tests/distributed/requirements.txt "$venv/requirements.txt"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel"
python=$(cd "$venv/bin" && pwd)/python
mkdir -p build/python
cd build/python
HAMEL_BUILD=$build RAY_DEDUP_LOGS=0 "$python" -m pytest -q -s -p no:cacheprovider "$root/tests/distributed"
