#!/bin/sh
# The names of a library: which of its objects' functions it shows, and what its other global names become in the static
# one, where they are one space with a driver's.
#
#     names.sh NM OUT PREFIX "shown: NAME..." [NEEDED.exports...] -- OBJECT...
#
# Writes OUT.exports, a name in each line; OUT.map, the version script; OUT.rename, for objcopy --redefine-syms. A library
# shows its objects' functions that begin with qpucc_ or qpusim_, without those that a library which it needs shows, but
# with the NAMEs shown even if one does.
set -eu
nm=$1 out=$2 prefix=$3 overrides=${4#shown:}
shift 4
: >"$out.needed"
while [ "$1" != -- ]; do
    cat "$1" >>"$out.needed"
    shift
done
shift
# Of C++ the linker merges equal names; they stay as they are.
"$nm" -g --defined-only "$@" | awk 'NF == 3 && $2 !~ /[VWu]/ && $3 !~ /^(_Z|DW\.)/ { print $3 }' | LC_ALL=C sort -u >"$out.all"
awk -v out="$out" -v prefix="$prefix" -v overrides="$overrides" '
BEGIN {
    n = split(overrides, name, " ")
    for (i = 1; i <= n; i++) wanted[name[i]] = 1
    printf "" > (out ".exports")
    printf "" > (out ".rename")
}
FILENAME == out ".needed" { if (!($1 in wanted)) needed[$1] = 1; next }
$1 ~ /^(qpucc|qpusim)_/ && !($1 in needed) { print > (out ".exports"); text = text "        " $1 ";\n"; next }
{ print $1, prefix "_private_" $1 > (out ".rename") }
END { printf "%s {\n    global:\n%s    local: *;\n};\n", toupper(prefix), text > (out ".map") }
' "$out.needed" "$out.all"
[ -s "$out.exports" ] || { echo "$out: no names" >&2; exit 1; }
rm "$out.needed" "$out.all"
