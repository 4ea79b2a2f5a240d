#!/bin/sh
# Writes OUT, the names of what the public headers have as lines of one C string.
#
#     features.sh COMPILER INCLUDE_FOLDER OUT HEADER...
#
# COMPILER may be several words; it only preprocesses. HEADER: a name without folder and .h.
set -eu
compiler=$1 include=$2 out=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for header; do echo "#include <qpucc/$header.h>"; done >"$work/all.c"
# shellcheck disable=SC2086 # words of a command
$compiler -std=c11 -I"$include" -E -P "$work/all.c" >"$work/all.i"
awk -f "$(dirname "$0")/features.awk" "$work/all.i" >"$work/names"
[ "$(wc -l <"$work/names")" -gt 500 ] || { echo "features.sh: hardly any names found" >&2; exit 1; }
LC_ALL=C sort -u "$work/names" | sed 's/.*/"&\\n"/' >"$out"
