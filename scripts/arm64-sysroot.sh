#!/bin/sh
# Fetches the AArch64 libraries that the tests need from Debian and unpacks them into a folder, without touching the
# packages of this machine. Usage: arm64-sysroot.sh FOLDER
set -eu

sysroot=$1
[ ! -e "$sysroot/.complete" ] || exit 0
rm -rf "$sysroot" && mkdir -p "$sysroot"
sysroot=$(cd "$sysroot" && pwd)
apt=$sysroot.apt
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"

# a separate apt configuration: another architecture, nothing installed yet
set -- -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$apt/state" \
    -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root -o Debug::NoLocking=true
apt-get "$@" update
apt-get "$@" install -y --no-install-recommends --download-only \
    libc6-dev libcmocka-dev libexpat1-dev libzip-dev libmatio-dev
for package in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
touch "$sysroot/.complete"
