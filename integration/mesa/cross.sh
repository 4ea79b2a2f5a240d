#!/bin/sh
# Mesa's vc4 driver with libqpucc inside for a Pi, by Debian's cross compilers.
#
#     integration/mesa/cross.sh arm64|armhf MESA FOLDER
#
# MESA is a tree that prepare.py has edited. FOLDER gets the libraries of that architecture (Debian's packages, unpacked, not
# installed), libqpucc_core, and the driver: FOLDER/mesa/src/gallium/targets/dri/libgallium_dri.so, which a Pi has as
# /usr/lib/*/dri/vc4_dri.so. Needs crossbuild-essential-ARCH, meson, ninja, bison, flex and python3-mako. Exit code 77: packages
# cannot be had.
set -eu
usage="usage: cross.sh arm64|armhf MESA FOLDER"
arch=${1:?$usage}
mesa=$(cd "${2:?$usage}" && pwd)
mkdir -p "${3:?$usage}"
folder=$(cd "$3" && pwd)
here=$(cd "$(dirname -- "$0")" && pwd)
case $arch in
arm64) triplet=aarch64-linux-gnu cpu=aarch64 ;;
armhf) triplet=arm-linux-gnueabihf cpu=arm ;;
*) echo "$usage" >&2; exit 2 ;;
esac
root=$folder/root

if [ ! -e "$root/complete" ]; then
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$root"
    : >"$folder/apt/status"
    apt="apt-get -q -o Dir::State::Lists=$folder/apt/lists -o Dir::Cache=$folder/apt/cache -o Dir::State::status=$folder/apt/status
        -o APT::Architecture=$arch -o APT::Architectures::=$arch -o APT::Install-Recommends=false -o Debug::NoLocking=true"
    # Other archives of this machine may not have that architecture: what counts is whether the packages come.
    $apt update >"$folder/apt/log" 2>&1 || true
    $apt install -y --download-only spirv-tools spirv-headers libdrm-dev libexpat1-dev zlib1g-dev >>"$folder/apt/log" 2>&1 ||
        { echo "cross.sh: the packages cannot be had: skipped" >&2; exit 77; }
    for package in "$folder"/apt/cache/archives/*.deb; do
        dpkg -x "$package" "$root"
    done
    for name in lib bin sbin; do # Debian's merged /usr
        [ -e "$root/$name" ] || ln -s "usr/$name" "$root/$name"
    done
    : >"$root/complete"
fi

cat >"$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $cpu)
set(CMAKE_C_COMPILER $triplet-gcc)
set(CMAKE_CXX_COMPILER $triplet-g++)
set(CMAKE_FIND_ROOT_PATH $root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_LIBRARY_ARCHITECTURE $triplet)
END
cmake -S "$here/../.." -B "$folder/qpucc" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DQPUCC_GLSL=OFF -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX="$root/usr" -DCMAKE_INSTALL_LIBDIR="lib/$triplet" >"$folder/qpucc.log"
ninja -C "$folder/qpucc" install >>"$folder/qpucc.log"

cat >"$folder/cross.ini" <<END
[binaries]
c = ['$triplet-gcc', '--sysroot=$root']
cpp = ['$triplet-g++', '--sysroot=$root']
ar = '$triplet-ar'
strip = '$triplet-strip'
pkgconfig = 'pkg-config'
[built-in options]
pkg_config_path = '$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig'
[properties]
sys_root = '$root'
pkg_config_libdir = '$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = '$cpu'
cpu = '$cpu'
endian = 'little'
END
[ -e "$folder/mesa/build.ninja" ] ||
    meson setup "$folder/mesa" "$mesa" --cross-file "$folder/cross.ini" -Dbuildtype=release -Dgallium-drivers=vc4 -Dvulkan-drivers= \
        -Dplatforms= -Dglvnd=false -Dglx=disabled -Degl=enabled -Dgbm=enabled -Dgles1=disabled -Dgles2=enabled -Dllvm=disabled \
        -Dzstd=disabled -Dvalgrind=disabled >"$folder/meson.log"
ninja -C "$folder/mesa" src/gallium/targets/dri/libgallium_dri.so src/egl/libEGL.so.1.0.0 src/mapi/es2api/libGLESv2.so.2.0.0
"$triplet-strip" -o "$folder/vc4_dri.so" "$folder/mesa/src/gallium/targets/dri/libgallium_dri.so"
ls -l "$folder/vc4_dri.so"
