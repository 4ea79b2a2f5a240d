#!/bin/sh
# Static programs of the self-test, and Debian packages of them.
#
#     tools/selftest_static.sh FOLDER [--deb] [arm64 armhf native]
#
# makes FOLDER/qpucc-selftest-ARCH for each architecture (arm64 and armhf), and with --deb
# FOLDER/qpucc-selftest_VERSION_ARCH.deb. The program has the machine, the kernel's rules and the assembler; it needs
# no library on the Pi, nor here: only gcc-aarch64-linux-gnu, gcc-arm-linux-gnueabihf and libdrm-dev, whose headers
# are the same everywhere. "native" takes cc. Debian's armhf is ARMv7, so that program is for the Pi 2 and 3: on a Pi 1
# or Zero build it there, with "native". Exit code 77: there is no compiler.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
folder=${1:?usage: selftest_static.sh FOLDER [--deb] [arm64 armhf native]}
shift
deb=no
if [ "${1:-}" = --deb ]; then
    deb=yes
    shift
fi
[ $# -gt 0 ] || set -- arm64 armhf
mkdir -p "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)
version=$(sed -n 's/^#define QPUCC_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$here/include/qpucc/version.h" | paste -sd.)
drm=$(pkg-config --cflags libdrm)
cd "$here"
sources=$(ls runtime/*.c runtime/cl/*.c runtime/front/*.c runtime/drm/*.c backend/isa/*.c tools/selftest/*.c | grep -v '_avx')

# The options of the CMake files.
build() {
    work=$folder/objects-$1
    mkdir -p "$work"
    # shellcheck disable=SC2086 # words
    for source in $sources compiler/code_text.c tools/gpu.c; do
        printf '%s\0%s\0' "$work/$(echo "$source" | tr / _).o" "$source"
    done | xargs -0 -n 2 -P 2 sh -c 'case $2 in runtime/drm/* | tools/*) gnu=-D_GNU_SOURCE ;; *) gnu= ;; esac
        "$0" -std=gnu11 -O2 -ffp-contract=off -Wno-psabi $gnu -D_FILE_OFFSET_BITS=64 -I. -Iinclude '"$drm"' -c -o "$1" "$2"' \
        "$compiler"
    "$compiler" -static -s -o "$folder/qpucc-selftest-$1" "$work"/*.o -lm -pthread
    rm -r "$work"
    echo "$folder/qpucc-selftest-$1"
}

package() {
    root=$folder/package-$1
    rm -rf "$root"
    install -D -m 755 "$folder/qpucc-selftest-$1" "$root/usr/bin/qpucc-selftest"
    install -D -m 644 debian/copyright "$root/usr/share/doc/qpucc-selftest/copyright"
    install -D -m 644 docs/selftest.md "$root/usr/share/doc/qpucc-selftest/selftest.md"
    install -D -m 644 docs/qpucc-selftest.1 "$root/usr/share/man/man1/qpucc-selftest.1"
    gzip -9n "$root/usr/share/man/man1/qpucc-selftest.1"
    mkdir "$root/DEBIAN"
    # The description is debian/control's; a static program depends on nothing.
    awk -v version="$version" -v arch="$1" '
        /^Maintainer:/ { maintainer = $0 }
        /^Package: / { here = $2 == "qpucc-selftest" }
        here && /^Package: / { print; print "Version: " version; print "Architecture: " arch; print maintainer }
        here && /^Description:/ { text = 1 }
        here && text && !/^$/' debian/control >"$root/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$root" "$folder/qpucc-selftest_${version}_$1.deb" >/dev/null
    rm -r "$root"
    echo "$folder/qpucc-selftest_${version}_$1.deb"
}

for arch in "$@"; do
    case $arch in
    arm64) compiler=aarch64-linux-gnu-gcc ;;
    armhf) compiler=arm-linux-gnueabihf-gcc ;;
    native) compiler=${CC:-cc} ;;
    *) echo "selftest_static.sh: $arch?" >&2 && exit 1 ;;
    esac
    command -v "$compiler" >/dev/null || { echo "skipped: there is no $compiler" && exit 77; }
    build "$arch"
    if [ $deb = yes ] && [ "$arch" != native ]; then
        package "$arch"
    fi
done
