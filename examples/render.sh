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
"$qpucc" run "$here/toolkit/button.json" -o "$folder/button.png"
"$qpucc" run "$here/shadertoy/waves.glsl" --size 320x180 --uniform iTime=1.5 -o "$folder/waves.png"
"$qpucc" run "$here/preset/glow.glslp" --texture source="$here/textures/balloons.png" --size 320x240 -o "$folder/glow.png"
