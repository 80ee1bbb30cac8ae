# Functions of CMakeLists.txt.

# Sources include headers as indim/FOLDER/NAME, wherever the checkout lies. This folder has a file of that name for each,
# which includes the header itself; that needs no links, which not every system has.
set(INDIM_INCLUDES "${CMAKE_CURRENT_BINARY_DIR}/include")
set(INDIM_ROOT "${CMAKE_CURRENT_SOURCE_DIR}")
# Where protoc writes.
set(INDIM_GENERATED "${CMAKE_CURRENT_BINARY_DIR}/generated")

# indim_headers(HEADER...): sources can include these from now on.
function(indim_headers)
  foreach(header IN LISTS ARGN)
    # Writes only what has changed, so that nothing is compiled again for it.
    file(CONFIGURE OUTPUT "${INDIM_INCLUDES}/indim/${header}" CONTENT "#include \"${INDIM_ROOT}/${header}\"\n" @ONLY)
  endforeach()
endfunction()

# Headers of others that most sources include. Compiled once, they halve the time of a build. None of ours: each source sees
# then also names that it doesn't include, and some mean something else there.
set(INDIM_COMMON_HEADERS
  <algorithm> <cstdint> <functional> <map> <memory> <optional> <string> <utility> <vector>
  <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <absl/container/inlined_vector.h>
  <absl/status/statusor.h> <absl/strings/match.h> <absl/strings/str_cat.h> <absl/strings/str_format.h>
  <absl/strings/str_join.h> <absl/strings/str_replace.h> <absl/strings/str_split.h> <absl/types/span.h>)

# indim_options(TARGET [HEADER...]): how everything of ours is compiled. A library also has its headers of others
# precompiled: the common ones and those named here.
function(indim_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  get_target_property(type ${target} TYPE)
  if(INDIM_PRECOMPILED_HEADERS AND NOT type STREQUAL "EXECUTABLE")
    target_precompile_headers(${target} PRIVATE ${INDIM_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

# indim_protos(TARGET PROTO...): the target has the classes that protoc makes, #include "indim/proto/hlo.pb.h". protoc sees
# copies in folder indim/proto: under that path the schema is registered in a process.
function(indim_protos target)
  set(copies "${CMAKE_CURRENT_BINARY_DIR}/protos")
  set(made "${INDIM_GENERATED}")
  set(protos)
  set(outputs)
  foreach(proto IN LISTS ARGN)
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

# indim_test(NAME SOURCE... [ARGS PATTERN...]): a test, run at the root of the checkout with the files that match.
function(indim_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "ARGS")
  string(REPLACE "/" "_" target "${name}")
  add_executable(${target} ${test_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} PRIVATE indim_testing)
  indim_options(${target})
  if(INDIM_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM indim_testing)
    if(UNIX)
      # As a library's code is compiled: precompiled headers are of no use to any other.
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
  endif()
  set(files)
  if(test_ARGS)
    file(GLOB files RELATIVE "${INDIM_ROOT}" ${test_ARGS})
  endif()
  add_test(NAME ${name} COMMAND ${target} ${files} WORKING_DIRECTORY "${INDIM_ROOT}")
endfunction()
