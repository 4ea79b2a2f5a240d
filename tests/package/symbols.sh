#!/bin/sh
# What our libraries show: the public headers' functions, all of them, each in one library, and beside them only names
# with _private_ in them, which no header has. And no structure has a function's name, which C++ would have to call by
# "struct".
#
#     symbols.sh INCLUDE_FOLDER LIBRARY...
set -eu
include=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }

# Declarations are ours alone in the text that the preprocessor leaves.
for header in "$include"/qpucc/*.h; do echo "#include \"$header\""; done >"$work/all.c"
"${CC:-cc}" -std=c11 -I"$include" -E -P "$work/all.c" >"$work/all.i"
# Types of functions (typedef) are no functions, and those that a header defines itself (static inline) are in no library.
tr '\n' ' ' <"$work/all.i" | sed -E 's/typedef [A-Za-z0-9_ *]*\(//g; s/static inline [a-z ]*[a-z_]*qpucc_[a-z_]* qpucc_[a-z0-9_]+\(//g' | grep -oE '\b(qpucc|qpusim)_[a-z0-9_]+ ?\(' | tr -d ' (' | sort -u >"$work/functions"
grep -oE '\b(struct|enum|union) (qpucc|qpusim)_[a-z0-9_]+' "$work/all.i" | sed 's/.* //' | sort -u >"$work/tags"
[ "$(wc -l <"$work/functions")" -gt 50 ] || fail "hardly any functions found"
both=$(comm -12 "$work/functions" "$work/tags")
[ -z "$both" ] || fail "function and structure: $both"

for library; do
    case $library in
    *.so*) nm -D --defined-only "$library" ;;
    # A static library's names are one space with the program's; those of C++ classes are merged and may stay.
    *) nm -g --defined-only "$library" | grep -vE ' [VWu] | (_Z|DW\.ref)' ;;
    esac | awk 'NF >= 3 { sub(/@.*/, "", $3); print $3 }' | grep -vE '^(qpucc|qpusim)_[a-z_]*private_|^(QPUCC|QPUSIM)' |
        sort -u >"$work/shown"
    [ -s "$work/shown" ] || fail "$library shows nothing"
    strange=$(comm -23 "$work/shown" "$work/functions")
    [ -z "$strange" ] || fail "$library shows what no header has: $strange"
    cat "$work/shown" >>"$work/all"
    case $library in *.so*) cat "$work/shown" >>"$work/shared" ;; esac
done
# What takes sources, and what says what a library has, are libqpucc's and libqpucc_core's own.
twice=$(sort "$work/shared" | uniq -d | tr '\n' ' ')
[ "$twice" = "qpucc_cache_compile qpucc_compile qpucc_has qpucc_shader_compile " ] || fail "in several libraries: $twice"
sort -u "$work/all" >"$work/there"
missing=$(comm -23 "$work/functions" "$work/there")
[ -z "$missing" ] || fail "in a header and in no library: $missing"
