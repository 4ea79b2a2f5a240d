# The libraries as they are installed: shared and static, with a pkg-config file and targets for find_package.
#
#   qpucc_library(NAME TARGET SUMMARY text MODULES target... [HEADERS header...] [LINK target...] [NEEDS TARGET...]
#                 [OVERRIDES function...])
#
# makes lib<TARGET>.so and lib<TARGET>.a of the modules' objects, as targets <TARGET>_shared and <TARGET>_static, which
# users know as qpucc::<NAME> and qpucc::<NAME>_static, and a manual page lib<TARGET>(3) of the headers. LINK are
# libraries of others that the code calls, NEEDS other libraries of ours, all of them and those that need come first.
#
# A library shows the functions of its objects that begin with qpucc_ or qpusim_ (cmake/names.sh). So each function is in
# one library: where a library needs another one, it does not show what that one shows, though it may have a copy of the
# code behind it for itself. OVERRIDES are those that it shows all the same.
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
  cmake_parse_arguments(L "" "SUMMARY" "HEADERS;MODULES;LINK;NEEDS;OVERRIDES" ${ARGN})
  set(objects)
  set(runtime)
  set(language C)
  if(L_LINK MATCHES "SPIRV|glslang")
    set(language CXX)
  endif()
  foreach(module ${L_MODULES})
    list(APPEND objects $<TARGET_OBJECTS:${module}>)
  endforeach()
  set(needs ${L_NEEDS})
  list(TRANSFORM needs APPEND _shared)
  set(static_needs ${L_NEEDS})
  list(TRANSFORM static_needs APPEND _static)

  list(JOIN L_OVERRIDES " " shown)
  set(names ${CMAKE_BINARY_DIR}/lib/names/${target})
  set(map ${names}.map)
  set(needed ${L_NEEDS})
  list(TRANSFORM needed REPLACE "(.+)" "${CMAKE_BINARY_DIR}/lib/names/\\1.exports")
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib/names)
  add_custom_command(OUTPUT ${map} ${names}.exports ${names}.rename
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/names.sh ${CMAKE_NM} ${names} ${target} "shown: ${shown}" ${needed} -- ${objects}
    DEPENDS ${objects} ${needed} ${CMAKE_SOURCE_DIR}/cmake/names.sh
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${target}_names DEPENDS ${map})
  add_dependencies(${target}_names ${L_MODULES}) # make does not know the objects by their files
  foreach(need ${L_NEEDS})
    add_dependencies(${target}_names ${need}_names)
  endforeach()

  add_library(${target}_shared SHARED ${objects})
  # What is needed is named even where no symbol of it is: a program that opens the library gets all of the interface.
  target_link_libraries(${target}_shared INTERFACE ${needs}
    PRIVATE -Wl,--push-state,--no-as-needed ${needs} -Wl,--pop-state ${L_LINK} m)
  target_link_options(${target}_shared PRIVATE -Wl,--version-script=${map} -Wl,-z,defs -Wl,--gc-sections)
  set_target_properties(${target}_shared PROPERTIES
    OUTPUT_NAME ${target}
    EXPORT_NAME ${name}
    LINKER_LANGUAGE ${language}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
    LINK_DEPENDS ${map})
  if(QPUCC_SANITIZE) # the sanitizers' functions are the program's
    target_link_options(${target}_shared PRIVATE -Wl,-z,undefs)
  endif()

  # An object is a member, so a linker takes what is used. Names that are not public get the library's before them: none
  # can meet one of a driver's, or of another library of ours.
  add_library(${target}_static STATIC ${objects})
  add_custom_command(TARGET ${target}_static POST_BUILD
    COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${names}.rename $<TARGET_FILE:${target}_static> VERBATIM)
  foreach(kind shared static)
    add_dependencies(${target}_${kind} ${target}_names)
  endforeach()
  if(language STREQUAL CXX)
    set(runtime stdc++)
  endif()
  qpucc_link_flags(link_flags ${L_LINK} ${runtime} m)
  list(TRANSFORM link_flags REPLACE "^-l" "" OUTPUT_VARIABLE link_names)
  target_link_libraries(${target}_static INTERFACE ${static_needs} ${link_names})
  set_target_properties(${target}_static PROPERTIES
    OUTPUT_NAME ${target}
    EXPORT_NAME ${name}_static
    LINKER_LANGUAGE ${language}
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
  if(NOT L_HEADERS)
    return()
  endif()
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
  # The driver guide with the pages that it leads to, and the driver that it speaks of.
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/qpucc FILES_MATCHING PATTERN "*.md" PATTERN api EXCLUDE
    PATTERN pictures EXCLUDE PATTERN schemas EXCLUDE)
  install(DIRECTORY examples/driver DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/qpucc/examples)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/qpucc)
  configure_package_config_file(cmake/qpucc-config.cmake.in qpucc-config.cmake INSTALL_DESTINATION ${folder}
    NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/qpucc-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/qpucc-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/qpucc-config-version.cmake
    DESTINATION ${folder})
endfunction()
