#!/bin/sh
# Installs the library into an empty prefix, static or shared, moves that prefix elsewhere, and builds a project that
# uses it (tests/install) twice: with find_package and with pkg-config. The static one has no libzip, zstd and matio, and says
# so where they are wanted. Usage: check-install.sh static|shared BUILD [JOBS]
set -eu

kind=$1
build=$2
jobs=${3:-2}
root=$(cd "$(dirname "$0")/.." && pwd)
[ "$kind" = shared ] && shared=ON || shared=OFF

cmake -S "$root" -B "$build" -G Ninja -DBUILD_SHARED_LIBS="$shared" -DBUILD_TESTING=OFF -DHAMEL_EXAMPLES=OFF \
    -DHAMEL_ZIP="$shared" -DHAMEL_ZSTD="$shared" -DHAMEL_MAT="$shared" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCMAKE_INSTALL_LIBDIR=lib # compiled sooner
cmake --build "$build" -j "$jobs"
rm -rf "$build/prefix" "$build/moved" "$build/stranger"
cmake --install "$build" --prefix "$build/prefix"
mv "$build/prefix" "$build/moved"
prefix=$(cd "$build/moved" && pwd)

io=OFF
programs="core_c core_cpp control_c"
if [ -e "$prefix/lib/pkgconfig/hamel-io.pc" ]; then
    io=ON
    programs="$programs io_c io_cpp"
fi

echo "find_package"
cmake -S "$root/tests/install" -B "$build/stranger" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DSTRANGER_IO=$io
cmake --build "$build/stranger" -j "$jobs"
for program in $programs; do "$build/stranger/$program"; done

echo "pkg-config"
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$prefix/lib"
# shellcheck disable=SC2046
cc "$root/tests/install/core.c" -o "$build/core" $(pkg-config --cflags --libs hamel)
"$build/core"
# shellcheck disable=SC2046
cc "$root/tests/install/control.c" -o "$build/control" $(pkg-config --cflags --libs hamel-control)
"$build/control"
if [ $io = ON ]; then
    # shellcheck disable=SC2046
    cc "$root/tests/install/io.c" -o "$build/io" $(pkg-config --cflags --libs hamel-io)
    "$build/io"
fi

# the command finds its libraries relative to itself, wherever the prefix lies
unset LD_LIBRARY_PATH
if [ -e "$prefix/bin/hamel" ]; then
    "$prefix/bin/hamel" --version
    for ending in mat npz; do
        if "$prefix/bin/hamel" dynamics --quiet --out "$build/x.$ending" 2>"$build/said"; then
            [ "$kind" = shared ]
        else
            [ "$kind" = static ] && grep 'this build of Hamel has no' "$build/said"
        fi
    done
fi
