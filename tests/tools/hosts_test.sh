#!/bin/sh
# Whatever built the compiler writes the same code: what tests/tools/hosts.c says in this build, against what is recorded.
# tools/check.sh has builds by two compilers; tools/hosts.sh compares more of them, and other hosts.
#
#     hosts_test.sh [--update] HOSTS RECORDED EXAMPLES
set -eu
update=
[ "$1" != --update ] || { update=1 && shift; }
hosts=$1 recorded=$2
cd "$3"
said=$(mktemp)
trap 'rm -f "$said"' EXIT
{
    "$hosts" -O 2 --expressions 5
    "$hosts" -O 2 ./*.vert
} >"$said"
if [ "$update" ]; then
    cp "$said" "$recorded"
    exit 0
fi
diff "$recorded" "$said" | head -n 20
cmp -s "$recorded" "$said"
