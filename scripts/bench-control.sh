#!/bin/sh
# Optimal control beside Crocoddyl: the same problems, the same optima, the time per knot and iteration on one thread. Writes
# BUILD/bench-control.json, and runs the tutorial From Crocoddyl to Hamel. Makes its own Python environment, because Crocoddyl needs other versions than the other peers.
# Usage: bench-control.sh [BUILD [JOBS]]
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
build=${1:-build}
jobs=${2:-2}
case $build in /*) ;; *) build=$root/$build ;; esac
venv=$build/venv-control
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
# versions that work together; later ones raise MemoryError when a problem is made
"$venv/bin/pip" install --quiet --disable-pip-version-check crocoddyl==3.1.0 pin==3.8.0 libpinocchio==3.8.0 \
    'cmeel-urdfdom<5' 'cmeel-tinyxml2<11' example-robot-data scipy
rm -rf "$build/python/wheel-control" # an older version there would be installed as well
CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps \
    --wheel-dir "$build/python/wheel-control" --config-settings=build-dir="$build/python/cmake-control" .
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$build"/python/wheel-control/hamel-*.whl
OMP_NUM_THREADS=1 "$venv/bin/python" bench/peers/control.py "$build/bench-control.json"
# the tutorial is of the same programs, and nobody else has them installed
PYTHONPATH=python/tools "$venv/bin/python" -W ignore -c 'import tutorials; tutorials.run("from-crocoddyl-to-hamel")'
