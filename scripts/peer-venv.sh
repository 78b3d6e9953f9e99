#!/bin/sh
# Makes the Python environment with the programs that Hamel is compared with, and makes it again when the list of
# packages changes. Usage: peer-venv.sh [FOLDER]
set -eu

cd "$(dirname "$0")/.."
venv=${1:-build/venv}
requirements=tests/peer/requirements.txt
cmp -s "$requirements" "$venv/requirements.txt" && exit 0
python3 -m venv --clear "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
cp "$requirements" "$venv/requirements.txt"
