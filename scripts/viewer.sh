#!/bin/sh
# Makes viewer/dist/viewer.html from viewer/src and the packages of viewer/package-lock.json. With --check it fails if the
# page differs from the committed one, and tests pages in a browser (chromium, or the one that HAMEL_BROWSER names).
# Usage: viewer.sh --build | --check [BUILD]
set -eu

cd "$(dirname "$0")/.."
mode=${1:---build}
build=${2:-build}

(cd viewer && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && node build.mjs)
[ "$mode" = --check ] || exit 0

git diff --exit-code --stat -- viewer/dist || {
    echo "viewer/dist/viewer.html is not what viewer/src makes: run make viewer and commit it" >&2
    exit 1
}
# one file after the other: a browser that draws without a graphics card takes all processors
: >"$build/viewer.log"
for file in tests/viewer/*.test.mjs; do
    HAMEL_COMMAND=$PWD/$build/hamel node --test "$file" >>"$build/viewer.log" 2>&1 || true
done
grep -v '^ *duration_ms' "$build/viewer.log"
awk '/^# pass/ { passed += $3 } /^# fail/ { failed += $3 }
     END { printf "%d passed, %d failed\n", passed, failed; exit failed != 0 || passed == 0 }' "$build/viewer.log"
