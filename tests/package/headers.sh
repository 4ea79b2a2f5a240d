#!/bin/sh
# Each public header compiles alone, twice in a row and after all others, as C99 and C++11, all together as C11 and C++17,
# too, with gcc and with clang, without a warning.
#
#     headers.sh INCLUDE_FOLDER
#
# What is not installed of the compilers is left out. Exit code 77: none is.
set -eu
include=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-Wall -Wextra -pedantic -Werror -fsyntax-only -I$include $(pkg-config --cflags libdrm 2>/dev/null || true)"
for header in "$include"/qpucc/*.h; do
    name=$(basename "$header" .h)
    { echo "#include <qpucc/$name.h>"; echo "#include <qpucc/$name.h>"; echo "typedef int nothing;"; } >"$work/$name.c"
    echo "#include <qpucc/$name.h>" >>"$work/first"
    echo "#include <qpucc/$name.h>" | cat - "$work/last" >"$work/new" 2>/dev/null || echo "#include <qpucc/$name.h>" >"$work/new"
    mv "$work/new" "$work/last"
done
cp "$work/first" "$work/all_in_order.c"
cp "$work/last" "$work/all_backwards.c"
done=0
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    for standard in c99 c11 c++11 c++17; do
        case $standard in c++*) language=c++ ;; *) language=c ;; esac
        # each alone for the strictest of either language, all together for the others
        case $standard in c99 | c++11) files=$(echo "$work"/*.c) ;; *) files=$(echo "$work"/all_*.c) ;; esac
        for file in $files; do
            # shellcheck disable=SC2086 # a list of flags
            "$compiler" -x $language -std=$standard $flags "$file" || { echo "$compiler -std=$standard: $(basename "$file")" >&2; exit 1; }
        done
        done=$((done + 1))
    done
done
[ "$done" -gt 0 ] || exit 77
