#!/bin/sh
# The chains of libraries as options of the build: libqpucc_rt alone needs a C compiler and is built, installed and found;
# a build without GLSL needs no glslang and has no libqpucc.
#
#     chains.sh SOURCE
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }

cmake -S "$source" -B "$work/rt" -DQPUCC_CORE=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 >"$work/log" || fail "$(cat "$work/log")"
cmake --build "$work/rt" --parallel 2 >"$work/log" 2>&1 || fail "$(tail -20 "$work/log")"
# No header of an operating system.
foreign=$(find "$work/rt" -name '*.d' -exec grep -hoE '/(sys/mman|sys/stat|unistd|pthread|fcntl|dirent)\.h' {} + || true)
[ -z "$foreign" ] || fail "libqpucc_rt includes $foreign"
cmake --install "$work/rt" --prefix "$work/prefix" >/dev/null
mkdir "$work/user"
cat >"$work/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(qpucc REQUIRED COMPONENTS rt)
foreach(kind rt rt_static)
  add_executable(user_\${kind} $source/tests/package/parts_rt.c)
  target_link_libraries(user_\${kind} qpucc::\${kind})
endforeach()
END
cmake -S "$work/user" -B "$work/user/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/user/build" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
sed -i 's/COMPONENTS rt/COMPONENTS core/' "$work/user/CMakeLists.txt"
! cmake -S "$work/user" -B "$work/user/none" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null 2>&1 ||
    fail "a component that is not installed is found"

cmake -S "$source" -B "$work/core" -DQPUCC_GLSL=OFF -DCMAKE_DISABLE_FIND_PACKAGE_glslang=ON >"$work/log" 2>&1 || fail "$(cat "$work/log")"
cmake --build "$work/core" --target help >"$work/targets"
grep -q qpucc_core_shared "$work/targets" || fail "no libqpucc_core without GLSL"
! grep -qE '\bqpucc_shared' "$work/targets" || fail "libqpucc is built without GLSL"
