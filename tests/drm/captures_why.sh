#!/bin/sh
# Each capture of captures_differ.txt, changed in the one point that is to blame, agrees.
#
#     captures_why.sh QPUSIM_CAPTURES QPUCC
set -eu
[ -n "${QPUCC_SHARED:-}" ] || { echo "QPUCC_SHARED is not set: skipped"; exit 77; }
captures=$1
qpucc=$2
here=$(cd "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# copy NAME: the capture's files, to be changed.
copy() {
    mkdir "$work/$1"
    cp "$QPUCC_SHARED/captures/$1"/* "$work/$1"
    chmod u+w "$work/$1"/*
    cd "$work/$1"
}
# poke FILE OFFSET: standard input replaces the bytes there.
poke() { dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
# insert FILE OFFSET: an instruction between others of a shader of which submit 0 says the size.
insert() {
    echo "$3" >"$work/.text"
    "$qpucc" as "$work/.text" -o "$work/.code"
    size=$(wc -c <"$1")
    { head -c "$2" "$1"; cat "$work/.code"; tail -c +$(($2 + 1)) "$1"; } >"$work/.new"
    mv "$work/.new" "$1"
    sed -i "s/\"code_size\": $size, \(\"load\": true, \"file\": \"$1\", \"stored_bytes\": \)$size/\"code_size\": $((size + 8)), \1$((size + 8))/" submit0.json
    grep -q "\"code_size\": $((size + 8)), .*\"$1\"" submit0.json
}

# Half a pixel is added to gl_FragCoord: to X by an instruction, to Y in the uniform that is added to it.
half='\0\0\0\077'
copy glmark2-ideas-logo-shadow
insert bo_8.bin 16 'fadd r0, r0, 0.5'
printf "$half" | poke submit0.uniforms 8
copy glmark2-loop-v5-uniform
insert bo_6.bin 16 'fadd r0, r0, 0.5'
printf "$half" | poke submit0.uniforms 4

# The quad's shader does not write colour.
copy st-midclear
echo 'nop' >"$work/.text"
"$qpucc" as "$work/.text" -o "$work/.code"
poke bo_11.bin 24 <"$work/.code"

# The submit loads the texture instead of clearing it.
copy sv-copytex
sed -i -e '/"color_read"/s/"present": false, "hindex": -1, "offset": 0, "bits": 0/"present": true, "hindex": 5, "offset": 0, "bits": 17/' \
    -e '/"clear_color"/s/"flags": 1/"flags": 0/' submit1.json

# The offsets' units become 256 times as large. They are floats of 16 bits, whose exponents lie in bits 14:7; offsets without units
# stay so.
copy sv-polyoffset
for at in 116 210 304 398 586; do
    set -- $(od -An -tu1 -j "$at" -N 5 submit0.bin_cl)
    [ "$1" = 101 ]
    printf "\\$(printf %03o $(($5 + 4)))" | poke submit0.bin_cl $((at + 4))
done

"$captures" "$work" --verbose
grep -v '^#' "$here/captures_differ.txt" | sort >"$work/.listed"
ls "$work" | sort | diff "$work/.listed" -
