#!/bin/sh
# Runs the static analysis of .clang-tidy on the library, the command and the examples. Every finding is an error.
# Usage: lint.sh BUILD [JOBS]; BUILD is a folder of its own, where nothing is compiled
set -eu

build=$1
jobs=${2:-2}
cd "$(dirname "$0")/.."
# without the tests: some of them compile sources of the library once more, with flags that mislead the analyzer
CC=clang cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF >/dev/null
# The analyzer leaves a function after this many steps; its default of 225000 takes twice the time. Assertions tell it
# what always holds.
steps="--extra-arg=-UNDEBUG --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=75000"
# examples/cluster needs MPI, and examples/microcontroller a generated header; neither need be there
# the kernels are one file for every kind of number; it is analyzed once, for packs of four
pack="-std=c11 -Iinclude -Isrc -DHML_NUM_X4 -DHML_KIND=avx2_x4"
[ "$(uname -m)" != x86_64 ] || pack="$pack -mavx2 -mfma"
# shellcheck disable=SC2086
clang-tidy --quiet $steps src/kernel/table.c -- $pack &
kernels=$!
# shellcheck disable=SC2086
git ls-files -z 'src/*.c' 'cli/*.c' 'examples/*.c' ':!src/kernel/table.c' ':!examples/cluster' \
    ':!examples/microcontroller' |
    xargs -0 -n 1 -P "$jobs" clang-tidy -p "$build" --quiet $steps
wait $kernels
