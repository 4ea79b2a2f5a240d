#!/bin/sh
# Draws every example on the simulated machine: examples/render.sh [path of qpucc [folder]]. The pictures are those in README.md.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
qpucc=${1:-$here/../build/qpucc} folder=${2:-$here/pictures}
for scene in "$here"/*.json; do
    name=$(basename "$scene" .json)
    "$qpucc" run "$scene" -o "$folder/$name.png"
    echo "$folder/$name.png"
done
