#!/bin/sh
# Makes the packages and tries them: a Debian package (cpack), sources taken along with FetchContent, a source archive for
# pip, a wheel that carries its libraries, and the bill of materials. With the folder of a Debian (made by debootstrap, with
# python3 and python3-venv), package and wheel are installed there, the tests of the Python package run, and the Debian
# package is removed again; that takes root. BUILDER is a folder of the same Debian with a compiler, where the wheel is made
# for its Python; without it the Debian must have the Python that is here. BUILD is that of make build.
# Usage: packages.sh [BUILD [DEBIAN [BUILDER]]]
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
build=${1:-build}
debian=${2:-}
builder=${3:-}
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
grep -q "\"version\": \"$(sed -n 's/^#define HML_VERSION_STRING "\(.*\)"/\1/p' include/hamel/base.h)\"" packaging/vcpkg/vcpkg.json

echo "source archive, wheel"
[ -x "$build/venv-packages/bin/python" ] || {
    python3 -m venv "$build/venv-packages"
    "$build/venv-packages/bin/pip" install --quiet --disable-pip-version-check build
}
"$build/venv-packages/bin/python" -m build --sdist --outdir "$out" . >"$out/sdist.log" 2>&1
scripts/wheel.sh "$out"/hamel-*.tar.gz "$build/wheel" "$jobs"
cp "$build"/wheel/hamel-*.whl "$out/"
ls -l "$out"/*.deb "$out"/*.whl "$out"/*.tar.gz

[ -n "$debian" ] || exit 0
wheel=$(ls "$out"/hamel-*.whl)
mounted=""
# shellcheck disable=SC2086
trap 'for folder in $mounted; do umount "$folder/proc"; done' EXIT
if [ -n "$builder" ]; then
    echo "wheel in $builder"
    mkdir -p "$builder/packages"
    rm -rf "$builder/packages/"hamel-*
    cp "$out"/hamel-*.tar.gz "$builder/packages/"
    mountpoint -q "$builder/proc" || { mount -t proc proc "$builder/proc" && mounted=$builder; }
    chroot "$builder" bash -euc 'export PATH=/usr/sbin:/usr/bin:/sbin:/bin
        cd /packages
        tar -xf hamel-*.tar.gz
        hamel-*/scripts/wheel.sh hamel-*.tar.gz out "$1"' bash "$jobs"
    wheel=$(ls "$builder"/packages/out/hamel-*.whl)
fi

echo "in $debian"
rm -rf "$debian/packages"
mkdir -p "$debian/packages"
cp "$deb" "$wheel" "$debian/packages/"
cp -r python include robots examples docs README.md "$debian/packages/"
version=$(chroot "$debian" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
"$build/venv-packages/bin/pip" download --quiet --disable-pip-version-check --only-binary :all: --python-version "$version" \
    --dest "$debian/packages/wheels" numpy pytest hypothesis
mountpoint -q "$debian/proc" || { mount -t proc proc "$debian/proc" && mounted="$mounted $debian"; } # programs find themselves with it
# the package names the libraries of the Debian it was made on
if [ "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" = "$(sed -n 's/^VERSION_CODENAME=//p' "$debian/etc/os-release")" ]; then
    chroot "$debian" bash -euc 'export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
        dpkg-query -W >/packages/before
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends /packages/hamel_*.deb >/packages/apt.log 2>&1
        hamel validate --samples 10 | head -n 8
        apt-get purge -y -qq --autoremove hamel >>/packages/apt.log 2>&1
        dpkg-query -W | diff /packages/before -
        left=$(find / -xdev -path /packages -prune -o -path /proc -prune -o -name "*hamel*" -print)
        [ -z "$left" ] || { echo "the package leaves behind: $left" >&2; exit 1; }'
else
    echo "another Debian than this one: the Debian package is not tried there"
fi
chroot "$debian" bash -euc 'export PATH=/usr/sbin:/usr/bin:/sbin:/bin
    rm -rf /packages/venv
    python3 -m venv /packages/venv
    /packages/venv/bin/pip install --quiet --no-index --find-links /packages/wheels numpy pytest hypothesis
    time /packages/venv/bin/pip install --quiet --no-deps /packages/hamel-*.whl
    /packages/venv/bin/hamel validate --samples 10 >/dev/null
    cd /packages
    venv/bin/python -m pytest -q -p no:cacheprovider --ignore=python/tests/peer python/tests' # no other program is there
