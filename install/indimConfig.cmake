# indim::indim, the shared library, and indim::static, with all that they need.
include(CMakeFindDependencyMacro)
find_dependency(absl)
find_dependency(Threads)
find_dependency(Protobuf)

get_filename_component(_indim_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

set(_indim_absl absl::base absl::cord absl::flat_hash_map absl::flat_hash_set absl::function_ref absl::hash
  absl::inlined_vector absl::int128 absl::span absl::status absl::statusor absl::str_format absl::strings)

if(NOT TARGET indim::indim)
  add_library(indim::indim SHARED IMPORTED)
  set_target_properties(indim::indim PROPERTIES
    IMPORTED_LOCATION "${_indim_prefix}/lib/libindim.so.0"
    INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_INCLUDE_DIRECTORIES "${_indim_prefix}/include"
    INTERFACE_LINK_LIBRARIES "${_indim_absl}")

  add_library(indim::static STATIC IMPORTED)
  set_target_properties(indim::static PROPERTIES
    IMPORTED_LOCATION "${_indim_prefix}/lib/libindim.a"
    INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_INCLUDE_DIRECTORIES "${_indim_prefix}/include"
    INTERFACE_LINK_LIBRARIES "${_indim_absl};protobuf::libprotobuf;Threads::Threads")
endif()

unset(_indim_absl)
unset(_indim_prefix)
