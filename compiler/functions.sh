#!/bin/sh
# Writes OUT, the public functions of object files as features.sh writes names.
#
#     functions.sh NM OUT OBJECT...
set -eu
nm=$1 out=$2
shift 2
"$nm" -g --defined-only "$@" | awk '$3 ~ /^_?qpucc_/ && $3 !~ /qpucc_private_/ { sub(/^_?qpucc_/, "", $3); print $3 }' | LC_ALL=C sort -u >"$out.names"
[ "$(wc -l <"$out.names")" -gt 20 ] || { echo "functions.sh: hardly any functions found" >&2; exit 1; }
{ cat "$out.names"; echo has; } | LC_ALL=C sort -u | sed 's/.*/"&\\n"/' >"$out"
rm "$out.names"
