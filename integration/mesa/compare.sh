#!/bin/sh
# Whole GL programs on Mesa's vc4 driver and the device in software, compiled by Mesa and by libqpucc: frames, cycles, and
# what compiling takes.
#
#     integration/mesa/compare.sh BUILD MESA FOLDER [--short] [--only TEXT] [--chart FILE.svg]
#
# BUILD has qpusim-device; MESA is the meson build of a tree that prepare.py has edited; FOLDER gets frames and logs. Programs
# are this machine's (Debian: glmark2-es2-drm, kmscube, libsdl2-tests), those that are absent are left out; smoke is ours. Each is
# run twice with libqpucc: as it is, for what compiling takes, and with VC4_QPUCC_WAIT, for code of level 2 from the second frame
# on. Mesa's shader cache is off, unless the environment has MESA_SHADER_CACHE_DISABLE=false. Prints a table (table.py). Exit code
# 1: a frame differs, a draw was refused or a must of docs/mesa.md does not hold; 77: no MESA, or no program.
set -eu
usage="usage: compare.sh BUILD MESA FOLDER [--short] [--only TEXT] [--chart FILE.svg]"
here=$(cd "$(dirname -- "$0")" && pwd)
build=$(cd "${1:?$usage}" && pwd)
[ -n "${2:-}" ] || { echo "compare.sh: no build of Mesa is given (cmake -DQPUCC_MESA=FOLDER): skipped" >&2; exit 77; }
mesa=$(cd "$2" && pwd)
mkdir -p "${3:?$usage}"
folder=$(cd "$3" && pwd)
shift 3
short="" only="" chart=""
while [ $# -gt 0 ]; do
    case $1 in
    --short) short=yes ;;
    --only) only=$2; shift ;;
    --chart) chart=$2; shift ;;
    *) echo "$usage" >&2; exit 2 ;;
    esac
    shift
done
frames=3
limit=1 # percent of a frame's pixels that may differ: compare_frames
: >"$folder/programs"
# Mesa installs its driver under the names of devices; here the one name that the device has is enough.
mkdir -p "$folder/driver"
ln -sf "$mesa/src/gallium/targets/dri/libgallium_dri.so" "$folder/driver/vc4_dri.so"
# A standard input on which nothing ever comes: kmscube ends at anything else.
rm -f "$folder/nothing" && mkfifo "$folder/nothing"
exec 3<>"$folder/nothing"

# usage: run NAME COMPILER FOLDER-OF-FRAMES PROGRAM ARGUMENTS...
run() {
    out=$folder/$1/$3 compiler=$2
    shift 3
    rm -rf "$out" && mkdir -p "$out"
    timeout 600 "$build/qpusim-device" --frame-clock --frame-limit $frames --frames "$out" --stats -- \
        env VC4_COMPILER="$compiler" VC4_QPUCC_STATS=1 MESA_SHADER_CACHE_DISABLE="${MESA_SHADER_CACHE_DISABLE:-true}" EGL_PLATFORM= \
        LD_LIBRARY_PATH="$mesa/src/egl:$mesa/src/gbm:$mesa/src/mapi/es2api:$mesa/src/mapi/shared-glapi" \
        LIBGL_DRIVERS_PATH="$folder/driver" GBM_BACKENDS_PATH="$mesa/src/gbm" "$@" <&3 >"$out/log" 2>&1 || echo "exit code $?" >>"$out/log"
}

# llvmpipe's frames: where the two compilers' differ, it tells which of them is right.
reference() {
    out=$folder/$1/llvmpipe name=$1
    shift
    rm -rf "$out" && mkdir -p "$out"
    timeout 600 "$build/qpusim-device" --frame-clock --frame-limit $frames --frames "$out" -- \
        env GBM_ALWAYS_SOFTWARE=1 LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe GALLIUM_OVERRIDE_CPU_CAPS=sse4.1 "$@" <&3 >"$out/log" 2>&1 || true
    if "$build/compare_frames" "$name" "$folder/$name/qpucc" "$out" >"$folder/$name/compared"; then
        echo "llvmpipe" >>"$folder/$name/compared"
    fi
}

# usage: draw NAME PROGRAM ARGUMENTS...
draw() {
    name=$1
    shift
    case $name in *"$only"*) ;; *) return 0 ;; esac
    command -v "$1" >/dev/null || { echo "compare.sh: $1 is absent: skipped" >&2; return 0; }
    run "$name" mesa mesa "$@"
    run "$name" qpucc first "$@"
    VC4_QPUCC_WAIT=1
    export VC4_QPUCC_WAIT
    run "$name" qpucc qpucc "$@"
    unset VC4_QPUCC_WAIT
    "$build/compare_frames" "$name" "$folder/$name/qpucc" "$folder/$name/mesa" $limit >"$folder/$name/compared" || reference "$name" "$@"
    echo "$name" >>"$folder/programs"
}

glmark2() {
    draw "glmark2-$(echo "$1" | sed 's/[:=.,;]/-/g; s/--*/-/g; s/-$//')" \
        glmark2-es2-drm --winsys-options drm-device=/dev/dri/card0 -b "$1:duration=1"
}

# shellcheck source=../scenes.sh
. "$here/../scenes.sh"
scenes=$all_scenes
[ -z "$short" ] || scenes=$few_scenes
for scene in $scenes; do glmark2 "$scene"; done
if [ -z "$short" ]; then
    draw kmscube kmscube
    export SDL_VIDEODRIVER=kmsdrm
    draw sdl-testgles2 /usr/libexec/installed-tests/SDL2/testgles2 --geometry 640x480
    # shellcheck disable=SC2046 # words
    if "${CC:-cc}" -std=gnu11 -O2 $(pkg-config --cflags libdrm 2>/dev/null) "$here/../smoke.c" "$here/../screen.c" -o "$folder/smoke.bin" \
        -lEGL -lGLESv2 -lgbm -ldrm -lm 2>"$folder/smoke.log"; then
        frames=100
        # Small cells whose edges lie on pixel centres: we round vertices to the nearest sixteenth of a pixel, Mesa's code cuts.
        limit=2
        draw smoke "$folder/smoke.bin"
    else
        echo "compare.sh: no headers of EGL, GLES, GBM and DRM: no smoke" >&2
    fi
fi
[ -s "$folder/programs" ] || { echo "compare.sh: none of the programs is here: skipped" >&2; exit 77; }
exec python3 "$here/table.py" "$folder" ${chart:+--chart "$chart"}
