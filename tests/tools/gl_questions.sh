#!/bin/bash
# Every answer that gl_corpus can give, from a pair that it is the answer for: the pair's name says which.
#
#     gl_questions.sh GL_CORPUS
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
results=$(mktemp)
trap 'rm -f "$results"' EXIT
output=$("${1:?usage: gl_questions.sh GL_CORPUS}" --causes "$here/inputs/gl_questions.json" --results "$results" \
    --pairs "$here/inputs/gl_questions.jsonl")
code=$?
[ "$code" = 77 ] && exit 77
echo "$output"
[ "$code" = 1 ] || { echo "FAILED: exit $code, though a pair is not explained"; exit 1; }
# What is undefined may be anything: in llvmpipe's newer versions it happens to be what we have.
known=$(echo "$output" | grep -c "^reference: .*Mesa 22\.")
awk -v known="$known" '{ split($1, name, "/"); total++; if (name[1] != $2 && (known || name[1] != "undefined" || $2 != "agrees")) { print "FAILED: " $1 " is " $2; failed++ } }
    END { print total " pairs, " failed + 0 " failed"; exit failed || total != 10 }' "$results"
