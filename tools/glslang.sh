#!/bin/sh
# What scripts that build the front end without CMake have to know of the glslang that is installed, as frontend/CMakeLists.txt
# finds it out by the same program.
#
#     tools/glslang.sh sources      the front end's files in C++, from the root
#     tools/glslang.sh flags        how they are compiled: with glslang's own classes where they are those of 12.0 (parse.h)
#     tools/glslang.sh libraries    what is linked
set -eu
compiler= # a library of its own up to glslang 13
[ "$(c++ -print-file-name=libOGLCompiler.a)" = libOGLCompiler.a ] || compiler=-lOGLCompiler
libraries="-lglslang -lMachineIndependent -lGenericCodeGen -lOSDependent $compiler -lSPIRV
    -lglslang-default-resource-limits -lSPIRV-Tools-opt -lSPIRV-Tools -lpthread -lm"
parts() {
    # shellcheck disable=SC2086 # a list of words on purpose
    c++ -xc++ - -o /dev/null -xnone $libraries 2>/dev/null <<EOF
#include <glslang/build_info.h>
#if GLSLANG_VERSION_MAJOR != 12 || GLSLANG_VERSION_MINOR != 0
#error other classes
#endif
namespace glslang { class HlslScanContext { public: static void fillInKeywordMap(); }; }
int main() { glslang::HlslScanContext::fillInKeywordMap(); }
EOF
}
case ${1:-} in
sources)
    builtins=frontend/glsl/builtins.cpp
    parts || builtins=
    echo frontend/glsl/engine.cpp frontend/glsl/parse.cpp $builtins
    ;;
flags)
    flags="-std=c++17 -fno-rtti" # glslang has no type information
    ! parts || flags="$flags -DQPUCC_GLSLANG_PARTS -DENABLE_HLSL"
    echo "$flags"
    ;;
# shellcheck disable=SC2086 # on one line
libraries) echo $libraries ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
