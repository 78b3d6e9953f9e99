#!/bin/sh
# Builds with clang's sanitizers and runs the tests; under "thread" only those whose names match HAMEL_THREAD_TESTS, which is
# `thread` if it is not set. 'thread|^test_(mpc|solver)$' adds optimal control, 40 s of processor time.
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
    with_threads=${HAMEL_THREAD_TESTS:-thread}
    tests=$(ninja -C "$build" -t targets all | sed -n 's/^\([a-z0-9_]*\): phony$/\1/p' | grep -E "$with_threads" || true)
    if [ -z "$tests" ]; then
        echo "no test matches $with_threads"
        exit 0
    fi
    # shellcheck disable=SC2086
    ninja -C "$build" -j "$jobs" $tests
    scripts/test.sh "$build" -j "$jobs" -R "$with_threads"
else
    ninja -C "$build" -j "$jobs"
    scripts/test.sh "$build" -j "$jobs" -E '^(accuracy_|test_motion_order|example_09|example_1)' # figures, not memory
fi
