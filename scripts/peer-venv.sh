#!/bin/sh
# Makes the Python environment in which the results are compared with other people's software: once, and again when the
# list of packages changes. Usage: peer-venv.sh [FOLDER]
set -eu

cd "$(dirname "$0")/.."
venv=${1:-build/venv}
requirements=tests/peer/requirements.txt
cmp -s "$requirements" "$venv/requirements.txt" && exit 0
python3 -m venv --clear "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
cp "$requirements" "$venv/requirements.txt"
