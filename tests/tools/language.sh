#!/bin/sh
# Every file of language/ is drawn on the machine, at -O0 and at the usual level, and must come out green.
# usage: language.sh qpucc-conformance SOURCE_FOLDER
set -u
runner=$1 folder=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
awk -f "$folder/language.awk" "$folder"/language/*.glsl >"$work/language.jsonl" || exit 1
wanted=$(ls "$folder"/language/*.glsl | wc -l)
for level in -O0 -O2; do
    "$runner" "$work/language.jsonl" $level --failures >"$work/out" || { cat "$work/out"; exit 1; }
    [ "$(tail -n 1 "$work/out")" = "$wanted passed, 0 failed, 0 skipped" ] || { cat "$work/out"; exit 1; }
done
