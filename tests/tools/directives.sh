#!/bin/sh
# Test files with directives that nobody knows must fail, and say why; the same files without the mistake must pass.
# usage: directives.sh pass_tests backend_tests spirv_cases FOLDER_OF_THE_TOOLS_TESTS
set -u
pass_tests=$1 backend_tests=$2 spirv_cases=$3 folder=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
count=0

# PROGRAM FILE "fine" or the text that must be in what it says
expect() {
    count=$((count + 1))
    "$1" "$2" >"$work/out" 2>&1
    code=$?
    if [ "$3" = fine ]; then
        [ $code = 0 ] && return
    elif [ $code != 0 ] && grep -qF "$3" "$work/out"; then
        return
    fi
    echo "not as expected ($3), exit code $code:"
    head -n 3 "$2"
    cat "$work/out"
    failed=$((failed + 1))
}

pass_case() { # DIRECTIVES EXPECTED
    body='shader fragment
b0:
  end'
    printf '%s\n%s\n----\n%s\n' "$1" "$body" "$body" >"$work/case.ir"
    expect "$pass_tests" "$work/case.ir" "$2"
}
pass_case '; RUN: dce' fine
pass_case '; RUN: dce
; SAME
; a comment, IR and all
; OPTION level 1
; OPTION flip_y' fine
pass_case '; SAME' 'no ; RUN: line'
pass_case '; RUN: dce
; SAMEE' 'unknown directive: ; SAMEE'
pass_case '; RUN: dce
; CHECK: nothing' 'unknown directive'
pass_case '; RUN: dce
; OPTION unrol_limit 100' 'unknown option: ; OPTION unrol_limit 100'
pass_case '; RUN: dce
; OPTION unroll_limit' 'unknown option'
pass_case '; RUN: dce
; OPTION unroll_limit many' 'unknown option'
pass_case '; RUN: dce
; OPTION flip_y 0' 'unknown option'
pass_case '; RUN: dce
; RUN dce' 'unknown directive'
pass_case '; RUN: dcee' 'dcee'

backend_case() { # FIRST-LINE EXPECTED
    { echo "$1" && sed 1d "$folder/../backend/cases/$3.ir"; } >"$work/case.ir"
    expect "$backend_tests" "$work/case.ir" "$2"
}
first=$(ls "$folder/../backend/cases" | sed -n '1s/\.ir$//p')
line=$(head -n 1 "$folder/../backend/cases/$first.ir")
backend_case "$line" fine "$first"
backend_case "$line thread=2" 'unknown option' "$first"
backend_case "$line opt=4" 'unknown option' "$first"
backend_case "$line threads=3" 'unknown option' "$first"
backend_case "; backend" 'no RUN line' "$first"

spirv_case() { # DIRECTIVE EXPECTED
    printf '#version 450\n%s\nlayout(location=0) out vec4 c;\nvoid main() { c = vec4(1.0); }\n' "$1" >"$work/case.frag"
    expect "$spirv_cases" "$work/case.frag" "$2"
}
spirv_case '// CHECK output 0' fine
spirv_case '// a comment' fine
spirv_case '// CHEKC output 0' 'unknown directive: CHEKC'
spirv_case '// OPTION lower_leftt' 'unknown option: lower_leftt'
spirv_case '// SYMBOL uniform highest float a' 'broken SYMBOL'

printf -- '--- fragmint\nvoid main() {}\n' >"$work/case.glsl"
printf '#!/bin/sh\nexec awk -f "%s" "$1"\n' "$folder/language.awk" >"$work/awk" && chmod +x "$work/awk"
expect "$work/awk" "$work/case.glsl" 'unknown section fragmint'
echo "$((count - failed)) passed, $failed failed"
[ $failed = 0 ]
