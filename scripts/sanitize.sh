#!/bin/sh
# Builds with clang's sanitizers and runs the tests; under "thread" only those with `thread` in their names.
# Usage: sanitize.sh address,undefined|thread BUILD [JOBS]
set -eu

sanitizers=$1
build=$2
jobs=${3:-2}
cd "$(dirname "$0")/.."
CC=clang cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" \
    -DHAMEL_SANITIZE="$sanitizers" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DHAMEL_TEST_KINDS=F64 \
    -DHAMEL_SIMD="$([ "$sanitizers" = thread ] && echo OFF || echo ON)" # threads are the same on every instruction set
if [ "$sanitizers" = thread ]; then
    tests=$(ninja -C "$build" -t targets all | sed -n 's/^\([a-z0-9_]*thread[a-z0-9_]*\): phony$/\1/p')
    if [ -z "$tests" ]; then
        echo "no test has thread in its name"
        exit 0
    fi
    # shellcheck disable=SC2086
    ninja -C "$build" -j "$jobs" $tests
    scripts/test.sh "$build" -j "$jobs" -R thread
else
    ninja -C "$build" -j "$jobs"
    scripts/test.sh "$build" -j "$jobs" -E '^(accuracy_|test_motion_order|example_09|example_11)' # figures, not memory
fi
