#!/bin/sh
# Runs every fuzz target, two at a time. They start from the broken and the valid models of the tests. Targets of readers
# run for SECONDS, the others for a third of that.
# Usage: fuzz.sh BUILD [SECONDS] [JOBS]
set -eu

build=$1
seconds=${2:-60}
jobs=${3:-2}
cd "$(dirname "$0")/.."
CC=clang cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG" -DHAMEL_FUZZ=ON -DBUILD_TESTING=OFF \
    -DHAMEL_EXAMPLES=OFF -DHAMEL_CLI=OFF -DHAMEL_SIMD=OFF -DHAMEL_SANITIZE=address,undefined,fuzzer-no-link
cmake --build "$build" -j "$jobs"
seeds=$(find robots examples/states examples/plans tests/broken -type d)
# shellcheck disable=SC2016,SC2086
find "$build/fuzz" -type f -name 'fuzz_*' -perm -u+x | sort | xargs -r -I{} -P "$jobs" sh -c '
    program=$1 build=$2 seconds=$3
    shift 3
    name=$(basename "$program")
    log=$build/$name.log
    case $name in fuzz_urdf | fuzz_mjcf | fuzz_json | fuzz_state) ;; *) seconds=$((seconds / 3)) ;; esac
    dictionary=tests/fuzz/${name#fuzz_}.dict
    [ ! -e "$dictionary" ] || set -- "-dict=$dictionary" "$@"
    mkdir -p "$build/found/$name"
    "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/found/$name/" "$build/found/$name" "$@" >"$log" 2>&1 || { tail -n 40 "$log"; exit 255; }
    echo "$name: $(sed -n "s/^stat::number_of_executed_units: *//p" "$log") inputs"
' sh {} "$build" "$seconds" $seeds
