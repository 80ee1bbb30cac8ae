# indim::indim, the library, with all that it needs.
include(CMakeFindDependencyMacro)
find_dependency(absl)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/indimTargets.cmake")
