#!/bin/bash
# Bad input of every kind: a diagnostic and exit code 2, within a time limit; never a crash, never another code.
#
#     bad_input.sh QPUCC [SPARSE]      SPARSE: damage at so many times fewer places, for a build with the sanitizers
#
# Truncated and damaged shaders may happen to be good ones: there exit code 0 (and 3) is right, too.
set -u
program=$(realpath "${1:?usage: bad_input.sh QPUCC}")
sparse=${2:-1}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C
failed=0
total=0
limit=${BAD_INPUT_LIMIT:-60} # CPU seconds: the machine may be busy

# expect CODES ARGUMENTS...: the command ends with one of the codes; with 2 it says why.
expect() {
    local codes=$1
    shift
    total=$((total + 1))
    (ulimit -t "$limit" && exec "$program" "$@") >out 2>err
    local code=$?
    case " $codes " in
    *" $code "*) ;;
    *)
        echo "FAILED: exit $code, wanted $codes: $*"
        head -c 600 err
        failed=$((failed + 1))
        return
        ;;
    esac
    if [ "$code" = 2 ] && ! grep -q 'error: ' out err; then
        echo "FAILED: no diagnostic: $*"
        failed=$((failed + 1))
    fi
}
repeat() { awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'; }
shader() { printf 'precision mediump float;\nuniform float u;\nvoid main() {\n%s\n}\n' "$1"; }

: >empty.frag
expect 2 empty.frag
printf '\n\n  \t\n' >blank.frag
expect 2 blank.frag
printf '// nothing' >comment.frag
expect 2 comment.frag
printf '/* open' >open.frag
expect 2 open.frag
head -c 4096 "$program" >binary.frag
expect 2 binary.frag
printf 'void main() {\0 gl_FragColor = vec4(1.0); }' >nul.frag
expect 2 nul.frag
printf '\377\376v\0o\0i\0d\0' >utf16.frag
expect 2 utf16.frag

# truncated: at every 7th byte
size=$(wc -c <"$here/inputs/tint.frag")
for ((cut = 1; cut < size; cut += 7 * sparse)); do
    head -c "$cut" "$here/inputs/tint.frag" >cut.frag
    expect "0 2" cut.frag
done

# huge: a mebibyte of tokens of several kinds
{ shader "$(repeat 130000 'u + u + ')"; } >huge_sum.frag
expect 2 huge_sum.frag
{ shader "gl_FragColor = vec4(u);$(repeat 350000 ';;;')"; } >huge_empty.frag
expect "2 3" huge_empty.frag
repeat 1048576 '(' >parentheses.frag
expect 2 parentheses.frag
repeat 200000 'float ' >words.frag
expect 2 words.frag
{ repeat 1048576 'x'; } >identifier.frag
expect 2 identifier.frag
{ repeat 1048576 '9'; } >number.frag
expect 2 number.frag

# nested
for depth in 50 500 20000; do
    codes="0 2"
    [ "$depth" -gt 200 ] && codes=2
    shader "gl_FragColor = vec4($(repeat "$depth" '(')u$(repeat "$depth" ')'));" >nested.frag
    expect "$codes" nested.frag
    shader "$(repeat "$depth" '{')gl_FragColor = vec4(u);$(repeat "$depth" '}')" >braces.frag
    expect "$codes" braces.frag
    shader "$(repeat "$depth" 'if (u > 0.5) ')gl_FragColor = vec4(u);" >ifs.frag
    expect "$codes" ifs.frag
    shader "gl_FragColor = vec4($(repeat "$depth" '-')u);" >minus.frag
    expect "0 2" minus.frag
    shader "gl_FragColor = vec4($(repeat "$depth" 'sin(')u$(repeat "$depth" ')'));" >calls.frag
    expect "$codes" calls.frag
    shader "gl_FragColor = vec4(u)$(repeat "$depth" '[0]');" >brackets.frag
    expect 2 brackets.frag
done

# the preprocessor
printf '#include "self.frag"\n' >self.frag
expect 2 self.frag
{ echo '#define a0 u u u u u u u u u u'; for i in 1 2 3 4 5 6 7 8; do echo "#define a$i a$((i - 1)) a$((i - 1)) a$((i - 1)) a$((i - 1)) a$((i - 1)) a$((i - 1)) a$((i - 1)) a$((i - 1))"; done; echo 'void main() { a8 }'; } >bomb.frag
expect 2 bomb.frag
{ repeat 5000 '#if 1\n' | sed 's/\\n/\n/g'; } >conditions.frag
expect 2 conditions.frag
printf '#define f(x) f(x f(x))\nvoid main() { f(f(f(1))) }\n' >recursive.frag
expect 2 recursive.frag
printf '#version 9999\nvoid main() {}\n' >version.frag
expect 2 version.frag
{ echo 'struct S0 { float a; };'; for ((i = 1; i < 10000; i++)); do echo "struct S$i { S$((i - 1)) s; };"; done; echo 'uniform S9999 s; void main() { gl_FragColor = vec4(0.0); }'; } >structs.frag
expect 2 structs.frag
printf 'float f(float x) { return f(x); }\nprecision mediump float;\nvoid main() { gl_FragColor = vec4(f(1.0)); }\n' >recursion.frag
expect 2 recursion.frag
{ echo 'precision mediump float; uniform float u; void main() { float s = 0.0;'; repeat 6 'for (int i = 0; i < 100; i++) '; echo 's += u; gl_FragColor = vec4(s); }'; } >loops.frag
expect "0 2 3" loops.frag
{ echo 'precision mediump float; uniform float u['; repeat 9 '9'; echo ']; void main() { gl_FragColor = vec4(u[0]); }'; } >array.frag
expect "2 3" array.frag

# SPIR-V: truncated, damaged, not for us
"$program" --emit=spirv "$here/inputs/tint.frag" -o good.spv || failed=$((failed + 1))
size=$(wc -c <good.spv)
for ((cut = 4; cut < size; cut += 36 * sparse)); do
    head -c "$cut" good.spv >cut.frag.spv
    expect 2 cut.frag.spv
done
for ((at = 0; at < size; at += 29 * sparse)); do
    { head -c "$at" good.spv; printf '\245'; tail -c +"$((at + 2))" good.spv; } >damaged.frag.spv
    expect "0 2" damaged.frag.spv
done
printf '\003\002\043\007' >magic.frag.spv
expect 2 magic.frag.spv
: >empty.frag.spv
expect 2 empty.frag.spv
expect 2 -fshader-stage=vertex good.spv

# the other entry points
printf 'shader fragment lowered\nb0:\n  %%0 = phi.f32 b9 %%7\n' >bad.ir
expect 2 opt --passes=dce bad.ir
head -c 4096 "$program" >binary.ir
expect 2 opt --passes=dce binary.ir
expect 2 as binary.ir -o binary.bin
[ -e binary.bin ] && { echo "FAILED: a partial file"; failed=$((failed + 1)); }
head -c 4096 "$program" >random.bin
expect "0" dis random.bin
expect "0 2" check random.bin
printf '{"name": "a", "vertex": "attribute vec4 p; void main() { gl_Position = p; }", "fragment": "void main() { gl_FragColor = vec4(1.0); }"}\n{"name": "b"}\n' >good.jsonl
size=$(wc -c <good.jsonl)
for ((at = 0; at < size; at += 11 * sparse)); do
    { head -c "$at" good.jsonl; printf '\0\373"'; tail -c +"$((at + 4))" good.jsonl; } >bad.jsonl
    expect "0 2" report --pairs bad.jsonl
    head -c "$at" good.jsonl >bad.jsonl
    expect "0 1 2" report --pairs bad.jsonl
done
expect "0 1 2" report --pairs binary.ir
echo '{"fragment": 3}' >bad.json
expect 1 run bad.json -o out.png
printf 'f 1/2/3\n' >bad.obj
expect 1 run "$here/inputs/tint.vert" "$here/inputs/tint.frag" --mesh bad.obj -o out.png
printf '\211PNG\r\n\032\nrubbish' >bad.png
expect 1 run "$here/inputs/tint.vert" "$here/inputs/tint.frag" --texture u_picture=bad.png -o out.png
[ -e out.png ] && { echo "FAILED: a partial file"; failed=$((failed + 1)); }

# explain and debug: containers, assembly, code words and pictures are no shaders; damaged SPIR-V may be one
tint=$here/inputs/tint.frag
head -c 3000 "$program" >words
"$program" --emit=qpu "$tint" -o tint.qpu
"$program" -S "$tint" -o tint.s
"$program" --emit=raw "$tint" -o tint.raw
"$program" --emit=spirv "$tint" -o tint.spv
printf 'attribute vec4 a;\nvoid main() { gl_Position = a; }\n' >good.vert
for file in tint.qpu tint.s tint.raw.fragment.bin words empty.frag binary.frag nul.frag utf16.frag; do
    for form in "" --json --code --passes; do
        # shellcheck disable=SC2086
        expect "1 2" explain $form -fshader-stage=fragment "$file"
    done
    expect "1 2" explain "$file" "$file"
    expect "1 2" debug --batch good.vert -fshader-stage=fragment "$file"
done
size=$(wc -c <tint.spv)
for ((cut = 8; cut < size; cut += 52 * sparse)); do
    head -c "$cut" tint.spv >cut.spv
    expect "1 2" explain cut.spv
    { head -c "$cut" tint.spv && printf '\377' && tail -c +"$((cut + 2))" tint.spv; } >hurt.spv
    expect "0 1 2 3" explain --code hurt.spv
done
shader 'gl_FragColor = vec4(u);' >flat.frag
# what a script of the debugger says may be anything
repeat 3000 'x' >script
{ repeat 2000 'step '; printf '\nbreak 99999999999999999999\nprint\nprint ra99\nback -1\nwatch\nstep -5\nlist 0\ninfo %%n\n\0\377\n'; } >>script
expect "0 1" debug --batch -x script good.vert flat.frag
expect 1 debug --batch -x nothing good.vert flat.frag
expect 1 debug --pixel=-1,0 good.vert flat.frag
expect 1 debug --pixel=100000,0 good.vert flat.frag
expect 1 debug --vertex=100000 good.vert flat.frag

echo "$total cases, $failed failed"
[ "$failed" = 0 ]
