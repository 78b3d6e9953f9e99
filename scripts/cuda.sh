#!/bin/sh
# libhamel-cuda on a machine with a GPU. `test` compares every robot of robots/ with the CPU, then runs compute-sanitizer
# on a small one, if it is there, and hamel.cuda with torch, CuPy and JAX; `bench` measures them, and URDF files of the given folders, into OUT.json.
# Usage: cuda.sh test BUILD [JOBS] | cuda.sh bench BUILD JOBS OUT.json [FOLDER...]
set -eu

what=$1
build=$2
jobs=${3:-2}
cd "$(dirname "$0")/.."
mkdir -p "$(dirname "$build")"
# machine code for the GPU that is here, and for no other
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHAMEL_CUDA=ON -DHAMEL_CUDA_ARCHITECTURES="$arch" -DHAMEL_EXAMPLES=OFF \
    -DBUILD_TESTING=OFF >"$build.log" 2>&1 || { cat "$build.log" && exit 1; }
cmake --build "$build" -j "$jobs" --target cuda_gpu
if [ "$what" = bench ]; then
    out=$4
    shift 4
    files=
    for folder in "$@"; do
        for name in hyq anymal_b simple_humanoid icub_reduced; do
            [ ! -e "$folder/$name.urdf" ] || files="$files $folder/$name.urdf"
        done
    done
    # shellcheck disable=SC2086
    exec "$build/cuda_gpu" bench "$out" robots/*.json $files
fi
"$build/cuda_gpu" check robots/*.json
"$build/cuda_gpu" soak "${HAMEL_SOAK_SECONDS:-20}" robots/quadruped.json robots/humanoid.json robots/drone_arm.json
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck synccheck initcheck; do
        compute-sanitizer --tool $tool --error-exitcode 9 "$build/cuda_gpu" sanitize robots/quadruped.json robots/ship_crane.json
    done
fi
# hamel.cuda, where python3 has NumPy and the headers that a module needs
if python3 -c 'import numpy, sysconfig, os, sys; sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' 2>/dev/null; then
    cmake -S . -B "$build" -DHAMEL_PYTHON=ON -DPython_EXECUTABLE="$(command -v python3)" >"$build.log" 2>&1 || { cat "$build.log" && exit 1; }
    cmake --build "$build" -j "$jobs" --target hamel_python hamel-cuda
    rm -rf "$build/package" && mkdir -p "$build/package"
    cp -r python/src/hamel "$build/package/hamel"
    cp "$build"/python/_core*.so "$build/package/hamel/"
    library=$(find "$build" -name libhamel-cuda.so | head -n 1)
    PYTHONPATH=$build/package HAMEL_CUDA_LIBRARY=$library python3 tests/cuda/check_python.py
fi
