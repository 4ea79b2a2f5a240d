#!/bin/sh
# Installs what the build and the tests need on Debian 12 or 13, if anything is missing. As root or with sudo.
# With --debian also what dpkg-buildpackage needs. With --list as the first or second word only
# prints the packages' names.
set -eu
packages="build-essential cmake ninja-build pkg-config glslang-dev glslang-tools spirv-tools spirv-headers libjansson-dev python3-jsonschema libpng-dev libdrm-dev qemu-user xvfb gcc-aarch64-linux-gnu libc6-dev-arm64-cross libmicrohttpd-dev libseccomp-dev libhiredis-dev libedit-dev redis-server nginx-light wrk jq python3-yaml libffi-dev \
check abigail-tools clang libegl-dev libgles-dev libgl1-mesa-dri libegl1 man-db"
# npm comes with nodejs in some packages of it, and is one of its own in Debian's.
command -v npm >/dev/null || packages="$packages nodejs npm"
[ "${1:-}" != --debian ] || packages="$packages debhelper dpkg-dev fakeroot lintian gcc-arm-linux-gnueabihf libc6-dev-armhf-cross"
sudo=""
[ "$(id -u)" = 0 ] || sudo=sudo
# A system that was never updated knows no packages.
[ -n "$(apt-cache show clang 2>/dev/null)" ] || $sudo apt-get update -q
# The browser without windows is enough, where there is one by itself.
browser=chromium
[ -z "$(apt-cache show chromium-headless-shell 2>/dev/null)" ] || browser=chromium-headless-shell
packages="$packages $browser"
# Clang's sanitizers are in a package with the number of the compiler that clang stands for: 14 in Debian 12, 19 in 13.
clang=$(apt-cache depends clang | sed -n 's/^ *Depends: clang-\([0-9]*\)$/\1/p' | head -1)
[ -n "$clang" ] || { echo "packages.sh: apt does not say which compiler clang is" >&2; exit 1; }
packages="$packages libclang-rt-$clang-dev"
# For the machine in the page, as WebAssembly.
packages="$packages lld wasi-libc libclang-rt-$clang-dev-wasm32"
if [ "${1:-}" = --list ] || [ "${2:-}" = --list ]; then
    # shellcheck disable=SC2086 # a list of words on purpose
    printf '%s\n' $packages
    exit 0
fi
missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -q
# shellcheck disable=SC2086 # a list of words on purpose
$sudo apt-get install -q -y --no-install-recommends $missing
