#!/bin/bash
# The command line as a contract: every case in snapshots/*.test is a command, followed by what it must print on standard
# output and standard error and its exit code.
#
#     snapshots.sh QPUCC                compare; prints the differences
#     snapshots.sh --update QPUCC       write what it prints now
#     snapshots.sh QPUCC EVERY          compare one case in EVERY, for a build with the sanitizers
#
# The first line of a case is "$ command" and may use pipes; $TMP is a folder of its own, emptied before each case. Commands run in
# inputs/. What the optimiser may change (counts of instructions and the like) is put through sed in the command.
set -u
update=no
if [ "${1:-}" = --update ]; then
    update=yes
    shift
fi
program=$(realpath "${1:?usage: snapshots.sh [--update] QPUCC}")
every=${2:-1}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$here/inputs" || exit 1
export TMP="$scratch/tmp" LC_ALL=C
failed=0
total=0
qpucc() { "$program" "$@"; }
export program
for case in "$here"/snapshots/*.test; do
    total=$((total + 1))
    [ $((total % every)) = 0 ] || continue
    rm -rf "$TMP"
    mkdir "$TMP"
    command=$(sed -n '1s/^\$ //p' "$case")
    # numbers of the optimiser's making: N, and the columns they stand in
    counts() { sed -E 's/ +/ /g; s/\b[0-9]+\b/N/g'; }
    (
        set -o pipefail
        eval "$command"
    ) >"$scratch/out" 2>"$scratch/err" </dev/null
    code=$?
    {
        printf '$ %s\n' "$command"
        echo "--- stdout"
        sed "s|$TMP|TMP|g" "$scratch/out"
        echo "--- stderr"
        sed "s|$TMP|TMP|g" "$scratch/err"
        echo "--- exit $code"
    } >"$scratch/now"
    if [ "$update" = yes ]; then
        cp "$scratch/now" "$case"
    elif ! diff -u "$case" "$scratch/now"; then
        echo "FAILED: $(basename "$case")"
        failed=$((failed + 1))
    fi
done
echo "$((total / every)) of $total cases, $failed failed"
[ "$failed" = 0 ]
