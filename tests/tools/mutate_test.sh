#!/bin/sh
# The mutants that tools/mutate.c finds in inputs/mutants.c are those of mutants.txt; each changes one line and is not the
# source; an order drawn has each of them once and is the seed's alone.
# usage: mutate_test.sh MUTATE FOLDER
set -u
mutate=$1 folder=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$folder/inputs" || exit 1
failed=0
"$mutate" list mutants.c >"$work/list" || failed=1
diff -u "$folder/mutants.txt" "$work/list" || failed=1
count=$(wc -l <"$work/list")
i=0
while [ $i -lt "$count" ]; do
    "$mutate" apply mutants.c $i >"$work/mutated.c" || failed=1
    line=$(sed -n "$((i + 1))p" "$work/list" | cut -f2)
    changed=$(diff mutants.c "$work/mutated.c" | sed -n 's/^\([0-9]*\)c[0-9]*$/\1/p')
    [ "$changed" = "$line" ] || { echo "mutant $i: changes lines '$changed', not $line"; failed=1; }
    i=$((i + 1))
done
"$mutate" apply mutants.c "$count" >/dev/null 2>&1 && { echo "there is a mutant too many"; failed=1; }
"$mutate" draw 7 mutants.c >"$work/one"
"$mutate" draw 7 mutants.c >"$work/two"
"$mutate" draw 8 mutants.c >"$work/other"
cmp "$work/one" "$work/two" || failed=1
cmp -s "$work/one" "$work/other" && { echo "the seed makes no difference"; failed=1; }
sort "$work/one" | cmp - "$(sort "$work/other" >"$work/sorted"; echo "$work/sorted")" || failed=1
[ "$(wc -l <"$work/one")" = "$count" ] || { echo "not all are drawn"; failed=1; }
exit $failed
