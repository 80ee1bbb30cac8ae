# SPDX-License-Identifier: Apache-2.0
# Functions of CMakeLists.txt.

# Sources include headers as indim/FOLDER/NAME, wherever the checkout lies. This folder has a file of that name for each,
# which includes the header itself; that needs no links, which not every system has.
set(INDIM_INCLUDES "${CMAKE_CURRENT_BINARY_DIR}/include")
set(INDIM_ROOT "${CMAKE_CURRENT_SOURCE_DIR}")
# Where protoc writes.
set(INDIM_GENERATED "${CMAKE_CURRENT_BINARY_DIR}/generated")

# indim_dependencies(): Abseil, Protobuf and threads, which a project that brings them itself has as targets already.
macro(indim_dependencies)
  if(NOT TARGET absl::strings)
    find_package(absl QUIET)
  endif()
  if(NOT TARGET protobuf::libprotobuf)
    # Protobuf's own package knows which parts of Abseil it needs; older ones have none.
    find_package(Protobuf CONFIG QUIET)
    if(NOT Protobuf_FOUND)
      find_package(Protobuf MODULE QUIET)
    endif()
  endif()
  set(missing)
  if(NOT TARGET absl::strings)
    list(APPEND missing "Abseil (20220623 or later)")
  endif()
  if(NOT TARGET protobuf::libprotobuf)
    list(APPEND missing "Protobuf (3.21 or later)")
  endif()
  if(NOT INDIM_PROTOC AND NOT TARGET protobuf::protoc)
    list(APPEND missing protoc)
  endif()
  if(missing)
    string(REPLACE ";" ", " missing "${missing}")
    # CMake breaks no line that begins with a blank.
    message(FATAL_ERROR "Indim needs what CMake doesn't find here: ${missing}. Debian 12 has it:
  apt-get install --no-install-recommends g++ libabsl-dev libprotobuf-dev protobuf-compiler
Elsewhere CMAKE_PREFIX_PATH names the folder in which it is installed.")
  endif()
  find_package(Threads REQUIRED)
endmacro()

# indim_listed(RESULT FILE BEHIND): what stands in quotes at the start of the lines of a list or table of Bazel's, each word
# followed by BEHIND.
function(indim_listed result file behind)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${INDIM_ROOT}/${file}")
  file(READ "${INDIM_ROOT}/${file}" text)
  string(REGEX MATCHALL "\n    \"[^\"]+\"${behind}" words "${text}")
  list(TRANSFORM words REPLACE "^[^\"]*\"([^\"]+)\".*$" "\\1")
  set(${result} "${words}" PARENT_SCOPE)
endfunction()

# indim_headers(FOLDER...): sources can include the headers of these folders from now on.
function(indim_headers)
  foreach(folder IN LISTS ARGN)
    file(GLOB headers RELATIVE "${INDIM_ROOT}" CONFIGURE_DEPENDS "${INDIM_ROOT}/${folder}/*.h" "${INDIM_ROOT}/${folder}/*.def")
    foreach(header IN LISTS headers)
      # Writes only what has changed, so that nothing is compiled again for it.
      file(CONFIGURE OUTPUT "${INDIM_INCLUDES}/indim/${header}" CONTENT "#include \"${INDIM_ROOT}/${header}\"\n" @ONLY)
    endforeach()
  endforeach()
endfunction()

# indim_units(FOLDER SOURCE...): these sources of the folder are compiled as one unit, and more than 25 as several: most of
# what a compiler reads for a source are headers, which the other sources of its folder include too.
function(indim_units folder)
  set(sources "${ARGN}")
  # Headers of Windows define macros that are other things' names in the rest of a folder.
  list(FILTER sources EXCLUDE REGEX "_windows\\.cc$")
  list(LENGTH sources count)
  math(EXPR units "(${count} + 24) / 25")
  string(REPLACE "/" "_" name "${folder}")
  set(before 0)
  foreach(source IN LISTS sources)
    math(EXPR unit "${before} * ${units} / ${count} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${name}_${unit}")
    math(EXPR before "${before} + 1")
  endforeach()
endfunction()

# indim_sources(RESULT FOLDER...): what a library is made of: the sources of folders but for tests and files with main. Their
# headers can be included from now on.
function(indim_sources result)
  set(all)
  foreach(folder IN LISTS ARGN)
    file(GLOB sources CONFIGURE_DEPENDS "${INDIM_ROOT}/${folder}/*.cc")
    list(FILTER sources EXCLUDE REGEX "_(main|test)\\.cc$")
    indim_units("${folder}" ${sources})
    list(APPEND all ${sources})
  endforeach()
  indim_headers(${ARGN})
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# indim_options(TARGET): how everything of ours is compiled.
function(indim_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
    UNITY_BUILD ${INDIM_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()

# indim_precompiled(TARGET): what most of its units include is compiled once, which saves a fifth of their time. Without units each
# source shows that it includes what it uses.
function(indim_precompiled target)
  if(INDIM_UNITY)
    target_precompile_headers(${target} PRIVATE <algorithm> <cstdint> <limits> <memory> <optional> <string> <utility> <vector>
      <absl/algorithm/container.h> <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <absl/status/statusor.h>
      <absl/strings/str_cat.h> <absl/strings/str_join.h>)
  endif()
endfunction()

# indim_protos(TARGET): the target has the classes that protoc makes, #include "indim/proto/hlo.pb.h". protoc sees copies in
# folder indim/proto: under that path the schema is registered in a process.
function(indim_protos target)
  set(copies "${CMAKE_CURRENT_BINARY_DIR}/protos")
  set(made "${INDIM_GENERATED}")
  set(protos)
  set(outputs)
  file(GLOB sources RELATIVE "${INDIM_ROOT}" CONFIGURE_DEPENDS "${INDIM_ROOT}/proto/*.proto")
  foreach(proto IN LISTS sources)
    configure_file("${INDIM_ROOT}/${proto}" "${copies}/indim/${proto}" COPYONLY)
    list(APPEND protos "${copies}/indim/${proto}")
    string(REGEX REPLACE "\\.proto$" ".pb" output "${made}/indim/${proto}")
    list(APPEND outputs "${output}.cc" "${output}.h")
  endforeach()
  file(MAKE_DIRECTORY "${made}")
  set(protoc "${INDIM_PROTOC}")
  if(NOT protoc)
    set(protoc protobuf::protoc)
  endif()
  add_custom_command(OUTPUT ${outputs} DEPENDS ${protos} COMMAND ${protoc} "-I${copies}" "--cpp_out=${made}" ${protos})
  target_sources(${target} PRIVATE ${outputs})
  target_include_directories(${target} PRIVATE "${made}")
endfunction()

# indim_made(HEADER MAKER FILE...): sources can include indim/HEADER from now on, which the script MAKER prints of the files.
function(indim_made header maker)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  list(TRANSFORM ARGN PREPEND "${INDIM_ROOT}/" OUTPUT_VARIABLE sources)
  set(script "${INDIM_ROOT}/${maker}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${script}" ${sources})
  execute_process(COMMAND "${Python3_EXECUTABLE}" "${script}" ${sources} OUTPUT_VARIABLE made RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "${maker} failed")
  endif()
  file(CONFIGURE OUTPUT "${INDIM_INCLUDES}/indim/${header}" CONTENT "${made}" @ONLY)
endfunction()

# indim_test(NAME SOURCE...): a program of tests, run at the root of the checkout, where its data are.
function(indim_test name)
  string(REPLACE "/" "_" target "${name}_test")
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE indim_testing)
  indim_options(${target})
  add_test(NAME ${name} COMMAND ${target} WORKING_DIRECTORY "${INDIM_ROOT}")
endfunction()

# indim_tests(FOLDER...): the tests of these folders, one program for each folder. A test that counts allocations or sets the
# environment or limits of its process is a program of its own.
function(indim_tests)
  foreach(folder IN LISTS ARGN)
    file(GLOB sources CONFIGURE_DEPENDS "${INDIM_ROOT}/${folder}/*_test.cc")
    string(REGEX REPLACE "^tests/" "" name "${folder}")
    foreach(source IN LISTS sources)
      file(STRINGS "${source}" apart REGEX "allocation_counter\\.h|[^a-z_](setenv|setrlimit)\\(" LIMIT_COUNT 1)
      if(apart)
        get_filename_component(stem "${source}" NAME_WE)
        indim_test("${name}/${stem}" "${source}")
        list(REMOVE_ITEM sources "${source}")
      endif()
    endforeach()
    if(sources)
      indim_units("${folder}" ${sources})
      indim_test("${name}" ${sources})
    endif()
  endforeach()
endfunction()

# indim_install_packages(NAME WORD...): installs what tells pkg-config and CMake where library NAME is, and its version. The words
# are of install().
function(indim_install_packages name)
  configure_file(packaging/install/indimConfigVersion.cmake.in "${name}ConfigVersion.cmake" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}ConfigVersion.cmake"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/${name}" ${ARGN})
  # NAME.pc says prefix/lib and prefix/include, and finds the prefix from where it lies.
  configure_file(packaging/install/${name}.pc.in "${name}.pc" @ONLY)
  file(READ "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" text)
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" up "${up}")
  string(REPLACE "\${pcfiledir}/../.." "\${pcfiledir}/${up}" text "${text}")
  string(REPLACE "\${prefix}/lib" "\${prefix}/${CMAKE_INSTALL_LIBDIR}" text "${text}")
  string(REPLACE "\${prefix}/include" "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}" text "${text}")
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    # There is no shared library that has what is private linked with it.
    string(REGEX REPLACE "\nRequires\\.private:" "" text "${text}")
  endif()
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" "${text}")
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" ${ARGN})
endfunction()
