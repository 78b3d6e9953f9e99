#!/bin/sh
# Every public header stands alone in C and in C++17, and hamel.h includes all those of the core; the kernels are C++17 as well, for each kind of number, so that
# they can be compiled for other devices. Usage: check-cxx.sh
set -eu

cd "$(dirname "$0")/.."
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
for header in include/hamel/*.h; do
    case ${header##*/} in
    hamel.h | export.h | io.h | result.h) ;; # io and result belong to libhamel-io
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
# <complex.h> makes I a macro
# shellcheck disable=SC2086
printf '#include <complex.h>\n#include "hamel/hamel.h"\nextern int something;\n' | cc -x c -std=c11 $warnings -fsyntax-only -Iinclude -
for kind in F64 F32 X2 X4 X8 S4 S4V X4V; do
    case $kind in
    ?4) set -- -mavx2 -mfma ;;
    ?8 | *V) set -- -mavx512f -mavx512dq -mavx512vl -mfma ;;
    *) set -- ;;
    esac
    [ "$(uname -m)" = x86_64 ] || set --
    case $kind in
    S*) set -- -DHML_COLUMNS=4 -DHML_NUM_F64 "$@" ;;
    X4V) set -- -DHML_SINGLE_CALLS -DHML_NUM_X4 "$@" ;;
    *) set -- "-DHML_NUM_$kind" "$@" ;;
    esac
    c++ -x c++ -std=c++17 -Wall -Wextra -Wno-psabi -Werror -fsyntax-only -Iinclude -Isrc "-DHML_KIND=$kind" "$@" src/kernel/table.c
done
# and for numbers that count operations
for program in bench/*/*_count.cpp; do c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Iinclude -Isrc -Ibench "$program"; done
