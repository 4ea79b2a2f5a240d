#!/bin/sh
# Runs the shared captures: those that fail are the ones of captures_differ.txt, no others.
#
#     captures.sh QPUSIM_CAPTURES
set -eu
[ -n "${QPUCC_SHARED:-}" ] || { echo "QPUCC_SHARED is not set: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "$QPUCC_SHARED/captures" >"$work/out" || true
cat "$work/out"
grep -q '^[0-9]* passed, [0-9]* failed, 0 skipped$' "$work/out"
sed -n 's/^FAILED \([^:]*\):.*/\1/p' "$work/out" | sort >"$work/failed"
grep -v '^#' "$(dirname -- "$0")/captures_differ.txt" | sort >"$work/expected"
diff "$work/expected" "$work/failed"
