#!/bin/sh
# Measures the line coverage of the core (everything under src/ but io) by the tests, and fails below 90 %. The page
# with every line is BUILD/coverage/index.html. Usage: coverage.sh BUILD [JOBS]
set -eu

build=$1
jobs=${2:-2}
cd "$(dirname "$0")/.."
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DHAMEL_COVERAGE=ON -DHAMEL_TEST_KINDS="F64;X4"
find "$build" -name '*.gcda' -delete
cmake --build "$build" -j "$jobs"
# not accuracies, which are figures, not readers and command, which are not measured (and lost memory is nothing that
# gcov's own part of the programs survives)
scripts/test.sh "$build" -j "$jobs" -E '^accuracy_|^test_io_|^test_cli_|^mutate_|^test_motion_order$'
mkdir -p "$build/coverage"
gcovr --root . --object-directory "$build" --filter 'src/' --exclude 'src/io/' --exclude-unreachable-branches \
    --gcov-ignore-parse-errors --html-details "$build/coverage/index.html" --print-summary --fail-under-line 90 -j "$jobs" "$build"
