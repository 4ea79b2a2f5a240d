#!/bin/sh
# The excerpts of docs/driver-guide.md compile, each as the body of a function, with warnings as errors.
#
#     guide.sh SOURCE_FOLDER
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v guide="$source/docs/driver-guide.md" '
BEGIN { print "#include \"guide.h\"" }
/^```c$/ { printf "void excerpt_%d(void);\nvoid excerpt_%d(void) {\n#line %d \"%s\"\n", ++n, n, FNR + 1, guide; inside = 1; next }
/^```/ { if (inside) print "}"; inside = 0; next }
inside { print }
END { exit n < 18 }' "$source/docs/driver-guide.md" >"$work/guide.c" || { echo "too few excerpts" >&2; exit 1; }
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -Wno-unused-variable -Wno-unused-but-set-variable -fsyntax-only \
    -I"$source/include" -I"$source/tests/package" "$work/guide.c"

# Links lead to files.
grep -oE '\]\([^)#:]+' "$source/docs/driver-guide.md" | sed 's/^](//' | while read -r link; do
    [ -e "$source/docs/$link" ] || { echo "no $link" >&2; exit 1; }
done
