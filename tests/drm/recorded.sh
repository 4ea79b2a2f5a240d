#!/bin/sh
# What qpusim-device --record keeps, qpusim-captures draws again, to the bit: of two processes that share buffers and
# fences (drm_sharing), whose picture is also a frame, and of examples, whose pictures qpucc run --device has read itself.
#
#     recorded.sh QPUCC QPUSIM_DEVICE QPUSIM_CAPTURES COMPARE_FRAMES DRM_SHARING EXAMPLES DRM_SERVER
set -eu
qpucc=$1 device=$2 captures=$3 compare=$4 sharing=$5 examples=$6 server=$7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/records"

# same NAME PNG: the recording NAME expects this picture, red, green and blue.
same() {
    mkdir -p "$work/a" "$work/b"
    cp "$2" "$work/a/frame-00000.png"
    cp "$work/records/$1/expected.png" "$work/b/frame-00000.png"
    "$compare" "$1" "$work/a" "$work/b" 0 | tee "$work/line"
    grep -q '^| [a-z]* | 1 | 0.00 | 0.00 | 0 |' "$work/line" || { echo "$1: the record expects another picture"; exit 1; }
}

"$device" --size 64x64 --frames "$work/frames" --record "$work/records/sharing" -- "$sharing" 2>"$work/log" ||
    { cat "$work/log"; exit 1; }
same sharing "$work/frames/frame-00000.png"
for name in crt phong fence; do
    "$device" --record "$work/records/$name" -- "$qpucc" run "$examples/$name.vert" "$examples/$name.frag" --size 100x70 \
        --device /dev/dri/renderD128 -o "$work/$name.png"
    same "$name" "$work/$name.png"
done
"$captures" "$work/records" --strict --verbose | tee "$work/out"
[ "$(grep -c '^passed [a-z]*: 0 of [0-9]* pixels differ .* by 0 at most$' "$work/out")" = 4 ]
grep -q '^4 passed, 0 failed, 0 skipped$' "$work/out"
# ... and a record that was changed draws something else.
printf '\252\252\252\252' | dd of="$work/records/sharing/submit2_bo_$(sed -n 's/.*submit2_bo_\([0-9]*\).bin.*/\1/p' \
    "$work/records/sharing/submit2.json" | head -1).bin" bs=4 seek=5 conv=notrunc 2>/dev/null
"$captures" "$work/records" --strict --verbose --filter sharing | grep '^passed sharing: 1 of 4096 pixels differ'
for wrong in x -1 2x; do
    if "$captures" "$work/records" --threads "$wrong" >"$work/out" 2>&1; then echo "--threads $wrong is accepted"; exit 1; fi
    grep -q "^qpusim-captures: --threads takes a number, not $wrong$" "$work/out" || { cat "$work/out"; exit 1; }
done
# A job that the machine stops fails; it is not drawn again on a machine that goes on.
mkdir "$work/stopped"
! "$device" --record "$work/stopped/job" --frame-limit 1 -- "$server" show 2>"$work/log" || { echo "the job does not fail"; exit 1; }
"$captures" "$work/stopped" >"$work/out" && { cat "$work/out"; exit 1; }
grep -q '^FAILED job: submit 0: ' "$work/out"
