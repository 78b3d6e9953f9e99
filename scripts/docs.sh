#!/bin/sh
# Makes the reference of the C headers: FOLDER/html/c/index.html. With --site it makes the whole site,
# FOLDER/html/index.html: the pages, the Python reference and the tutorials, which --run executes. The site needs the
# Python package and Sphinx; the script installs both into the environment VENV (build/venv-docs).
# Usage: docs.sh [--site [--run]] FOLDER [VENV]
set -eu

site="" run=""
while :; do
    case ${1:-} in
    --site) site=1 ;;
    --run) run=1 ;;
    *) break ;;
    esac
    shift
done
folder=$1
cd "$(dirname "$0")/.."
venv=${2:-build/venv-docs}
html=$folder/html
mkdir -p "$html"

if [ -n "$site" ]; then
    if ! cmp -s docs/requirements.txt "$venv/requirements.txt"; then
        python3 -m venv --clear "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement docs/requirements.txt
        cp docs/requirements.txt "$venv/requirements.txt"
    fi
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall \
        --config-settings=build-dir=build/python/cmake .
    HAMEL_RUN_TUTORIALS=$run "$venv/bin/sphinx-build" -q -W --keep-going -d "$folder/doctrees" docs "$html"
fi
{
    cat cmake/Doxyfile
    echo "OUTPUT_DIRECTORY = $html"
} | doxygen -
if [ -n "$site" ]; then echo "$html/index.html"; else echo "$html/c/index.html"; fi
