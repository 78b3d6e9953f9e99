#!/bin/sh
# Compiles the MEX gateway of matlab/ with Octave against a build folder, and tests it. Where Octave cannot be installed
# it says so and succeeds. Usage: octave.sh [BUILD]
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
build=${1:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
if ! command -v octave >/dev/null || ! command -v mkoctfile >/dev/null; then
    scripts/install-deps.sh octave || true
fi
if ! command -v octave >/dev/null || ! command -v mkoctfile >/dev/null; then
    echo "skipped: Octave is not installed and cannot be installed here"
    exit 0
fi
for library in hamel-io hamel-control hamel; do
    [ -e "$build/src/lib$library.a" ] || cmake --build "$build" --target "$library"
done
mkdir -p "$build/octave"
cd "$build/octave"
# shellcheck disable=SC2046
CFLAGS="-O2 -std=c11 -Wall -Wextra -Werror" mkoctfile --mex -o hamel_mex.mex "-I$root/include" "$root"/matlab/src/*.c \
    "$build/src/libhamel-io.a" "$build/src/libhamel-control.a" "$build/src/libhamel.a" $(pkg-config --libs expat libzip libzstd matio)
octave --no-gui --quiet --norc --eval "addpath('$root/matlab', '$root/matlab/examples', '$root/tests/octave', pwd); test_hamel('$root')"
