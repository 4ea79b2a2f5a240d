# Tests of frontend/glsl and frontend/essl100.
find_package(SPIRV-Tools CONFIG REQUIRED)

add_executable(glsl_suite glsl_suite.c glsl_json.c)
target_link_libraries(glsl_suite PRIVATE qpufe_glsl SPIRV-Tools-static)
set_target_properties(glsl_suite PROPERTIES LINKER_LANGUAGE CXX)
add_test(NAME glsl_suite
  COMMAND glsl_suite --verbose --exceptions ${CMAKE_CURRENT_SOURCE_DIR}/glsl_exceptions.txt)
set_tests_properties(glsl_suite PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "QPUCC_SHARED=${QPUCC_SHARED}")

qpucc_unit_test(glsl_test SOURCES glsl_test.c LIBS qpufe_glsl)
qpucc_unit_test(glsl_preprocess SOURCES preprocess_test.c LIBS qpufe_glsl)
set_target_properties(glsl_test glsl_preprocess PROPERTIES LINKER_LANGUAGE CXX)

qpucc_unit_test(glsl_qualifiers SOURCES qualifiers_test.c LIBS qpufe_glsl)
set_target_properties(glsl_qualifiers PROPERTIES LINKER_LANGUAGE CXX)

qpucc_unit_test(glsl_fuzz SOURCES glsl_fuzz.c LIBS qpufe_glsl)
set_target_properties(glsl_fuzz PROPERTIES LINKER_LANGUAGE CXX)

add_executable(parse_test parse_test.cpp)
target_link_libraries(parse_test PRIVATE qpufe_glsl)
set_source_files_properties(parse_test.cpp PROPERTIES COMPILE_OPTIONS -fno-rtti)
add_test(NAME glsl_parse COMMAND parse_test)

# Pairs that are compiled and drawn.
add_library(frontend_execute STATIC execute.c)
target_link_libraries(frontend_execute PUBLIC qputools_scene)
add_executable(names_test names_test.c)
target_link_libraries(names_test PRIVATE frontend_execute)
set_target_properties(names_test PROPERTIES LINKER_LANGUAGE CXX)
add_test(NAME glsl_names COMMAND names_test)
qpucc_unit_test(glsl_statements SOURCES statements_test.c LIBS frontend_execute)
qpucc_unit_test(glsl_link SOURCES link_test.c LIBS frontend_execute)
set_target_properties(glsl_link PROPERTIES LINKER_LANGUAGE CXX)

qpucc_unit_test(glsl_functions SOURCES functions_test.c LIBS qpufe_glsl)
set_target_properties(glsl_functions PROPERTIES LINKER_LANGUAGE CXX)
qpucc_unit_test(glsl_code_text SOURCES code_text_test.c LIBS qpucc_core)
set_target_properties(glsl_code_text PROPERTIES LINKER_LANGUAGE CXX)

add_executable(verdicts_test verdicts_test.c verdict.c)
target_link_libraries(verdicts_test PRIVATE qpufe_glsl)
set_target_properties(verdicts_test PROPERTIES LINKER_LANGUAGE CXX)
add_test(NAME glsl_verdicts COMMAND verdicts_test ${CMAKE_CURRENT_SOURCE_DIR}/verdicts.txt)

# The specifications' rules, and the page that is made of them.
add_executable(rules_test rules_test.c verdict.c)
target_link_libraries(rules_test PRIVATE qpufe_glsl)
set_target_properties(rules_test PROPERTIES LINKER_LANGUAGE CXX)
add_test(NAME glsl_rules COMMAND rules_test ${CMAKE_CURRENT_SOURCE_DIR}/rules.txt ${CMAKE_SOURCE_DIR})
add_test(NAME rules_page COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/rules_page.sh ${CMAKE_SOURCE_DIR})
set_tests_properties(rules_page PROPERTIES LABELS quick)
add_custom_target(update_rules COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/rules_page.sh --update ${CMAKE_SOURCE_DIR} VERBATIM)

add_executable(mistakes_test mistakes_test.c)
target_link_libraries(mistakes_test PRIVATE qpufe_glsl)
set_target_properties(mistakes_test PROPERTIES LINKER_LANGUAGE CXX)
add_test(NAME glsl_mistakes COMMAND mistakes_test ${CMAKE_CURRENT_SOURCE_DIR}/mistakes.txt)
add_test(NAME glsl_warnings COMMAND mistakes_test ${CMAKE_CURRENT_SOURCE_DIR}/warnings.txt)
