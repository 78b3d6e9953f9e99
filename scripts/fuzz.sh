#!/bin/sh
# Runs every fuzz target for some seconds, two at a time, from the broken and the sound models of the tests.
# Usage: fuzz.sh BUILD [SECONDS] [JOBS]
set -eu

build=$1
seconds=${2:-60}
jobs=${3:-2}
cd "$(dirname "$0")/.."
CC=clang cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHAMEL_FUZZ=ON -DBUILD_TESTING=OFF \
    -DHAMEL_EXAMPLES=OFF -DHAMEL_CLI=OFF -DHAMEL_SANITIZE=address,undefined,fuzzer-no-link
cmake --build "$build" -j "$jobs"
mkdir -p "$build/corpus"
find robots tests/broken -type f -exec cp {} "$build/corpus" \;
# shellcheck disable=SC2016
find "$build/fuzz" -type f -name 'fuzz_*' -perm -u+x 2>/dev/null | sort | xargs -r -I{} -P "$jobs" sh -c '
    name=$(basename "$1")
    mkdir -p "$2/found/$name"
    "$1" -max_total_time="$3" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$2/found/$name/" \
        "$2/found/$name" "$2/corpus" >"$2/$name.log" 2>&1 || { tail -n 40 "$2/$name.log"; exit 255; }
    echo "$name: $(sed -n "s/^stat::number_of_executed_units: *//p" "$2/$name.log") inputs"
' sh {} "$build" "$seconds"
