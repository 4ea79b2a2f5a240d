#!/bin/sh
# Runs programs that know nothing of qpucc on Debian's vc4 driver and the device in software, and compares what they show
# with llvmpipe's pictures.
#
#     integration/run.sh BUILD FOLDER [--short] [--only TEXT] [--lenient] [--ideal]
#
# BUILD has qpusim-device; FOLDER gets the packages (packages.sh) and the frames. Prints a table; exit code 1: a program
# fails or its pictures differ, 77: qemu or the packages are absent.
set -eu
here=$(cd "$(dirname -- "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD FOLDER [--short] [--only TEXT] [--lenient] [--ideal]}" && pwd)
mkdir -p "${2:?usage: run.sh BUILD FOLDER}"
folder=$(cd "$2" && pwd)
shift 2
short="" only="" mode=""
while [ $# -gt 0 ]; do
    case $1 in
    --short) short=yes ;;
    --only) only=$2; shift ;;
    --lenient | --ideal) mode="$mode $1" ;;
    *) echo "run.sh: $1?" >&2; exit 2 ;;
    esac
    shift
done
qemu=$(command -v qemu-aarch64) || { echo "run.sh: qemu-aarch64 is absent (Debian: qemu-user): skipped" >&2; exit 77; }
[ -f "$build/preload/lib/aarch64-linux-gnu/libqpusim-preload.so" ] ||
    { echo "run.sh: no library for arm64 programs (Debian: gcc-aarch64-linux-gnu): skipped" >&2; exit 77; }
"$here/packages.sh" "$folder" || exit $?

arm=$folder/arm64 amd=$folder/amd64
amd_lib=$amd/usr/lib/x86_64-linux-gnu
frames=3
[ -z "$short" ] || frames=2
failed=0 compared=0
# A standard input on which nothing ever comes: kmscube ends at anything else.
rm -f "$folder/nothing" && mkfifo "$folder/nothing"
exec 3<>"$folder/nothing"

# Programs of our own, and what is preloaded into one that wants an X server.
ours() {
    root=$1 cc=$2
    # shellcheck disable=SC2086 # words
    set -- -std=gnu11 -O2 -I"$root/usr/include" -I"$root/usr/include/libdrm" -L"$(echo "$root"/usr/lib/*-linux-gnu)" -Wl,--allow-shlib-undefined
    mkdir -p "$root/ours"
    "$cc" "$here/smoke.c" "$here/screen.c" "$@" -o "$root/ours/smoke" -lEGL -lGLESv2 -lgbm -ldrm -lm
    "$cc" -shared -fPIC "$here/egl_x11.c" "$here/screen.c" "$@" -o "$root/ours/egl_x11.so" -lgbm -ldrm -lX11
}
ours "$arm" aarch64-linux-gnu-gcc
ours "$amd" "${CC:-cc}"
program() {
    for file in "$1/ours/$2" "$1/usr/bin/$2" "$1/usr/bin/$2".*-linux-gnu; do
        [ ! -x "$file" ] || break
    done
    echo "$file"
}
adaptor=""

# One program, on vc4 under qemu and on llvmpipe. The reference does without the machine: it fills dumb buffers. Where the
# processor converts 16-bit floats, llvmpipe computes mediump with them, which vc4 does not: the oldest processor that it knows
# does not, either.
# usage: draw NAME PROGRAM ARGUMENTS...
draw() {
    name=$1 program=$2
    shift 2
    count=$frames
    [ "$program" != smoke ] || count=100
    case $name in *"$only"*) ;; *) return 0 ;; esac
    rm -rf "$folder/frames/$name" && mkdir -p "$folder/frames/$name"
    log=$folder/frames/$name/log
    # shellcheck disable=SC2086 # words
    timeout 600 "$build/qpusim-device" $mode --frame-clock --frame-limit $count --frames "$folder/frames/$name/vc4" --stats -- \
        sh -c 'LD_PRELOAD=$LD_PRELOAD${0:+:$0}; exec "$@"' "${adaptor:+$arm/$adaptor}" \
        "$qemu" -L "$arm" -E LIBGL_DRIVERS_PATH="$arm/usr/lib/aarch64-linux-gnu/dri" "$(program "$arm" "$program")" "$@" \
        <&3 >"$log" 2>&1 || echo "exit code $?" >>"$log"
    timeout 600 "$build/qpusim-device" --frame-clock --frame-limit $count --frames "$folder/frames/$name/llvmpipe" -- \
        env GBM_ALWAYS_SOFTWARE=1 LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe GALLIUM_OVERRIDE_CPU_CAPS=sse4.1 \
        __EGL_VENDOR_LIBRARY_DIRS="$amd/usr/share/glvnd/egl_vendor.d" LIBGL_DRIVERS_PATH="$amd_lib/dri" \
        sh -c 'LD_PRELOAD=$LD_PRELOAD${0:+:$0}; exec "$@"' "${adaptor:+$amd/$adaptor}" \
        "$amd/lib64/ld-linux-x86-64.so.2" --library-path "$amd_lib" "$(program "$amd" "$program")" "$@" <&3 >"$log.reference" 2>&1 || true
    compared=$((compared + 1))
    "$build/compare_frames" "$name" "$folder/frames/$name/vc4" "$folder/frames/$name/llvmpipe" || failed=$((failed + 1))
    if grep -E 'fails:|exit code|SUBMIT_CL:|lenient:' "$log" | sort | uniq -c | sort -rn | head -3; then
        :
    fi
}

glmark2() {
    name=glmark2-$(echo "$1" | sed 's/[:=.,;]/-/g; s/--*/-/g')
    draw "$name" glmark2-es2-drm --winsys-options drm-device=/dev/dri/card0 --data-path "$amd/usr/share/glmark2" -b "$1:duration=1"
}

echo "| program | frames | > 3/255 (%) | > 24/255 (%) | most | |"
echo "|---|---|---|---|---|---|"
# shellcheck source=scenes.sh
. "$here/scenes.sh"
scenes=$all_scenes
[ -z "$short" ] || scenes=$few_scenes
for scene in $scenes; do glmark2 "$scene"; done
draw smoke smoke
if [ -z "$short" ]; then
    draw kmscube kmscube
    if command -v Xvfb >/dev/null; then
        display=:$((7000 + $$ % 1000))
        Xvfb "$display" -screen 0 640x480x24 >"$folder/xvfb.log" 2>&1 &
        server=$!
        trap 'kill $server' EXIT
        sleep 2
        export DISPLAY="$display"
        adaptor=ours/egl_x11.so
        draw es2gears es2gears_x11
    else
        echo "run.sh: Xvfb is absent (Debian: xvfb): no es2gears" >&2
    fi
fi
echo
echo "$compared programs, $failed differ or fail"
[ $failed -eq 0 ]
