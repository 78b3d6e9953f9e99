#!/bin/sh
# Makes the reference: FOLDER/html/index.html. Usage: docs.sh FOLDER
set -eu

folder=$1
cd "$(dirname "$0")/.."
mkdir -p "$folder"
{
    cat cmake/Doxyfile
    echo "OUTPUT_DIRECTORY = $folder"
} | doxygen -
echo "$folder/html/index.html"
