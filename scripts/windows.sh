#!/bin/sh
# Compiles libraries, command and unit tests for Windows with mingw-w64, and runs them under wine (Debian: gcc-mingw-w64-x86-64,
# g++-mingw-w64-x86-64, wine). The command must say and write what the one of this system does; BUILD is that of make build.
# The libraries of the readers are compiled from Debian's sources (wheel-libraries.sh). One kind of kernel, the scalar one, and
# neither Zarr folders nor MAT files. Usage: windows.sh [BUILD [JOBS]]
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
build=${1:-build}
jobs=${2:-2}
case $build in /*) ;; *) build=$root/$build ;; esac
for tool in x86_64-w64-mingw32-gcc wine; do
    command -v $tool >/dev/null || {
        echo "$tool is missing (Debian: apt-get install gcc-mingw-w64-x86-64 g++-mingw-w64-x86-64 wine)" >&2
        exit 1
    }
done
libraries=$build/windows/libraries
toolchain=$root/cmake/x86_64-w64-mingw32.cmake
CMAKE_TOOLCHAIN_FILE=$toolchain scripts/wheel-libraries.sh "$libraries" "$jobs"

# the framework of the unit tests
cmocka=cmocka_1.1.7.orig.tar.xz
pool=${HAMEL_SOURCES:-$(apt-get indextargets --format '$(REPO_URI)pool/main' 'Created-By: Packages' 'Label: Debian' | head -n 1)}
[ -e "$libraries/lib/libcmocka.a" ] || {
    mkdir -p "$libraries/src/cmocka"
    curl -fsSL "$pool/c/cmocka/$cmocka" -o "$libraries/src/$cmocka"
    echo "810570eb0b8d64804331f82b29ff47c790ce9cd6b163e98d47a4807047ecad82  $libraries/src/$cmocka" | sha256sum --check --quiet
    tar -xf "$libraries/src/$cmocka" -C "$libraries/src/cmocka" --strip-components=1
    {
        cmake -S "$libraries/src/cmocka" -B "$libraries/build/cmocka" -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DCMAKE_BUILD_TYPE=Release \
            -DBUILD_SHARED_LIBS=OFF -DWITH_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX="$libraries" -DCMAKE_INSTALL_LIBDIR=lib &&
            cmake --build "$libraries/build/cmocka" -j "$jobs" && cmake --install "$libraries/build/cmocka"
    } >"$libraries/cmocka.log" 2>&1 || {
        tail -n 20 "$libraries/cmocka.log" >&2
        exit 1
    }
}

windows=$build/windows/hamel
PKG_CONFIG_LIBDIR=$libraries/lib/pkgconfig cmake -S . -B "$windows" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$toolchain" \
    -DHAMEL_WINDOWS_LIBRARIES="$libraries" -DCMAKE_BUILD_TYPE=Release -DHAMEL_SIMD=OFF -DHAMEL_ZSTD=OFF -DHAMEL_MAT=OFF \
    -DHAMEL_EXAMPLES=OFF -DHAMEL_TEST_KINDS=F64 >"$build/windows/configure.log"
cmake --build "$windows" -j "$jobs"
# not in the build folder: it has a link to / that programs which collect files would follow
wine=$(mktemp -d)
trap 'rm -rf "$wine"' EXIT
export WINEDEBUG=-all WINEPREFIX="$wine"
(cd "$windows" && ctest -j "$jobs" --timeout 300 --output-on-failure)
scripts/compare-windows.sh "$build/hamel" "$windows/hamel.exe"
