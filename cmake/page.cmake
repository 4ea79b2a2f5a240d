# The page of `qpucc serve` and the report of `qpucc explain --html`: web/, bundled by esbuild into one C file.
# Defines the library qputools_page of that file, or of tools/web_absent.c where there is no npm, and PAGE_MODULES,
# the folder of npm's packages, which the tests of the page use too.
option(QPUCC_PAGE "Build the page and the report in" ON)
set(PAGE_MODULES "")
add_library(qputools_page STATIC ${CMAKE_SOURCE_DIR}/tools/web.c)
function(page_absent reason)
  message(STATUS "page: left out, ${reason}")
  target_sources(qputools_page PRIVATE ${CMAKE_SOURCE_DIR}/tools/web_absent.c)
endfunction()
if(NOT QPUCC_PAGE)
  page_absent("QPUCC_PAGE is off")
  return()
endif()

find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM npm)
if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
  page_absent("there is no npm")
  return()
endif()

# npm works on copies, so that the source folder stays clean. It runs again when the list of packages changed.
set(page_folder ${CMAKE_BINARY_DIR}/web)
file(MAKE_DIRECTORY ${page_folder})
set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/package-lock.json)
file(SHA256 ${CMAKE_SOURCE_DIR}/web/package-lock.json page_packages)
set(page_omit --omit=dev)
if(BUILD_TESTING)
  set(page_omit "")
endif()
string(APPEND page_packages " ${page_omit}")
set(page_installed "")
if(EXISTS ${page_folder}/installed)
  file(READ ${page_folder}/installed page_installed)
endif()
if(NOT page_installed STREQUAL page_packages)
  message(STATUS "page: npm ci")
  file(REMOVE ${page_folder}/installed)
  foreach(name package.json package-lock.json .npmrc)
    file(COPY ${CMAKE_SOURCE_DIR}/web/${name} DESTINATION ${page_folder})
  endforeach()
  execute_process(COMMAND ${NPM_PROGRAM} ci ${page_omit} --ignore-scripts --loglevel=error --prefer-offline --fetch-retries=1
    --fetch-retry-mintimeout=1000 --fetch-timeout=20000 WORKING_DIRECTORY ${page_folder}
    TIMEOUT 180 RESULT_VARIABLE page_result OUTPUT_VARIABLE page_output ERROR_VARIABLE page_output)
  if(NOT page_result EQUAL 0)
    page_absent("npm ci failed: the registry cannot be reached, or the list of packages is wrong")
    return()
  endif()
  file(WRITE ${page_folder}/installed "${page_packages}")
endif()

include(cmake/machine_module.cmake)
set(page_source ${page_folder}/web_files.c)
set(PAGE_MODULES ${page_folder}/node_modules)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/*)
file(GLOB page_examples CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.vert ${CMAKE_SOURCE_DIR}/examples/*.frag ${CMAKE_SOURCE_DIR}/examples/*.json)
add_custom_command(OUTPUT ${page_source}
  COMMAND ${NODE_PROGRAM} ${CMAKE_SOURCE_DIR}/web/build.mjs ${PAGE_MODULES} ${page_source} ${CMAKE_BINARY_DIR}/web/files ${MACHINE_MODULE}
  DEPENDS ${page_sources} ${page_examples} ${CMAKE_SOURCE_DIR}/web/build.mjs ${CMAKE_SOURCE_DIR}/serve/opcodes.def
    ${page_folder}/installed ${MACHINE_MODULE}
  COMMENT "Bundling the page")
target_sources(qputools_page PRIVATE ${page_source})
