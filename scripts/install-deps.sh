#!/bin/sh
# Checks whether the tools of a task are installed. As root on Debian or Ubuntu it installs what is missing; elsewhere it
# prints in one line what to install. Usage: install-deps.sh [build|check|docs|site|bench|python|distributed|viewer|octave|ci]
set -eu

missing=""

# have PROBE: a command, or module:NAME for a library that pkg-config knows, or file:PATH, or mpi
have()
{
    case $1 in
    module:*) command -v pkg-config >/dev/null && pkg-config --exists "${1#module:}" ;;
    file:*) [ -e "${1#file:}" ] ;;
    mpi) echo "#include <mpi.h>" | mpicc -E -x c - >/dev/null 2>&1 ;; # Debian has mpicc without its headers, too
    *) command -v "$1" >/dev/null ;;
    esac
}

# need PROBE PACKAGE...
need()
{
    probe=$1
    shift
    have "$probe" || missing="$missing $*"
}

need_build()
{
    need cc gcc libc6-dev
    need cmake cmake
    need ninja ninja-build
    need pkg-config pkg-config
    need module:expat libexpat1-dev
    need module:libzip libzip-dev
    need module:libzstd libzstd-dev
    need module:matio libmatio-dev
    need module:cmocka libcmocka-dev
    need module:jansson libjansson-dev # the tests of the command read its JSON with it
}

need_check()
{
    need_build
    need git git
    need clang clang libclang-rt-dev
    need clang-tidy clang-tidy
    need clang-format clang-format
}

need_docs() { need doxygen doxygen; }

need_site()
{
    need_docs
    need_python
    need_viewer
}

need_bench()
{
    need_build
    need c++ g++
    need clang++ clang
    need file:/usr/include/eigen3/Eigen/Core libeigen3-dev
    need python3 python3
    need file:/usr/share/doc/python3-venv python3-venv
}

need_python()
{
    need_build
    need python3 python3
    need python3-config python3-dev
    need file:/usr/share/doc/python3-venv python3-venv
    need file:/etc/ssl/certs/ca-certificates.crt ca-certificates
}

need_distributed()
{
    need_python
    need mpirun openmpi-bin
    need mpi libopenmpi-dev
}

need_viewer()
{
    need node nodejs
    need npm npm
    need file:/etc/ssl/certs/ca-certificates.crt ca-certificates
}

need_octave()
{
    need_build
    need octave octave
    need mkoctfile octave-dev
}

need_ci()
{
    need_viewer
    need chromium chromium
    need_check
    need_docs
    need_python
    need c++ g++
    need file:/usr/include/eigen3/Eigen/Core libeigen3-dev # hamel.hpp is tested with it
    need gcovr gcovr
    need file:/usr/share/i18n/locales/ps_AF locales
    need python3 python3
    need file:/usr/share/doc/python3-venv python3-venv
    need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
    need qemu-aarch64 qemu-user
    need file:/etc/ssl/certs/ca-certificates.crt ca-certificates
}

"need_${1:-build}"
[ -n "$missing" ] || exit 0

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    # shellcheck disable=SC2086
    { apt-get update && apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        exit 1
    }
else
    echo "please install these first (names as in Debian):$missing" >&2
    exit 1
fi
