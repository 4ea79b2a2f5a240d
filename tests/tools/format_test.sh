#!/bin/sh
# Every tracked C file is as clang-format 14 makes it with the repository's .clang-format, and no line is longer than 110
# columns; section rules take one line. In docs none is longer than 140, but for tables. Skipped (77) without that version:
# others differ.
# usage: format_test.sh SOURCE_FOLDER
set -u
cd "$1" || exit 1
format=$(command -v clang-format-14 || command -v clang-format) || { echo "skipped: there is no clang-format"; exit 77; }
"$format" --version | grep -q 'version 14\.' || { echo "skipped: $("$format" --version) is not version 14"; exit 77; }
files=$(git ls-files '*.c' '*.h' 2>/dev/null)
[ -n "$files" ] || { echo "skipped: this is no checkout"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086
"$format" --dry-run $files 2>"$work/warnings" || { cat "$work/warnings"; exit 1; }
bad=$(sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: code should be clang-formatted.*/\1/p' "$work/warnings" | sort | uniq -c)
# Comments are wrapped by hand: clang-format leaves them alone.
# shellcheck disable=SC2086
long=$({ LC_ALL=C.UTF-8 grep -nE '^.{111,}' $files; LC_ALL=C.UTF-8 grep -nE '^[^|].{140,}' docs/*.md; } | cut -d: -f1,2)
if [ -n "$long" ]; then
    echo "lines of more than 110 columns, 140 in docs:"
    echo "$long"
fi
# shellcheck disable=SC2086
rules=$(grep -nE '^/\* --- ([^*]|\*[^/])*$' $files | cut -d: -f1,2)
if [ -n "$rules" ]; then
    echo "section rules of more than one line:"
    echo "$rules"
fi
[ -z "$bad$long$rules" ] && exit 0
[ -z "$bad" ] && exit 1
echo "places that clang-format -i would change, by file:"
echo "$bad"
exit 1
