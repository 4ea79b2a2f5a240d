#!/bin/sh
# Unpacks Debian's packages that the integration tests run, with all that they depend on, into a folder: programs and
# Mesa's vc4 driver for arm64, and the same programs for this machine, which draw the reference with llvmpipe; and what
# programs of our own are built with. Nothing is installed, and apt works on lists of its own there.
#
#     integration/packages.sh FOLDER
#
# FOLDER/arm64 and FOLDER/amd64 are then roots of small systems. About 300 MB of downloads. Exit code 77: no network.
set -eu
folder=${1:?usage: packages.sh FOLDER}
packages="libgl1-mesa-dri libegl-mesa0 libegl1 libgles2 libgbm1 glmark2-es2-drm glmark2-data kmscube mesa-utils-bin libpng16-16
    libegl-dev libgles-dev libgbm-dev libdrm-dev libx11-dev"
mkdir -p "$folder"
cd "$folder"
for arch in arm64 amd64; do
    [ "$(cat "$arch/complete" 2>/dev/null)" != "$packages" ] || continue
    work=$PWD/apt-$arch
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$arch"
    : >"$work/status"
    apt="apt-get -q -o Dir::State::Lists=$work/lists -o Dir::Cache=$work/cache -o Dir::State::status=$work/status
        -o APT::Architecture=$arch -o APT::Architectures::=$arch -o APT::Install-Recommends=false -o Debug::NoLocking=true"
    $apt update >"$work/log" 2>&1 || { echo "packages.sh: no package lists: skipped" >&2; exit 77; }
    # shellcheck disable=SC2086 # lists of words
    $apt install -y --download-only $packages >>"$work/log" 2>&1 || { echo "packages.sh: the packages cannot be had: skipped" >&2; exit 77; }
    for package in "$work"/cache/archives/*.deb; do
        dpkg -x "$package" "$arch"
    done
    for name in bin lib sbin lib64; do # Debian's merged /usr
        [ -e "$arch/$name" ] || [ ! -d "$arch/usr/$name" ] || ln -s "usr/$name" "$arch/$name"
    done
    rm -r "$work/cache"
    echo "$packages" >"$arch/complete"
done
