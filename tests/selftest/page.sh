#!/bin/sh
# The table of rows in docs/selftest.md is what the program says.
#
#     page.sh [--update] QPUCC_SELFTEST SOURCES
set -eu
update=no
if [ "$1" = --update ]; then
    update=yes
    shift
fi
page=$2/docs/selftest.md
new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
    sed '/^<!-- What follows is the output/q' "$page"
    echo
    "$1" --list
} >"$new"
if [ $update = yes ]; then
    cp "$new" "$page"
else
    diff "$page" "$new" || { echo "build the target update_selftest"; exit 1; }
fi
