#!/bin/sh
# Builds the Python package as pip does, in a separate environment, installs the wheel beside the peers and runs its
# tests; compares the C headers with it, and checks its types. Usage: python.sh [VENV [JOBS]]
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
venv=${1:-build/venv}
case $venv in /*) ;; *) venv=$root/$venv ;; esac
jobs=${2:-2}
scripts/peer-venv.sh "$venv"
rm -rf build/python/wheel
CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps \
    --wheel-dir build/python/wheel --config-settings=build-dir=build/python/cmake .
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement python/tests/requirements.txt
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall build/python/wheel/hamel-*.whl
"$venv/bin/python" python/tools/complete.py
"$venv/bin/mypy"
# not in the source folder, so that the installed package is tested and log files of the peers stay in the build folder
cd build/python
"$venv/bin/python" -m pytest -q -p no:cacheprovider "$root/python/tests"
