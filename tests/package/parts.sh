#!/bin/sh
# The three libraries beside each other: what libqpucc makes libqpucc_core takes as SPIR-V and as a container, and
# libqpucc_rt draws with; each program linked to its own libraries alone, shared and static.
#
#     parts.sh FOLDER_OF_THE_PROGRAMS
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for kind in shared static; do
    for part in make core rt; do
        "$1/parts_${part}_$kind" "$work" || { echo "parts_${part}_$kind fails" >&2; exit 1; }
    done
done
