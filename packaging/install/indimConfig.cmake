# SPDX-License-Identifier: Apache-2.0
# indim::indim, the library, with all that it needs.
include(CMakeFindDependencyMacro)
find_dependency(absl)
find_dependency(Threads)
# The archive needs Protobuf. Its own package knows which parts of Abseil it needs; older ones have none.
if(NOT TARGET protobuf::libprotobuf)
  find_package(Protobuf CONFIG QUIET)
  if(NOT Protobuf_FOUND)
    find_dependency(Protobuf)
  endif()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/indimTargets.cmake")
