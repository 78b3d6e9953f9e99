#!/bin/sh
# Formats every source as .clang-format says; with --check it only reports. Usage: format.sh [--check]
set -eu

cd "$(dirname "$0")/.."
[ "${1:-}" = --check ] && how="--dry-run -Werror" || how=-i
# shellcheck disable=SC2086
git ls-files -z --cached --others --exclude-standard '*.c' '*.h' '*.cpp' '*.hpp' '*.cu' | xargs -0 -r clang-format $how
