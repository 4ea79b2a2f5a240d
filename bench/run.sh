#!/bin/sh
# Measures and prints the tables of bench/README.md; with --update writes them there. Needs QPUCC_SHARED and a build.
#
#     bench/run.sh [--update] [BUILD_FOLDER]
set -eu
update=no
if [ "${1:-}" = --update ]; then
    update=yes
    shift
fi
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=${1:-$here/../build}
corpus=${QPUCC_SHARED:?the folder with corpus/dev-pairs.jsonl}/corpus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

start=$(date +%s.%N)
"$build/qpucc" report --pairs "$corpus/dev-pairs.jsonl" --json -j 1 >"$work/rows"
end=$(date +%s.%N)
{
    echo "## Instructions, all pairs"
    echo
    "$build/bench/bench_compare" "$corpus/peers-dev.tsv" --markdown <"$work/rows"
    echo
    echo "## Instructions, glmark2"
    echo
    "$build/bench/bench_compare" "$corpus/peers-dev.tsv" --markdown --only glmark2/ --worst 5 <"$work/rows"
    echo
    echo "## Compile time"
    echo
    pairs=$(wc -l <"$work/rows")
    echo "$start $end $pairs" | awk '{ printf "%d pairs on one thread in %.1f s: %.1f ms a pair, the first included.\n", $3, $2 - $1, ($2 - $1) * 1000 / $3 }'
    echo
    echo "## Pairs refused"
    echo
    sed -n 's/.*"name":"\([^"]*\)","error":{"code":"\([^"]*\)".*"message":"\([^"]*\)".*/- \1: \2: \3/p' "$work/rows"
} >"$work/tables"

if [ "$update" = yes ]; then
    sed '/^<!-- tables -->$/q' "$here/README.md" >"$work/readme"
    { cat "$work/readme"; echo; cat "$work/tables"; } >"$here/README.md"
else
    cat "$work/tables"
fi
