#!/bin/sh
# Tests hamel.distributed on real engines, on this machine: Ray and Dask with two workers each, of which one is killed,
# and MPI. The wheel is made here, with the objects of scripts/python.sh. HAMEL_STATES says how many states (20000).
# Usage: distributed.sh [BUILD [VENV [JOBS]]]
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
build=${1:-build}
venv=${2:-$build/venv-distributed}
case $build in /*) ;; *) build=$root/$build ;; esac
case $venv in /*) ;; *) venv=$root/$venv ;; esac
jobs=${3:-2}
if ! cmp -s tests/distributed/requirements.txt "$venv/requirements.txt"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement tests/distributed/requirements.txt
    cp tests/distributed/requirements.txt "$venv/requirements.txt"
fi
# a wheel of this source: the folder of scripts/python.sh may hold an older one, so pip looks at it again, which is quick
wheels=$build/python/wheel-distributed
rm -rf "$wheels"
CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$wheels" \
    --config-settings=build-dir="$build/python/cmake" .
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/hamel-*.whl
cd "$build/python"
# on a busy machine Ray's processes take longer to start than the 30 seconds it waits for them
export RAY_gcs_server_port_wait_time_s=300 RAY_gcs_server_request_timeout_seconds=300
HAMEL_BUILD=$build RAY_DEDUP_LOGS=0 "$venv/bin/python" -m pytest -q -s -p no:cacheprovider "$root/tests/distributed"
