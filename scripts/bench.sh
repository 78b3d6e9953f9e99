#!/bin/sh
# The benchmarks that have peers: group functions and Jacobians, both sides in turns on one core, one table each.
# Usage: bench.sh BUILD JOBS
set -eu
build=$1 jobs=$2

scripts/peer-venv.sh "$build/venv" > "$build/bench-venv.log" 2>&1 || echo "no peers: see $build/bench-venv.log"
cmake -S . -B "$build/bench" -G Ninja -DBUILD_TESTING=OFF -DHAMEL_BENCH=ON -DHAMEL_PEER_VENV="$PWD/$build/venv" \
    > "$build/bench.log"
cmake --build "$build/bench" -j "$jobs" >> "$build/bench.log"
for table in bench_group bench_kinematics; do
    echo
    cmake --build "$build/bench" --target $table | grep '^|'
done
