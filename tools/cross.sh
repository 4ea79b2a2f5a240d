# shellcheck shell=sh disable=SC2034,SC2154
# For scripts that build for the Pi's own processors and run that under qemu-user: `. tools/cross.sh` with $here set, the
# checkout.

# cross_target ARCHITECTURE (armhf or arm64): sets triplet and processor, qemu's name for it. False: no compiler for it here.
cross_target() {
    triplet=arm-linux-gnueabihf processor=arm
    [ "$1" = armhf ] || triplet=aarch64-linux-gnu processor=aarch64
    command -v $triplet-g++ >/dev/null
}

# cross_build ARCHITECTURE SYSROOTS FOLDER TARGET...: a release build in FOLDER/ARCHITECTURE, with the libraries that SYSROOTS
# has or takes (tools/sysroots.sh). Sets build, and libraries: where they lie. What the tools say goes to files beside it.
cross_build() {
    arch=$1 sysroots=$2 build=$3/$1
    shift 3
    launcher=
    if command -v ccache >/dev/null; then
        launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
    fi
    [ -f "$sysroots/$arch/usr/include/ffi.h" ] || [ -f "$sysroots/$arch/usr/include/$triplet/ffi.h" ] ||
        "$here/tools/sysroots.sh" "$sysroots" "$arch" >"$build.sysroot" 2>&1
    # shellcheck disable=SC2086
    cmake -S "$here" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$here/cmake/pi.cmake" \
        -DPI_ARCHITECTURE="$arch" -DPI_SYSROOTS="$sysroots" -DQPUCC_PAGE=OFF -DQPUCC_SHARED= $launcher >"$build.cmake" 2>&1
    ninja -C "$build" "$@" >"$build.ninja" || {
        tail -30 "$build.ninja"
        return 1
    }
    libraries=$sysroots/$arch/lib/$triplet:$sysroots/$arch/usr/lib/$triplet
}
