#!/bin/sh
# The static programs for a Pi, under qemu-user on the device in software: all rows agree, and a fault is found.
#
#     static.sh QPUSIM_DEVICE [arm64 armhf]
#
# Exit code 77: no compiler, or no qemu.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
device=$1
shift
[ $# -gt 0 ] || set -- arm64 armhf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for arch in "$@"; do
    case $arch in
    arm64) qemu=qemu-aarch64 ;;
    armhf) qemu=qemu-arm ;;
    *) echo "static.sh: $arch?" && exit 1 ;;
    esac
    command -v "$qemu" >/dev/null || qemu=$qemu-static
    command -v "$qemu" >/dev/null || { echo "skipped: there is no $qemu" && exit 77; }
    "$here/tools/selftest_static.sh" "$work" --deb "$arch" >"$work/log" || { cat "$work/log" && exit $?; }
    program=$work/qpucc-selftest-$arch
    "$device" -- "$qemu" "$program" >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err" && exit 1; }
    tail -n 2 "$work/out" | sed "s/^/$arch: /"
    code=0
    "$device" --fault v8muld_truncates -- "$qemu" "$program" --only v8muld_rounding >"$work/out" || code=$?
    [ $code = 6 ] || { echo "$arch: a fault is not found" && exit 1; }
    dpkg-deb --field "$work"/qpucc-selftest_*_"$arch".deb Package Version Architecture
    dpkg-deb --contents "$work"/qpucc-selftest_*_"$arch".deb | grep ' ./usr/bin/qpucc-selftest$' >/dev/null
done
