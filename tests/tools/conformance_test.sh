#!/bin/sh
# The conformance runner's own test: cases whose outcome is known, among them some that must be reported as failed.
# usage: conformance_test.sh qpucc-conformance SOURCE_FOLDER
set -u
runner=$1 folder=$2
cases=$folder/conformance_cases/cases.jsonl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
broken=0

wrong() {
    echo "conformance_test: $1" >&2
    broken=1
}

# status NUMBER WHAT: the last command's exit status
status() {
    [ "$code" -eq "$1" ] || wrong "$2: exit status $code instead of $1"
}

# Every line begins as expected, whatever the order of threads.
for mode in "-j1" "-j3" "-j2 --no-isolate" "-O0"; do
    "$runner" "$cases" $mode >"$work/out" 2>"$work/err"
    code=$?
    status 2 "all cases $mode"
    awk -v mode="$mode" '
        NR == FNR { want[FNR] = $0; count = FNR; next }
        index($0, want[FNR]) != 1 { print mode ": " $0 "\n    instead of " want[FNR]; bad = 1 }
        END { if (FNR != count) { print mode ": " FNR " lines instead of " count; bad = 1 } exit bad }
    ' "$folder/conformance_expected.txt" "$work/out" >&2 || broken=1
    [ ! -s "$work/err" ] || wrong "$mode: something on standard error"
done

# From here on in one process: a fork with the sanitizers' memory costs more than a case.
together() {
    "$runner" "$cases" --no-isolate "$@"
}

# Patterns, parts of names, and an exit status of 0 when nothing failed.
together --filter '*passes*' >"$work/out"
code=$?
status 0 "--filter pattern"
[ "$(tail -n 1 "$work/out")" = "20 passed, 0 failed, 0 skipped" ] || wrong "--filter pattern: $(tail -n 1 "$work/out")"
together --filter 'upside down' >"$work/out"
code=$?
status 2 "--filter part"
[ "$(tail -n 1 "$work/out")" = "0 passed, 1 failed, 0 skipped" ] || wrong "--filter part: $(tail -n 1 "$work/out")"
for part in 1 2 3; do
    together --filter '*passes*' --part $part/3 | sed '$d'
done | sort >"$work/parts"
together --filter '*passes*' | sed '$d' | sort | cmp -s - "$work/parts" || wrong "--part: all parts are not all cases"
together --filter '*passes*' --part 3/3 >"$work/out"
[ "$(tail -n 1 "$work/out")" = "6 passed, 0 failed, 0 skipped" ] || wrong "--part: $(tail -n 1 "$work/out")"
together --part 4/3 >"$work/out" 2>&1
code=$?
status 1 "--part 4/3"

# The list of known failures turns failures into skips, and says when it is out of date.
printf '# comment\n\n* fails -- on purpose\nline 39 -- not JSON\npicture passes -- out of date\n' >"$work/known"
together --known "$work/known" >"$work/out" 2>"$work/err"
code=$?
status 0 "--known"
[ "$(tail -n 1 "$work/out")" = "20 passed, 0 failed, 20 skipped" ] || wrong "--known: $(tail -n 1 "$work/out")"
grep -q '^skip own/red fails: known: on purpose$' "$work/out" || wrong "--known: no reason"
grep -q 'passes: picture passes$' "$work/err" || wrong "--known: no note about what passes"
echo 'no reason' >"$work/known"
together --filter 'green passes' --known "$work/known" >"$work/out" 2>"$work/err"
code=$?
status 1 "bad list"

# What is kept of failures.
together --filter '*upside down*' --keep-failed "$work/kept" >"$work/out"
code=$?
status 2 "--keep-failed"
for end in vert frag asm log png ref.png; do
    [ -s "$work/kept/picture_upside_down_fails.$end" ] || wrong "--keep-failed: no .$end"
done
cmp -s "$work/kept/picture_upside_down_fails.png" "$work/kept/picture_upside_down_fails.ref.png" &&
    wrong "--keep-failed: both pictures are the same"

# JUnit and JSON.
together --junit "$work/junit.xml" --json >"$work/out"
code=$?
status 2 "--junit --json"
grep -q '<testsuite .*tests="40" failures="18" skipped="2"' "$work/junit.xml" || wrong "--junit: counts"
[ "$(grep -c '<failure ' "$work/junit.xml")" -eq 18 ] || wrong "--junit: failures"
[ "$(grep -c '"result":"fail"' "$work/out")" -eq 18 ] || wrong "--json: failures"
[ "$(tail -n 1 "$work/out")" = '{"passed":20,"failed":18,"skipped":2}' ] || wrong "--json: last line"

# The summary of reasons counts equal ones together.
together --failures --reasons >"$work/out"
code=$?
status 2 "--reasons"
grep -q '^ *9  picture: # of # pixels' "$work/out" || wrong "--reasons: pictures"
grep -q '^pass' "$work/out" && wrong "--failures: a case that passed"

# Mistakes of who calls.
"$runner" >"$work/out" 2>&1
code=$?
status 1 "no file"
"$runner" "$work/nowhere" >"$work/out" 2>&1
code=$?
status 1 "a file that is not there"
together --seed nine >"$work/out" 2>&1
code=$?
status 1 "a seed that is no number"

exit $broken
