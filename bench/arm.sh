#!/bin/sh
# What a compile costs on the Pi's own processors, in instructions: bench_times under qemu-user, whose plugin counts them.
#
#     bench/arm.sh SYSROOTS dev-pairs.jsonl [--only PREFIX] [--build FOLDER] [armhf arm64]
#
# SYSROOTS as for tools/pi.sh, FOLDER (build-arm) takes a build for each. A line for each architecture: pairs, millions of
# instructions a pair for glslang, our front end and all of a compile; the medians of all and of the compiler by glslang; the
# median of a first compile. Needs g++-arm-linux-gnueabihf, g++-aarch64-linux-gnu and qemu-user. Exit code 77: not here.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$here/tools/cross.sh"
sysroots=${1:?usage: arm.sh SYSROOTS dev-pairs.jsonl [--only PREFIX] [--build FOLDER] [armhf arm64]}
pairs=${2:?usage: arm.sh SYSROOTS dev-pairs.jsonl [--only PREFIX] [--build FOLDER] [armhf arm64]}
shift 2
folder=build-arm only=
while [ $# -gt 0 ]; do
    case $1 in
    --only) only=$2 && shift 2 ;;
    --build) folder=$2 && shift 2 ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || set -- armhf arm64
mkdir -p "$sysroots" "$folder"
sysroots=$(CDPATH='' cd -- "$sysroots" && pwd)
folder=$(CDPATH='' cd -- "$folder" && pwd)

# the plugin runs in the emulator, so it's this computer's
${CC:-cc} -O2 -shared -fPIC -o "$folder/count_plugin.so" "$here/bench/count_plugin.c"

median() { # EXPRESSION, of the lines of bench_times
    awk -F '\t' "{ print $1 }" "$build.times" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
for arch in "$@"; do
    cross_target "$arch" || exit 77
    qemu=qemu-$processor
    command -v "$qemu" >/dev/null || exit 77
    cross_build "$arch" "$sysroots" "$folder" bench_times
    QPUCC_BENCH_COUNTER=$build.count $qemu -plugin "$folder/count_plugin.so,counter=$build.count" -L "/usr/$triplet" \
        -E LD_LIBRARY_PATH="$libraries" "$build/bench/bench_times" "$pairs" --only "$only" --rounds 1 >"$build.times"
    awk -F '\t' -v arch="$arch" '{ glslang += $2; front += $4; all += $5 } END {
        printf "%s: %d pairs, M instructions a pair: glslang %.2f, our front end %.2f, all %.2f", arch, NR, glslang / NR,
            front / NR, all / NR }' "$build.times"
    # shellcheck disable=SC2016
    printf '; medians: all / glslang %.2f, compiler / glslang %.2f, first compile %.1f M\n' "$(median '$5 / $2')" \
        "$(median '($5 - $4) / $2')" "$(median '$6')"
done
