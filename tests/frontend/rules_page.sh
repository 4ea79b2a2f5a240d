#!/bin/sh
# docs/rules.md is what rules.txt says: a table for each chapter of the specifications, a row for each rule, with the section
# in each version, what is done and how many cases show it.
# usage: rules_page.sh [--update] SOURCE_FOLDER
set -eu
update=
[ "$1" = --update ] && { update=yes; shift; }
page=$1/docs/rules.md
work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT
LC_ALL=C awk -f "$1/tests/frontend/rules_page.awk" "$1/tests/frontend/rules.txt" >"$work"
if [ -n "$update" ]; then
    cp "$work" "$page"
    exit 0
fi
diff "$page" "$work" || { echo "docs/rules.md is not what tests/frontend/rules.txt says: ninja update_rules"; exit 1; }
echo "docs/rules.md is what rules.txt says"
