#!/bin/sh
# docs/assumptions.md says what the table says, and other pages cite rows that exist.
# usage: assumptions_page.sh [--update] PROGRAM SOURCE_FOLDER
set -eu
update=
if [ "$1" = --update ]; then
    update=yes
    shift
fi
page=$2/docs/assumptions.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "$page" >"$work/page"
if [ "$update" ]; then
    cp "$work/page" "$page"
elif ! cmp -s "$work/page" "$page"; then
    echo "docs/assumptions.md is not what the table says (ninja update_assumptions):"
    diff "$page" "$work/page" | head -20
    exit 1
fi
