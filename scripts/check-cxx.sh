#!/bin/sh
# Checks that every public header compiles by itself, in C and in C++17, that hamel.h includes all headers of the core,
# and that the kernels compile as C++17 for each kind of number, so that device compilers can take them.
# Usage: check-cxx.sh
set -eu

cd "$(dirname "$0")/.."
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
for header in include/hamel/*.h include/hamel/*/*.h; do
    case ${header#include/hamel/} in
    hamel.h | io.h | plan.h | states.h | view.h | generate.h | control.h | cuda.h) ;; # of libhamel-io, libhamel-control and libhamel-cuda
    control/*)
        grep -q "\"${header#include/}\"" include/hamel/control.h || {
            echo "control.h does not include $header" >&2
            exit 1
        }
        ;;
    *)
        grep -q "\"${header#include/}\"" include/hamel/hamel.h || {
            echo "hamel.h does not include $header" >&2
            exit 1
        }
        ;;
    esac
    for language in "c -std=c11" "c++ -std=c++17"; do
        # shellcheck disable=SC2086
        printf '#include "%s"\nextern int something;\n' "${header#include/}" |
            cc -x $language $warnings -fsyntax-only -Iinclude -
    done
done
# hamel.hpp, in later standards too, and without exceptions
for standard in c++17 c++20 "c++17 -fno-exceptions"; do
    # shellcheck disable=SC2086
    printf '#include "hamel/hamel.hpp"\nextern int something;\n' | c++ -x c++ -std=$standard $warnings -fsyntax-only -Iinclude -
done
# <complex.h> makes I a macro
# shellcheck disable=SC2086
printf '#include <complex.h>\n#include "hamel/hamel.h"\nextern int something;\n' | cc -x c -std=c11 $warnings -fsyntax-only -Iinclude -
case $(uname -m) in
x86_64) processor=x86 ;;
aarch64) processor=arm ;;
*) processor=other ;;
esac
# kind NAME PROCESSOR NUMBER DEFINITIONS FLAGS OPTIONAL: a line of kinds.cmake
kind()
{
    case $2 in any | "$processor") ;; *) return 0 ;; esac
    definitions=
    for definition in $4; do definitions="$definitions -D$definition"; done
    # shellcheck disable=SC2086
    c++ -x c++ -std=c++17 -Wall -Wextra -Wno-psabi -Werror -fsyntax-only -Iinclude -Isrc "-DHML_KIND=$1" "-DHML_NUM_$3" $definitions $5 \
        src/kernel/table.c
}
eval "$(sed -n 's/^hamel_kind(\(.*\))$/kind \1/p' src/kernel/kinds.cmake)"
# those of the GPU, as its compiler sees them; the emulator of the tests takes the place of the GPU
for number in F32 F64; do
    printf '#include "cuda/held_write.h"\n#include "cuda/limbs_write.h"\nextern int something;\n' |
        c++ -x c++ -std=c++17 -Wall -Wextra -Wno-unused-function -Werror -fsyntax-only -Iinclude -Isrc -Itests/cuda "-DHML_NUM_$number" -
done
# and for numbers that count operations
for program in bench/*/*_count.cpp; do c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Iinclude -Isrc -Ibench "$program"; done
