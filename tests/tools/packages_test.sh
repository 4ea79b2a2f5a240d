#!/bin/sh
# tools/packages.sh asks for packages that this Debian has, whatever its version. Skipped (77) where apt has no lists.
#
#     packages_test.sh SOURCE_FOLDER
set -eu
command -v apt-cache >/dev/null && [ -n "$(apt-cache show clang 2>/dev/null)" ] || { echo "skipped: apt has no lists"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names=$("$1/tools/packages.sh" --debian --list)
# shellcheck disable=SC2086 # a list of words
apt-cache policy $names | grep '^  Candidate: [0-9]' >"$work/there"
[ "$(wc -l <"$work/there")" = "$(echo "$names" | wc -l)" ] || { echo "apt lacks some of: $names"; exit 1; }
