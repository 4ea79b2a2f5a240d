#!/bin/sh
# Every file of language/ is drawn on the machine, at -O0, at the usual level and under each policy of precision, and must come out green. Every file of
# language/refused/ that begins with "// REFUSED [LINE:COLUMN] TEXT" must be refused there with that text; a fragment
# shader with a vertex shader of the same name is a pair. Columns of errors are those of Debian 12's glslang; where it is another one a
# line is enough.
# usage: language.sh qpucc-conformance qpucc SOURCE_FOLDER [OPTION_OF_QPUCC_CONFORMANCE]
set -u
runner=$1 qpucc=$2 folder=$3 option=${4:-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
broken=0

columns=$(glslangValidator --version | grep -c '11:12\.0\.0')

awk -f "$folder/language.awk" "$folder"/language/*.glsl >"$work/language.jsonl" || exit 1
wanted=$(ls "$folder"/language/*.glsl | wc -l)
for level in -O0 -O2 -ffast-math -fprecise; do
    "$runner" "$work/language.jsonl" $level $option --failures >"$work/out"
    [ "$(tail -n 1 "$work/out")" = "$wanted passed, 0 failed, 0 skipped" ] || { cat "$work/out"; broken=1; }
done

for file in "$folder"/language/refused/*; do
    expected=$(sed -n '1s/^\/\/ REFUSED //p' "$file")
    if [ -z "$expected" ]; then # the other half of a pair, or a mistake
        [ "${file%.vert}" != "$file" ] && [ -f "${file%.vert}.frag" ] || { echo "$file: no line // REFUSED"; broken=1; }
        continue
    fi
    place=$(echo "$expected" | sed -n 's/^\([0-9]*:[0-9]*\) .*/\1/p')
    text=${expected#"$place "}
    vertex=${file%.frag}.vert
    [ -f "$vertex" ] && [ "$vertex" != "$file" ] || vertex=
    "$qpucc" compile -o "$work/code" $vertex "$file" >"$work/out" 2>"$work/err"
    code=$?
    [ $code -eq 2 ] || [ $code -eq 3 ] || { echo "$file: exit status $code"; broken=1; }
    if [ "$columns" = 0 ] && [ -n "$place" ]; then
        sed "s|^\($file:[0-9]*\):[0-9]*: |\1: |" "$work/err" >"$work/lines" # $file has no character that means something here
        place=${place%:*}
    else
        cp "$work/err" "$work/lines"
    fi
    grep -F "$file${place:+:$place}: error: " "$work/lines" | grep -F "$text" >/dev/null || { echo "$file: expected '$expected', not"; cat "$work/err"; broken=1; }
done
exit $broken
