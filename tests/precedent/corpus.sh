#!/bin/sh
# Scans the code of a part of the shared corpus: fails when a pattern has neither precedent nor verdict.
#
#     corpus.sh BUILD
set -eu
shared=${QPUCC_SHARED:-}
[ -d "$shared/corpus" ] || exit 77
exec "$(dirname -- "$0")/../../tools/precedent/scan.sh" --part "$1" "$shared"
