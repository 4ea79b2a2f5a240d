#!/bin/sh
# Unpacks Debian's arm64 packages that the integration tests run, with all that they depend on, into a folder. Nothing
# is installed, and apt works on lists of its own there.
#
#     integration/packages.sh FOLDER
#
# FOLDER/root is then the root of a small arm64 system. Takes about 120 MB of downloads. Exit code 77: no network.
set -eu
folder=${1:?usage: packages.sh FOLDER}
packages="libgl1-mesa-dri libegl-mesa0 libegl1 libgles2 libgbm1 glmark2-es2-drm glmark2-data kmscube mesa-utils-bin libpng16-16"
mkdir -p "$folder"
cd "$folder"
[ ! -f complete ] || exit 0
mkdir -p apt/lists/partial apt/cache/archives/partial root
: >apt/status
apt="apt-get -q -o Dir::State::Lists=$PWD/apt/lists -o Dir::Cache=$PWD/apt/cache -o Dir::State::status=$PWD/apt/status
    -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Install-Recommends=false -o Debug::NoLocking=true"
$apt update || { echo "packages.sh: no package lists: skipped" >&2; exit 77; }
# shellcheck disable=SC2086 # lists of words
$apt install -y --download-only $packages || { echo "packages.sh: the packages cannot be had: skipped" >&2; exit 77; }
for package in apt/cache/archives/*.deb; do
    dpkg -x "$package" root
done
# Debian's merged /usr.
for name in bin lib sbin; do
    [ -e root/$name ] || ln -s usr/$name root/$name
done
touch complete
