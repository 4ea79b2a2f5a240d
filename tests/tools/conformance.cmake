# The conformance runner's own test, and the shared suites in full; with the sanitizers a third, of dEQP's of those cases for mediump
# in vertex shaders that are there for both stages, and all in one process: leaks are found there, and no case costs a fork with the
# sanitizers' memory. Cases that are alike follow each other, so a third has each kind.
add_test(NAME conformance_runner
  COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/conformance_test.sh $<TARGET_FILE:qpucc-conformance> ${CMAKE_CURRENT_SOURCE_DIR})
foreach(suite "deqp/cases" "webgl-glsl")
  string(REPLACE "/cases" "" name ${suite})
  set(filter)
  if(QPUCC_SANITIZE)
    set(filter --no-isolate --part 2/3)
  endif()
  if(name STREQUAL "deqp" AND QPUCC_SANITIZE)
    list(APPEND filter --filter "*mediump*_vertex")
  endif()
  add_test(NAME conformance_${name}
    COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/conformance_suite.sh $<TARGET_FILE:qpucc-conformance> ${suite}.jsonl
      --known ${CMAKE_SOURCE_DIR}/docs/conformance-known.txt --failures --reasons --rules ${filter})
  set_tests_properties(conformance_${name} PROPERTIES LABELS conformance SKIP_RETURN_CODE 77 TIMEOUT 3600
    ENVIRONMENT "QPUCC_SHARED=${QPUCC_SHARED}")
  if(NOT QPUCC_SANITIZE) # it uses all processors by itself
    set_tests_properties(conformance_${name} PROPERTIES RUN_SERIAL ON)
  endif()
endforeach()

# All of both suites pass under -ffast-math and -fprecise, too; here a part.
foreach(policy fast-math precise)
  add_test(NAME conformance_${policy}
    COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/conformance_suite.sh $<TARGET_FILE:qpucc-conformance> deqp/cases.jsonl
      --known ${CMAKE_SOURCE_DIR}/docs/conformance-known.txt --failures -f${policy} --filter "*texture_functions*")
  set_tests_properties(conformance_${policy} PROPERTIES LABELS conformance SKIP_RETURN_CODE 77
    ENVIRONMENT "QPUCC_SHARED=${QPUCC_SHARED}")
endforeach()

# The language, a feature a file: drawn and compared, under each policy as well.
add_test(NAME language
  COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/language.sh $<TARGET_FILE:qpucc-conformance> $<TARGET_FILE:qpucc>
    ${CMAKE_CURRENT_SOURCE_DIR} $<$<BOOL:${QPUCC_SANITIZE}>:--no-isolate>)
