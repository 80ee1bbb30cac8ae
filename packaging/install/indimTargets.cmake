# SPDX-License-Identifier: Apache-2.0
# What `bazel run //:install` installs: indim::indim, the shared library, and indim::static, the archive. (A CMake build
# writes a file of its own with this name.)
include("${CMAKE_CURRENT_LIST_DIR}/absl.cmake")
get_filename_component(_indim_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET indim::indim)
  add_library(indim::indim SHARED IMPORTED)
  set_target_properties(indim::indim PROPERTIES
    IMPORTED_LOCATION "${_indim_prefix}/lib/libindim.so.0"
    INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_INCLUDE_DIRECTORIES "${_indim_prefix}/include"
    INTERFACE_LINK_LIBRARIES "${INDIM_ABSL}")

  add_library(indim::static STATIC IMPORTED)
  set_target_properties(indim::static PROPERTIES
    IMPORTED_LOCATION "${_indim_prefix}/lib/libindim.a"
    INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_INCLUDE_DIRECTORIES "${_indim_prefix}/include"
    INTERFACE_LINK_LIBRARIES "${INDIM_ABSL};protobuf::libprotobuf;Threads::Threads")
endif()

unset(INDIM_ABSL)
unset(_indim_prefix)
