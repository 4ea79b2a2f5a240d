#!/bin/sh
# The unit tests and the examples' pictures on the Pi's own processors, under qemu-user.
#
#     tools/pi.sh SYSROOTS [--build FOLDER] [--program PROGRAM] [--tests REGEX] [armhf arm64]
#
# SYSROOTS takes, or has, the libraries of the other architectures (tools/sysroots.sh). FOLDER (build-pi) takes a build for
# each. Every Check program of the tests runs there (ctest's label unit), but for those labelled slow; and `qpucc run` draws
# the scenes of examples/, which have to come out byte for byte as this machine's PROGRAM (build/qpucc) draws them. Needs
# g++-arm-linux-gnueabihf and g++-aarch64-linux-gnu with qemu-user-static. Exit code: 0 all well, 1 something differs, 77
# nothing to run it with.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$here/tools/cross.sh"
sysroots=${1:?usage: pi.sh SYSROOTS [--build FOLDER] [--tests REGEX] [armhf arm64]}
shift
folder=build-pi tests=. program=$here/build/qpucc
while [ $# -gt 0 ]; do
    case $1 in
    --build) folder=$2 && shift 2 ;;
    --program) program=$2 && shift 2 ;;
    --tests) tests=$2 && shift 2 ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || set -- armhf arm64
mkdir -p "$sysroots" "$folder"
sysroots=$(CDPATH='' cd -- "$sysroots" && pwd)
folder=$(CDPATH='' cd -- "$folder" && pwd)
mkdir -p "$folder/pictures"
"$here/examples/render.sh" "$program" "$folder/pictures" >/dev/null

status=0
for arch in "$@"; do
    cross_target "$arch" || exit 77
    qemu=qemu-$processor-static
    command -v "$qemu" >/dev/null || exit 77
    cross_build "$arch" "$sysroots" "$folder" unit_tests qpucc
    env -u QPUCC_SHARED ctest --test-dir "$build" -j2 -L '^unit$' -LE slow -R "$tests" --timeout 1800 >"$build.tests" 2>&1 || {
        status=1
        sed -n '/tests FAILED/,$p' "$build.tests"
    }
    echo "$arch: $(grep 'tests passed' "$build.tests")"

    printf '#!/bin/sh\nexec %s -L /usr/%s -E LD_LIBRARY_PATH=%s %s/qpucc "$@"\n' $qemu $triplet "$libraries" "$build" >"$build/run"
    chmod +x "$build/run"
    mkdir -p "$build/pictures"
    "$here/examples/render.sh" "$build/run" "$build/pictures" >/dev/null
    same=0
    for picture in "$folder"/pictures/*.png; do
        if cmp -s "$picture" "$build/pictures/$(basename "$picture")"; then
            same=$((same + 1))
        else
            status=1
            echo "$arch: $(basename "$picture") is another picture"
        fi
    done
    echo "$arch: $same of $(find "$folder/pictures" -name "*.png" | wc -l) pictures as here"
done
exit $status
