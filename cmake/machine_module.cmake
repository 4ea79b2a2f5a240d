# The machine for the page: web/machine and what it needs of the modules as a WebAssembly module, by Debian's clang, lld,
# wasi-libc and libclang-rt-*-dev-wasm32 (tools/packages.sh). Defines MACHINE_MODULE, the module's file, or "" where a tool
# is missing: then the service draws, and reports have no picture.
set(MACHINE_MODULE "")
if(QPUCC_SANITIZE)
  message(STATUS "page: the service draws, the sanitizers do not look into a module")
  return()
endif()
find_program(WASM_CLANG clang)
find_program(WASM_LINKER NAMES wasm-ld)
if(NOT WASM_CLANG OR NOT WASM_LINKER)
  message(STATUS "page: the service draws, there is no clang or no wasm-ld")
  return()
endif()

set(wasm_folder ${CMAKE_BINARY_DIR}/web/machine)
file(MAKE_DIRECTORY ${wasm_folder})
# No two compilers may differ in a bit of a picture, so products and sums stay apart (the CMakeLists.txt of the top).
set(wasm_flags --target=wasm32-wasi -std=gnu11 -D_GNU_SOURCE -O3 -msimd128 -ftls-model=local-exec -ffp-contract=off
  -ffunction-sections -fdata-sections -Wall -Wextra -Wno-psabi -Wno-format-zero-length -I${CMAKE_SOURCE_DIR} -I${CMAKE_SOURCE_DIR}/include)
if(QPUCC_WERROR)
  list(APPEND wasm_flags -Werror)
endif()
# A module that runs when it is called, with a stack that a draw does not fill.
set(wasm_link --target=wasm32-wasi -mexec-model=reactor -Wl,--gc-sections -Wl,--strip-all -Wl,--stack-first -Wl,-z,stack-size=1048576)
file(WRITE ${wasm_folder}/try.c "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
  "__attribute__((export_name(\"f\"))) double f(double x) { return puts(\"\") + sin(x) + (double)(size_t)malloc(1); }\n")
execute_process(COMMAND ${WASM_CLANG} ${wasm_flags} ${wasm_link} ${wasm_folder}/try.c -o ${wasm_folder}/try.wasm
  RESULT_VARIABLE wasm_result OUTPUT_QUIET ERROR_QUIET)
if(NOT wasm_result EQUAL 0)
  message(STATUS "page: the service draws, ${WASM_CLANG} makes no WebAssembly (tools/packages.sh has the packages)")
  return()
endif()

# All of the machine but its threads, and what was made for the host's vector units.
include(${CMAKE_SOURCE_DIR}/cmake/rt_sources.cmake)
file(GLOB wasm_runtime CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/runtime/*.c ${CMAKE_SOURCE_DIR}/runtime/cl/*.c
  ${CMAKE_SOURCE_DIR}/runtime/front/*.c)
list(FILTER wasm_runtime EXCLUDE REGEX "/jobs\\.c$|_avx[0-9]+\\.c$")
set(wasm_sources ${rt_sources} ${wasm_runtime} ${CMAKE_SOURCE_DIR}/compiler/text.c)
foreach(file backend/isa/complete backend/isa/disassembler tools/inspect tools/machine tools/mesh tools/picture tools/render tools/scene
    tools/scene_defaults web/machine/absent web/machine/machine)
  list(APPEND wasm_sources ${CMAKE_SOURCE_DIR}/${file}.c)
endforeach()
list(REMOVE_DUPLICATES wasm_sources)
set(wasm_objects)
foreach(source ${wasm_sources})
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${source})
  string(REPLACE "/" "_" name ${name})
  set(object ${wasm_folder}/${name}.o)
  list(APPEND wasm_objects ${object})
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${WASM_CLANG} ${wasm_flags} -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building the page's ${name}" VERBATIM)
endforeach()
set(MACHINE_MODULE ${wasm_folder}/machine.wasm)
add_custom_command(OUTPUT ${MACHINE_MODULE}
  COMMAND ${WASM_CLANG} ${wasm_link} ${wasm_objects} -o ${MACHINE_MODULE} -lm
  DEPENDS ${wasm_objects} COMMENT "Linking the page's machine" VERBATIM)
