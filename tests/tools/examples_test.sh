#!/bin/sh
# The examples that are no plain scenes: a toolkit's shader is the same picture and less code when compiled for its kind, and a
# Shadertoy moves.
# usage: examples_test.sh QPUCC SOURCE_FOLDER
set -u
qpucc=$1 examples=$2/examples
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
broken=0
fail() { echo "$1"; broken=1; }

cp "$examples"/toolkit/* "$work"
instructions() { awk '$1 == "fragment" { print $2 }' "$1"; }
for kind in 0 1 2 3 4; do
    for form in set free; do
        python3 - "$work" $kind $form <<'END'
import json, sys
folder, kind, form = sys.argv[1:]
scene = json.load(open(folder + "/button.json"))
assert scene["set"] == ["u_kind"]
scene["uniforms"]["u_kind"] = int(kind)
if form == "free":
    del scene["set"]
json.dump(scene, open(folder + "/scene.json", "w"))
END
        "$qpucc" run "$work/scene.json" --cycles -o "$work/$form.png" >"$work/$form" || fail "kind $kind is not drawn"
    done
    cmp "$work/set.png" "$work/free.png" || fail "kind $kind is another picture when compiled for it"
    [ $((3 * $(instructions "$work/set"))) -lt $((2 * $(instructions "$work/free"))) ] || fail "kind $kind takes as long when compiled for it"
    cp "$work/set.png" "$work/kind$kind.png"
done
cmp -s "$work/kind3.png" "$work/kind4.png" && fail "kinds are the same"

for time in 0 1.5; do
    "$qpucc" run "$examples/shadertoy/waves.glsl" --size 64x36 --uniform iTime=$time -o "$work/$time.png" || fail "not drawn at $time"
done
cmp -s "$work/0.png" "$work/1.5.png" && fail "the waves stand still"
exit $broken
