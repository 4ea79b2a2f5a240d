# Tests of frontend/spirv.
find_package(SPIRV-Tools CONFIG REQUIRED)
find_package(Threads REQUIRED)
find_package(glslang CONFIG REQUIRED)
add_library(spirv_test_module STATIC spirv_module.c)
target_link_libraries(spirv_test_module PUBLIC SPIRV-Tools-static glslang::glslang glslang::SPIRV
  glslang::glslang-default-resource-limits Threads::Threads)

function(spirv_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE spirv_test_module qpufe_spirv)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  add_test(NAME ${name} COMMAND ${name} ${CMAKE_CURRENT_SOURCE_DIR}/spirv_cases)
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "QPUCC_SHARED=${QPUCC_SHARED}")
endfunction()

spirv_test(spirv_cases spirv_cases.c)
# The interpreter belongs to the passes' tests; it computes with the machine's ALU.
if(TARGET qpupasses AND TARGET qpusim AND EXISTS ${CMAKE_SOURCE_DIR}/tests/passes/interp.c)
  target_sources(spirv_cases PRIVATE ${CMAKE_SOURCE_DIR}/tests/passes/interp.c)
  target_include_directories(spirv_cases PRIVATE ${CMAKE_SOURCE_DIR}/tests/passes)
  target_compile_definitions(spirv_cases PRIVATE HAVE_INTERP)
  target_compile_options(spirv_cases PRIVATE -Wno-psabi)
  target_link_libraries(spirv_cases PRIVATE qpupasses qpusim m)
endif()

spirv_test(spirv_fuzz spirv_fuzz.c)

if(TARGET qpufe_glsl)
  spirv_test(spirv_corpus spirv_corpus.c glsl_json.c)
  target_link_libraries(spirv_corpus PRIVATE qpufe_glsl)
endif()

qpucc_unit_test(spirv_limits SOURCES spirv_limits.c LIBS qpufe_spirv)
set_target_properties(spirv_limits PROPERTIES LINKER_LANGUAGE CXX)
