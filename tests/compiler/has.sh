#!/bin/sh
# qpucc_has knows every function of the library, every enumeration constant and option of its headers, and the
# examples of its own description; and no other name.
#
#     has.sh COMPILER_HAS COMPILER_HAS_RT INCLUDE_FOLDER LIBQPUCC_RT LIBQPUCC_CORE LIBQPUCC
set -eu
ask=$1 ask_rt=$2 include=$3/qpucc
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A header's text without comments.
plain() {
    awk 'inside { if (/\*\//) inside = 0; next }
        { gsub(/\/\*.*\*\//, "") } /\/\*/ { sub(/\/\*.*/, ""); inside = 1 } { print }' "$include/$1.h"
}

# Functions: what the library shows, whatever the headers' text looks like.
functions() { nm -D --defined-only "$@" | awk '$3 ~ /^qpucc_/ && $3 !~ /^qpucc_private/ { sub(/^qpucc_/, "", $3); sub(/@.*/, "", $3); print $3 }' | sort -u; }
functions "$@" >"$work/functions"
[ "$(wc -l <"$work/functions")" -gt 60 ]

# Constants: all words of that form in an enumeration's lines. Those of other libraries' headers are not asked for.
for name in qpucc stage limit state fixed cache explain chip records tally texture; do plain $name; done |
    awk '/^enum [a-z_]* {/,/}/' | sed 's/=[^,}]*//g' | grep -oE '\bQPUCC_[A-Z0-9_]+' |
    sed 's/^QPUCC_//' | tr 'A-Z' 'a-z' | sort -u >"$work/constants"
[ "$(wc -l <"$work/constants")" -gt 300 ]
sed -n 's/^ASSUMPTION(\([a-z0-9_]*\),.*/assume_\1/p' "$include/assumptions.def" >"$work/assumptions"
[ "$(wc -l <"$work/assumptions")" -gt 50 ]
sed -n 's/^WARNING(\([a-z_]*\),.*/warn_\1/p' "$include/warnings.def" >"$work/warnings"
[ "$(wc -l <"$work/warnings")" -gt 10 ]
sed -n 's/^WATCH(\([A-Z_]*\),.*/watch_\1/p' "$include/watch.def" | tr 'A-Z' 'a-z' >"$work/watched"
[ "$(wc -l <"$work/watched")" -gt 10 ]

# The options' members, and the description's examples.
plain qpucc | awk '/^struct qpucc_options {/,/^};/' | grep -oE '\*?[a-z_]+(\[[A-Z_]+\])?;' |
    sed 's/[^a-z_].*$//; s/^\*//; s/^/options./' | grep -v 'options\.$' >"$work/options"
grep -qx options.opt_level "$work/options"
awk '/^\/\* Has the library/,/^bool qpucc_has/' "$include/qpucc.h" | grep -oE '"[^" ]+"' | tr -d '"' | grep -v '^qpucc_$' >"$work/examples"
[ "$(wc -l <"$work/examples")" -ge 5 ]

cat "$work/functions" "$work/constants" "$work/assumptions" "$work/warnings" "$work/watched" "$work/options" \
    "$work/examples" >"$work/all"
"$ask" yes <"$work/all"

# Parts of names and names with more to them are no names, nor are those of other libraries.
{
    awk '{ print $0 "x"; print "x" $0; print toupper($0) }' "$work/all"
    sed 's/^.//' "$work/functions" | grep -vxFf "$work/all"
    printf '%s\n' qpucc_compile native_bind run draw options. .chip no_such_thing ''
} | grep -vxFf "$work/constants" | grep -vxFf "$work/functions" >"$work/none"
"$ask" no <"$work/none"

# libqpucc_rt knows its own functions, and neither the others nor the constants.
functions "$1" >"$work/rt"
"$ask_rt" yes <"$work/rt"
grep -vxFf "$work/rt" "$work/all" >"$work/not_rt"
grep -qx compile "$work/not_rt"
"$ask_rt" no <"$work/not_rt"
