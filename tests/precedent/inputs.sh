#!/bin/sh
# The scanner's inputs, made by hand: JSON lines of both kinds, a recorded submit, a listing, verdicts; and what it refuses.
#
#     inputs.sh QPUCC-PRECEDENT
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failed=0

expect() { # CODE PATTERNS ARGUMENT...: exit code, and the patterns that are printed, one a line
    code=$1 patterns=$2
    shift 2
    status=0
    "$program" "$@" > out 2> err || status=$?
    cut -f1 out > got
    printf '%s' "$patterns" > wanted
    if [ "$status" != "$code" ] || ! diff wanted got > difference; then
        echo "FAILED: qpucc-precedent $*: exit code $status"
        cat difference err
        failed=1
    fi
}

# mov r0, unif; fadd r1, unif, r0; then an end
end='"300009e7009e7000", "100009e7009e7000", "500009e7009e7000"'
fadd='"1002082715827d80", "1002086701827c00"'
echo "{\"name\": \"a\", \"compiler\": \"mesa\", \"stage\": \"fragment\", \"code\": [$fadd, $end]}" > foreign.jsonl
# ours has the same, and in place of the sum fsub(r0, unif)
echo "{\"name\": \"b\", \"stages\": [{\"stage\": \"fragment\", \"code\": [$fadd, $end], \"stream\": [\"u.x\", \"u.y\"]}]}" > same.jsonl
echo "{\"name\": \"c\", \"stages\": [{\"stage\": \"fragment\", \"code\": [\"1002082715827d80\", \"1002086702827180\", $end]}]}" > other.jsonl
expect 0 '' --foreign foreign.jsonl same.jsonl
expect 2 'op add.fsub
ports add acc,unif
' --foreign foreign.jsonl same.jsonl other.jsonl
"$program" --foreign foreign.jsonl - < same.jsonl 2> err
grep -q '^mesa: 1 programs, 5 instructions$' err
grep -q '^ours: 1 programs, 5 instructions$' err

# the same program as a listing, captured: its words are the two halves
cat > listing.txt <<'L'
some text
00000000: 15827d80 10020827 mov r0, unif
00000002: 02827180 10020867 fsub r1, r0, unif
00000004: 009e7000 300009e7 nop; nop; thrend
00000006: 009e7000 100009e7 nop
00000008: 009e7000 500009e7 nop; nop; sbdone
00000000: 159e7fc0 10020c27 mov vpm, rb0
L
expect 0 '' --foreign foreign.jsonl --listing listing.txt other.jsonl
"$program" --listing listing.txt --all > all
grep -q '^op add.fsub	1	1	0	0	0	0	0	0	listing.txt:1$' all
grep -q '^vertex vpm-write	1	1	' all

# a recorded submit: little-endian words of the buffers that are shaders and new
mkdir captures captures/scene
printf '\200\175\202\025\047\010\002\020\200\161\202\002\147\010\002\020' > captures/scene/bo_3.bin
printf '\000\160\236\000\347\011\000\060\000\160\236\000\347\011\000\020\000\160\236\000\347\011\000\120' >> captures/scene/bo_3.bin
cat > captures/scene/submit0.json <<'J'
{"bos": [{"handle": 1, "shader": false, "load": true, "file": "absent.bin"}, {"handle": 3, "shader": true, "load": true, "file": "bo_3.bin"},
         {"handle": 4, "shader": true, "load": false, "file": "absent.bin"}]}
J
expect 0 '' --foreign foreign.jsonl --captures captures other.jsonl

# verdicts: what they cover is not printed; --update counts it
printf 'pattern\ttimes\tverdict\tassumption\treason\nop *\t7\tguide\tx\twhy\nrotate *\t7\tguide\tx\twhy\n' > verdicts.tsv
expect 2 'ports add acc,unif
' --foreign foreign.jsonl --verdicts verdicts.tsv other.jsonl
printf 'ports *\t0\tindependent\t-\twhy\n' >> verdicts.tsv
expect 0 '' --foreign foreign.jsonl --verdicts verdicts.tsv --update other.jsonl
grep -q '^no such pattern any more: rotate \*$' err
printf 'pattern\ttimes\tverdict\tassumption\treason\nop *\t1\tguide\tx\twhy\nrotate *\t0\tguide\tx\twhy\nports *\t1\tindependent\t-\twhy\n' | diff - verdicts.tsv

# refused
echo '{"name": "d", "stages": [{"stage": "fragment"}]}' > stats.jsonl
echo '{"name": "d", "error": {"code": "source"}}' > error.jsonl
echo '{"name": "d", "code": ["12g"]}' > digits.jsonl
for arguments in '' stats.jsonl error.jsonl digits.jsonl listing.txt absent.jsonl '--foreign absent.jsonl same.jsonl' '--captures . same.jsonl' \
    '--listing same.jsonl same.jsonl' '--verdicts same.jsonl same.jsonl' '--verdicts absent.tsv same.jsonl' '--update same.jsonl' --frog; do
    # shellcheck disable=SC2086
    expect 1 '' $arguments
    [ -s err ] || { echo "FAILED: $arguments: no message"; failed=1; }
done
exit $failed
