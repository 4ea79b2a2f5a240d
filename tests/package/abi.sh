#!/bin/sh
# The libraries' binary interface against the recorded one (tests/package/abi): what a program compiled with the headers of
# that time takes of functions, structures and enumerations is as it was. New functions and constants are no difference, nor
# are members behind the last one of a structure that carries its size or that only the library makes (abi/growth.ini).
#
#     abi.sh [--update] INCLUDE_FOLDER LIBRARY...
#
# A difference wants another version (docs/driver-guide.md, "Versions") and --update, which records the interface of today:
# cmake --build BUILD --target update_abi. Exit code 77: abidiff (Debian: abigail-tools) is missing, or the libraries have no debug information.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/abi
update=false
[ "$1" != --update ] || { update=true; shift; }
include=$1
shift
command -v abidw >/dev/null && command -v abidiff >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for library; do
    name=$(basename "$library" | sed 's/\.so.*//')
    readelf -S "$library" | grep -q debug_info || exit 77
    abidw --no-corpus-path --no-comp-dir-path --no-show-locs --drop-private-types --headers-dir "$include" \
        --exported-interfaces-only --no-parameter-names --drop-undefined-syms "$library" >"$work/$name.abi"
    grep -q '<function-decl' "$work/$name.abi" || { echo "$name: abidw finds no functions" >&2; exit 1; }
    if $update; then
        sed "s#path='[^']*/\([^/']*\)'#path='\1'#" "$work/$name.abi" >"$here/$name.abi" # no folder of the machine that recorded it
    elif ! abidiff --no-added-syms --suppressions "$here/growth.ini" "$here/$name.abi" "$work/$name.abi"; then
        echo "$name: the binary interface is another one" >&2
        failed=1
    fi
done
exit $failed
