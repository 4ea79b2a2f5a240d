#!/bin/sh
# Draws every example on the simulated machine: examples/render.sh [path of qpucc]. The pictures are those in README.md.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
qpucc=${1:-$here/../build/qpucc}
for scene in "$here"/*.json; do
    name=$(basename "$scene" .json)
    "$qpucc" run "$scene" -o "$here/pictures/$name.png"
    echo "examples/pictures/$name.png"
done
