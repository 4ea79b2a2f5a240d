#!/bin/sh
# The libraries that cross-builds need, from Debian's packages of the other architecture, unpacked and not installed.
#
#     tools/sysroots.sh FOLDER ARCHITECTURE...        arm64 armhf i386
#
# apt works on lists of its own here: this machine's are left alone.
set -eu
folder=${1:?usage: sysroots.sh FOLDER ARCHITECTURE...}
shift
mkdir -p "$folder"
cd "$folder"
for arch in "$@"; do
    mkdir -p "apt-$arch/lists/partial" "apt-$arch/cache/archives/partial" "packages-$arch" "$arch"
    options="-q -o Dir::State::Lists=$PWD/apt-$arch/lists -o Dir::Cache=$PWD/apt-$arch/cache -o Dir::State::status=/dev/null
        -o APT::Architecture=$arch -o APT::Architectures::=$arch"
    # shellcheck disable=SC2086
    apt-get $options update || true # a list that a mirror lacks may not matter: a missing package fails below
    # shellcheck disable=SC2086
    (cd "packages-$arch" && apt-get $options download glslang-dev glslang-tools spirv-tools libjansson-dev libjansson4 libpng-dev libpng16-16 \
        zlib1g-dev zlib1g check libsubunit-dev libsubunit0 libdrm-dev libdrm2 libffi-dev libffi8)
    for package in "packages-$arch"/*.deb; do
        dpkg -x "$package" "$arch"
    done
done
