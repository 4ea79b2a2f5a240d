#!/bin/sh
# What scripts that build the front end without CMake have to know of the glslang that is installed, as frontend/CMakeLists.txt
# finds it out.
#
#     tools/glslang.sh sources      the front end's files in C++, from the root
#     tools/glslang.sh flags        how they are compiled: with glslang's own classes where they are those of 12.0 (parse.h)
#     tools/glslang.sh libraries    what is linked
set -eu
folder=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
parts() {
    printf '#include <glslang/build_info.h>\nMAJOR GLSLANG_VERSION_MAJOR MINOR GLSLANG_VERSION_MINOR\n' | c++ -E -P -xc++ - |
        grep -q 'MAJOR 12 MINOR 0' && [ -f /usr/include/glslang/MachineIndependent/ParseHelper.h ]
}
case ${1:-} in
sources)
    for file in "$folder"/frontend/glsl/*.cpp; do
        [ "${file##*/}" = builtins.cpp ] && ! parts || echo "frontend/glsl/${file##*/}"
    done
    ;;
flags)
    flags="-std=c++17 -fno-rtti" # glslang has no type information
    ! parts || flags="$flags -DQPUCC_GLSLANG_PARTS -DENABLE_HLSL"
    echo "$flags"
    ;;
libraries)
    compiler= # a library of its own up to glslang 13
    [ "$(c++ -print-file-name=libOGLCompiler.a)" = libOGLCompiler.a ] || compiler=-lOGLCompiler
    echo "-lglslang -lMachineIndependent -lGenericCodeGen -lOSDependent $compiler -lSPIRV" \
        "-lglslang-default-resource-limits -lSPIRV-Tools-opt -lSPIRV-Tools -lpthread -lm"
    ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
