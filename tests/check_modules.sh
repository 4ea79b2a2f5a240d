#!/bin/sh
# What each module includes against the table "The modules" of docs/architecture.md: nothing that the table does not allow,
# and nothing allowed that nobody includes.
#
#     tests/check_modules.sh [SOURCE_FOLDER]
set -eu
cd "${1:-$(dirname -- "$0")/..}"

files=$(find include frontend ir passes backend mir regalloc sched compiler explain runtime native serve tools web bench examples \
    -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.def')
# shellcheck disable=SC2086
awk '
function trim(s) { gsub(/^[ \t`]+|[ \t`\/]+$/, "", s); return s }
function folder(path) { sub(/\/?[^\/]*$/, "", path); return path }
# The row whose folder holds the path: the longest that fits.
function module(path,    name) {
    for (name = path; name != ""; name = folder(name))
        if (name in row) return name
    return ""
}
function complain(text) { print text; bad = 1 }

FILENAME ~ /architecture\.md$/ {
    if (/^## /) inside = /^## The modules/
    if (!inside || !/^\|/ || /^\|-/ || /^\| folder/) next
    split($0, cell, "|")
    n = split(cell[2], name, ",")
    rows++
    for (k = 1; k <= n; k++) row[trim(name[k])] = rows
    m = split(cell[4], other, ",")
    for (k = 1; k <= m; k++) {
        to = trim(other[k])
        if (to == "everything") all[rows] = 1
        else if (to != "–" && to != "") { allowed[rows, to] = 1; permission[rows, to] = cell[2] }
    }
    next
}

FNR == 1 { here = module(folder(FILENAME)); if (here == "") complain(FILENAME ": its folder has no row in the table") }
/^[ \t]*#[ \t]*include[ \t]*("|<qpucc\/)/ {
    match($0, /["<][^">]*/)
    what = substr($0, RSTART + 1, RLENGTH - 1)
    if (what ~ /^qpucc\//) what = "include/" what
    else if (what !~ /\//) what = folder(FILENAME) "/" what
    there = module(folder(what))
    if (there == "" && here != "") {
        there = module(folder(FILENAME) "/" folder(what)) # beside the file
    }
    if (here == "" || row[here] == row[there] && there != "" && what !~ /\.\.\//) next
    if (there == "" || what ~ /\.\.\//) complain(FILENAME ": " what " lies in no module")
    else if (!all[row[here]] && !((row[here], there) in allowed))
        complain(FILENAME ": " here " may not include " there " (" what ")")
    used[row[here], there] = 1
}

END {
    if (rows < 10) complain("docs/architecture.md: the table of the modules is gone")
    for (p in permission) {
        split(p, part, SUBSEP)
        if (!(part[2] in row)) complain("docs/architecture.md: " part[2] " is no module")
        else if (!(p in used)) complain("docs/architecture.md:" permission[p] "does not include " part[2])
    }
    exit bad
}' docs/architecture.md $files
