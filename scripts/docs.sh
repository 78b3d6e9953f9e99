#!/bin/sh
# Makes the reference of the C headers by doxygen: FOLDER/html/c/index.html. With --site it makes the whole site instead,
# FOLDER/html/index.html: the pages, the C headers, the Python reference and the tutorials, which --run executes; and checks
# its links. The site needs the Python package and Sphinx; the script installs both into the environment VENV
# (build/venv-docs). --links does the same in an environment that has the package, without colours, indices and a search, to
# check the links. Formulas are shown by MathJax, which npm fetches and the site carries.
# Usage: docs.sh [--site [--run] | --links] FOLDER [VENV]
set -eu

site="" run="" links=""
while :; do
    case ${1:-} in
    --site) site=1 ;;
    --run) run=1 ;;
    --links) links=1 ;;
    *) break ;;
    esac
    shift
done
folder=$1
cd "$(dirname "$0")/.."
venv=${2:-build/venv-docs}
html=$folder/html
mkdir -p "$html"

# mathjax: puts tex-svg.js, which has its glyphs inside and needs no network and no fonts, where conf.py expects it
mathjax()
{
    mkdir -p "$folder/mathjax/static"
    cp docs/site/package.json docs/site/package-lock.json "$folder/mathjax/"
    npm --prefix "$folder/mathjax" ci --ignore-scripts --no-audit --no-fund --loglevel=error --silent
    cp "$folder/mathjax/node_modules/mathjax/es5/tex-svg.js" "$folder/mathjax/static/mathjax.js"
    HAMEL_MATHJAX=$(cd "$folder/mathjax/static" && pwd)
    export HAMEL_MATHJAX
}

# check: the links and the formulas of the site that was made
check()
{
    scripts/check-site.py "$html"
    node docs/site/check-formulas.mjs "$html" "$(dirname "$HAMEL_MATHJAX")/node_modules/mathjax"
}

if [ -n "$links" ]; then
    html=$folder/links
    mathjax
    "$venv/bin/pip" install --quiet --disable-pip-version-check furo==2025.12.19 myst-parser "sphinx>=8,<10"
    HAMEL_LINKS=1 "$venv/bin/sphinx-build" -q -W --keep-going -j 2 -d "$folder/doctrees-links" docs "$html"
    check
    exit 0
fi
if [ -n "$site" ]; then
    mathjax
    if ! cmp -s docs/requirements.txt "$venv/requirements.txt"; then
        python3 -m venv --clear "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement docs/requirements.txt
        cp docs/requirements.txt "$venv/requirements.txt"
    fi
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall \
        --config-settings=build-dir=build/python/cmake .
    HAMEL_RUN_TUTORIALS=$run "$venv/bin/sphinx-build" -q -W --keep-going -j 2 -d "$folder/doctrees" docs "$html"
    check
    echo "$html/index.html"
    exit 0
fi
{
    cat cmake/Doxyfile
    echo "OUTPUT_DIRECTORY = $html"
} | doxygen -
echo "$html/c/index.html"
