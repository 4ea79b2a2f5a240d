# The libraries as they are installed: shared and static, with a pkg-config file and targets for find_package.
#
#   qpucc_library(NAME TARGET SUMMARY text HEADERS header... ROOMS target... [LINK target...] [NEEDS TARGET...])
#
# makes lib<TARGET>.so and lib<TARGET>.a of the rooms' objects, as targets <TARGET>_shared and <TARGET>_static, which
# users know as qpucc::<NAME> and qpucc::<NAME>_static, and a manual page lib<TARGET>(3) of the headers. LINK are libraries of others that the code calls, NEEDS other
# libraries of ours. Only functions that begin with qpucc_ or qpusim_ are visible, in the static library, too.
include(CMakePackageConfigHelpers)

# The flags that link `targets` and all that they link, in the linker's order, without what is ours.
function(qpucc_link_flags out)
  set(flags)
  foreach(target ${ARGN})
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" target "${target}")
    if(TARGET ${target})
      get_target_property(kind ${target} TYPE)
      get_target_property(imported ${target} IMPORTED)
      get_target_property(next ${target} INTERFACE_LINK_LIBRARIES)
      if(kind STREQUAL "INTERFACE_LIBRARY" OR NOT imported)
        set(own)
      else()
        get_target_property(path ${target} IMPORTED_LOCATION)
        if(NOT path)
          get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
          list(GET configurations 0 configuration)
          get_target_property(path ${target} IMPORTED_LOCATION_${configuration})
        endif()
        get_filename_component(file ${path} NAME)
        string(REGEX REPLACE "^lib(.*)\\.(a|so).*$" "-l\\1" own ${file})
      endif()
      if(next)
        qpucc_link_flags(rest ${next})
      else()
        set(rest)
      endif()
      list(APPEND flags ${own} ${rest})
    elseif(target MATCHES "^/.*/lib([^/]*)\\.(a|so)[.0-9]*$")
      list(APPEND flags -l${CMAKE_MATCH_1})
    elseif(target MATCHES "^-")
      list(APPEND flags ${target})
    elseif(NOT target STREQUAL "")
      list(APPEND flags -l${target})
    endif()
  endforeach()
  # A library follows all that need it: of several mentions the last one counts.
  list(REVERSE flags)
  list(REMOVE_DUPLICATES flags)
  list(REVERSE flags)
  set(${out} ${flags} PARENT_SCOPE)
endfunction()

function(qpucc_library name target)
  cmake_parse_arguments(L "" "SUMMARY" "HEADERS;ROOMS;LINK;NEEDS" ${ARGN})
  set(objects)
  foreach(room ${L_ROOMS})
    list(APPEND objects $<TARGET_OBJECTS:${room}>)
  endforeach()
  set(map ${CMAKE_SOURCE_DIR}/cmake/exports.map)
  set(needs ${L_NEEDS})
  list(TRANSFORM needs APPEND _shared)
  set(static_needs ${L_NEEDS})
  list(TRANSFORM static_needs APPEND _static)

  add_library(${target}_shared SHARED ${objects})
  target_link_libraries(${target}_shared PUBLIC ${needs} PRIVATE ${L_LINK})
  target_link_options(${target}_shared PRIVATE -Wl,--version-script=${map} -Wl,-z,defs)
  set_target_properties(${target}_shared PROPERTIES
    OUTPUT_NAME ${target}
    EXPORT_NAME ${name}
    LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
    LINK_DEPENDS ${map})
  if(QPUCC_SANITIZE) # the sanitizers' functions are the program's
    target_link_options(${target}_shared PRIVATE -Wl,-z,undefs)
  endif()

  # One object, whose names are its own but for the public functions: no name of ours can meet one of a driver's. The
  # names of C++ stay as they are; the linker merges equal ones.
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}_static.o)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER} ${flags} -r -nostdlib -o ${object} ${objects}
    COMMAND ${CMAKE_OBJCOPY} --wildcard --localize-symbol=* --localize-symbol=!qpucc_* --localize-symbol=!qpusim_*
      --localize-symbol=!_Z* --localize-symbol=!DW.* ${object}
    DEPENDS ${objects}
    COMMAND_EXPAND_LISTS VERBATIM)
  add_library(${target}_static STATIC ${object})
  add_dependencies(${target}_static ${L_ROOMS}) # make does not know the objects by their files
  qpucc_link_flags(link_flags ${L_LINK} stdc++ m)
  list(TRANSFORM link_flags REPLACE "^-l" "" OUTPUT_VARIABLE link_names)
  target_link_libraries(${target}_static INTERFACE ${static_needs} ${link_names})
  set_target_properties(${target}_static PROPERTIES
    OUTPUT_NAME ${target}
    EXPORT_NAME ${name}_static
    LINKER_LANGUAGE CXX
    ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  foreach(kind shared static)
    target_include_directories(${target}_${kind} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()

  install(TARGETS ${target}_shared ${target}_static EXPORT qpucc-${name}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT qpucc-${name} NAMESPACE qpucc:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/qpucc
    FILE qpucc-${name}-targets.cmake)

  # Paths begin at the file itself: right for whatever prefix it is installed to, and for copies of the folder.
  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
    set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  else()
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pc_prefix "\${pcfiledir}/${up}")
    set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
    set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  endif()
  set(pc_requires)
  foreach(need ${L_NEEDS})
    list(APPEND pc_requires "${need} = ${PROJECT_VERSION}")
  endforeach()
  list(JOIN pc_requires ", " pc_requires)
  list(JOIN link_flags " " pc_private)
  set(pc_name ${target})
  set(pc_summary "${L_SUMMARY}")
  configure_file(${CMAKE_SOURCE_DIR}/cmake/library.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${target}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

  # The manual page.
  set(headers ${L_HEADERS})
  list(TRANSFORM headers REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/include/qpucc/\\1.h")
  string(TOUPPER "lib${target}" title)
  set(page ${CMAKE_CURRENT_BINARY_DIR}/lib${target}.3)
  file(STRINGS ${CMAKE_SOURCE_DIR}/docs/qpucc.1 date LIMIT_COUNT 1) # .TH QPUCC 1 DATE ...
  string(REGEX REPLACE "^.TH QPUCC 1 ([0-9-]+) .*" "\\1" date "${date}")
  add_custom_command(OUTPUT ${page}
    COMMAND awk -v title=${title} -v name=lib${target} -v version=${PROJECT_VERSION} -v date=${date} -v "summary=${L_SUMMARY}"
      -f ${CMAKE_SOURCE_DIR}/tools/headers_man.awk ${headers} > ${page}
    DEPENDS ${headers} ${CMAKE_SOURCE_DIR}/tools/headers_man.awk ${CMAKE_SOURCE_DIR}/include/qpucc/version.h
    VERBATIM)
  add_custom_target(${target}_page ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
endfunction()

# What belongs to all libraries: headers and the CMake package.
function(qpucc_install_package)
  install(DIRECTORY include/qpucc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/qpucc)
  configure_package_config_file(cmake/qpucc-config.cmake.in qpucc-config.cmake INSTALL_DESTINATION ${folder}
    NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/qpucc-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/qpucc-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/qpucc-config-version.cmake
    DESTINATION ${folder})
endfunction()
