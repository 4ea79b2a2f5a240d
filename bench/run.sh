#!/bin/sh
# Measures and prints the tables of bench/README.md; with --update writes them there. Needs QPUCC_SHARED and a build of
# type Release (times of others mean nothing). Every stage of every pair goes to BUILD/bench/pairs.tsv.
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
pairs=$corpus/dev-pairs.jsonl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$build/qpucc" report --pairs "$pairs" --json -j 1 >"$work/ours"
set -- --ours "$work/ours" --peers "$corpus/peers-dev.tsv" --reasons "$here/reasons.tsv" --pairs "$build/bench/pairs.tsv"
# the search of -O3 takes its time: glmark2's pairs only
"$build/qpucc" report -O3 --pairs "$pairs" --filter glmark2/ --json >"$work/proofs"
set -- "$@" --proofs "$work/proofs"
"$build/bench/bench_cycles" "$pairs" "$corpus/foreign-code.jsonl" >"$work/cycles"
"$build/bench/bench_loops" "$pairs" >"$work/loops" 2>"$work/loops-sum"
"$build/bench/bench_threads" "$pairs" >"$work/threads"
"$build/bench/bench_times" "$pairs" --only glmark2/ --rounds 20 >"$work/times"
"$build/bench/bench_times" "$pairs" --rounds 3 >>"$work/times"
set -- "$@" --cycles "$work/cycles" --threads "$work/threads" --times "$work/times"
{
    "$build/bench/bench_compare" "$@"
    echo "## Fragment shaders that loop at run time"
    echo
    echo "A batch of sixteen pixels with synthetic inputs; $(cat "$work/loops-sum")."
    echo
    echo "| pair | threads | instructions | registers | executed | slots |"
    echo "|---|---|---|---|---|---|"
    awk -F '\t' '{ printf "| %s | %s | %s | %s | %.0f | %.0f |\n", $1, $2, $3, $4, $5, $6 }' "$work/loops"
    echo
    echo "## Pairs refused"
    echo
    sed -n 's/.*"name":"\([^"]*\)","error":{"code":"\([^"]*\)".*"message":"\([^"]*\)".*/- \1: \2: \3/p' "$work/ours"
} >"$work/tables"

if [ "$update" = yes ]; then
    sed '/^<!-- tables -->$/q' "$here/README.md" >"$work/readme"
    { cat "$work/readme"; echo; cat "$work/tables"; } >"$here/README.md"
else
    cat "$work/tables"
fi
