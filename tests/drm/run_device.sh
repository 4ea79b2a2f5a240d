#!/bin/sh
# qpucc run --device draws what qpucc run draws: every example, through the vc4 driver's calls and the device in software.
#
#     run_device.sh QPUCC QPUSIM_DEVICE EXAMPLES
set -eu
qpucc=$1 device=$2 examples=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
drawn=0
for fragment in "$examples"/*.frag; do
    name=$(basename "$fragment" .frag)
    [ -f "$examples/$name.vert" ] || continue
    for more in "" --instances=3 --mesh=sphere; do
        # shellcheck disable=SC2086 # words
        "$qpucc" run "$examples/$name.vert" "$fragment" $more --size 100x70 -o "$work/machine.png" 2>"$work/log" || continue
        # shellcheck disable=SC2086
        "$device" -- "$qpucc" run "$examples/$name.vert" "$fragment" $more --size 100x70 --device /dev/dri/renderD128 -o "$work/device.png"
        cmp "$work/machine.png" "$work/device.png" || { echo "$name $more: the device draws another picture"; exit 1; }
        drawn=$((drawn + 1))
    done
done
# What that took of the host is told, and is not nothing.
"$device" --stats -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' 2>"$work/log"
grep -q '^the program took [0-9.]*[1-9][0-9.]* ms of processor time, and [0-9.]* in the kernel$' "$work/log" || { cat "$work/log"; exit 1; }
# A wrong option is an error, not another one.
for wrong in "--size 4000x3000" "--size 0x480" "--size 640x480px" "--frame-limit x" "--threads -1"; do
    # shellcheck disable=SC2086
    if "$device" $wrong -- true 2>"$work/log"; then echo "$wrong is accepted"; exit 1; fi
    grep -q "^qpusim-device: .*not ${wrong#* }$" "$work/log" || { cat "$work/log"; exit 1; }
done
echo "$drawn pictures"
[ $drawn -ge 10 ]
