#!/bin/sh
# Each verdict of docs/precedents.tsv that rests on what nobody has measured names a row of the register of assumptions, and every
# name in the table is one.
#
#     assumptions.sh SOURCE
set -eu
cd "$1"
sed -n 's/^ASSUMPTION(\([a-z0-9_]*\),.*/\1/p' include/qpucc/assumptions.def | awk -F'\t' '
NR == FNR { known[$1] = 1; next }
FNR == 1 { next }
{ rows++ }
$4 != "-" && !($4 in known) { print FILENAME ":" FNR ": no assumption has the name " $4; bad = 1 }
$4 == "-" && $3 != "independent" && $3 != "rule" { print FILENAME ":" FNR ": " $1 " rests on nothing"; bad = 1 }
END { if (!rows) { print "no rows"; bad = 1 } exit bad }' - docs/precedents.tsv
