#!/bin/sh
# Builds the libraries that a wheel carries inside, static, from sources that Debian keeps: expat, zlib, libzip, zstd. Needs
# curl, cmake, a C and a C++ compiler. They come from where apt gets its packages, or from HAMEL_SOURCES, the folder or
# address of a pool like Debian's. With --licences their licences go to packaging/licences instead. For another system,
# CMAKE_TOOLCHAIN_FILE says how to compile for it (windows.sh).
# Usage: wheel-libraries.sh PREFIX [JOBS | --licences]
set -eu

mkdir -p "$1"
prefix=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
jobs=${2:-2}
pool=${HAMEL_SOURCES:-$(apt-get indextargets --format '$(REPO_URI)pool/main' 'Created-By: Packages' 'Label: Debian' | head -n 1)}

# name, place in the pool, SHA-256, folder with its CMakeLists.txt, file with its licence, further options of CMake
libraries="
expat e/expat/expat_2.8.3.orig.tar.gz 533659a16e0184035a99fd8e783f1ad61a887a7bf8586a8681740b9d7ed42389 expat expat/COPYING -DEXPAT_BUILD_TOOLS=OFF -DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_TESTS=OFF -DEXPAT_BUILD_DOCS=OFF -DEXPAT_SHARED_LIBS=OFF
zlib z/zlib/zlib_1.3.dfsg+really1.3.1.orig.tar.gz 60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb . LICENSE
libzip libz/libzip/libzip_1.7.3.orig.tar.xz a60473ffdb7b4260c08bfa19c2ccea0438edac11193c3afbbb1f17fbcf6c6132 . LICENSE -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DENABLE_GNUTLS=OFF -DENABLE_OPENSSL=OFF -DENABLE_MBEDTLS=OFF -DENABLE_COMMONCRYPTO=OFF -DENABLE_WINDOWS_CRYPTO=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF
zstd libz/libzstd/libzstd_1.5.7+dfsg.orig.tar.xz 0c092ef267edce57ba7f3f2645c861f72eaf5e76273c6c3632869423464b90a5 build/cmake LICENSE -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF -DZSTD_BUILD_TESTS=OFF -DZSTD_LEGACY_SUPPORT=OFF -DZSTD_MULTITHREAD_SUPPORT=OFF
"

# get NAME PLACE SUM: its sources into $prefix/src/NAME
get()
{
    sources=$prefix/src/$1
    file=$prefix/src/${2##*/}
    mkdir -p "$sources"
    [ -e "$file" ] || {
        curl -fsSL "$pool/$2" -o "$file.part"
        mv "$file.part" "$file"
    }
    echo "$3  $file" | sha256sum --check --quiet
    tar -xf "$file" -C "$sources" --strip-components=1
}

echo "$libraries" | while read -r name place sum folder licence options; do
    [ -n "$name" ] || continue
    [ "$jobs" = --licences ] || [ ! -e "$prefix/$name-$sum.done" ] || continue
    get "$name" "$place" "$sum"
    if [ "$jobs" = --licences ]; then
        cp "$prefix/src/$name/$licence" "$root/packaging/licences/$name.txt"
        continue
    fi
    if [ "$name" = zlib ]; then # a file for Windows that CMakeLists.txt names and Debian leaves out
        mkdir -p "$prefix/src/zlib/win32"
        echo "1 RCDATA { 0 }" >"$prefix/src/zlib/win32/zlib1.rc"
    fi
    # shellcheck disable=SC2086
    {
        cmake -S "$prefix/src/$name/$folder" -B "$prefix/build/$name" -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
            -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$prefix" \
            -DCMAKE_POLICY_VERSION_MINIMUM=3.5 ${CMAKE_TOOLCHAIN_FILE:+-DHAMEL_WINDOWS_LIBRARIES="$prefix"} $options &&
            cmake --build "$prefix/build/$name" -j "$jobs" && cmake --install "$prefix/build/$name"
    } >"$prefix/$name.log" 2>&1 || {
        tail -n 20 "$prefix/$name.log" >&2
        exit 1
    }
    # libzip needs zlib, which pkg-config says of static links only
    [ "$name" != libzip ] || sed -i '/^Libs:/s/$/ -lz/' "$prefix/lib/pkgconfig/libzip.pc"
    rm -f "$prefix"/lib/*.so* "$prefix"/lib/*.dll.a # zlib makes a shared library as well, and the linker would take it
    [ ! -e "$prefix/lib/libzlibstatic.a" ] || mv "$prefix/lib/libzlibstatic.a" "$prefix/lib/libz.a" # its name for Windows
    : >"$prefix/$name-$sum.done"
done
