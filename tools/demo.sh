#!/bin/sh
# One command from a fresh Debian 12 or 13 to a picture: installs what is needed, builds, compiles an example pair, prints its
# assembly and statistics, draws it on the simulated machine.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
example=${1:-cube}
"$root/tools/packages.sh"
launcher=""
command -v ccache >/dev/null && launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
# shellcheck disable=SC2086
cmake -S "$root" -B "$root/build" -G Ninja $launcher >/dev/null
ninja -C "$root/build" qpucc
"$root/build/qpucc" -S --stats "$root/examples/$example.vert" "$root/examples/$example.frag"
"$root/build/qpucc" run "$root/examples/$example.json" -o "$root/build/$example.png" --cycles
echo "the picture is in build/$example.png"
