# SPDX-License-Identifier: Apache-2.0
# The C interface as component indim_c, for C and C++: `cmake --install build --component indim_c`. Alone it doesn't need the C++
# library, which only an Indim that is no part of another project installs.
set(words COMPONENT indim_c)
if(NOT INDIM_INSTALL)
  list(APPEND words EXCLUDE_FROM_ALL)
endif()
set_target_properties(indim_c PROPERTIES EXPORT_NAME c)
target_include_directories(indim_c INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
install(TARGETS indim_c EXPORT indim_cConfig
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" ${words}
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ${words}
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" ${words})
# find_package(indim_c), then target indim::c.
install(EXPORT indim_cConfig NAMESPACE indim:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/indim_c" ${words})
install(DIRECTORY bindings/c/include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" ${words})
indim_install_packages(indim_c ${words})
