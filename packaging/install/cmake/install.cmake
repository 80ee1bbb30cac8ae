# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` copies, laid out as `bazel run //:install` does.

# Headers, as they are when this is installed.
indim_listed(api packaging/api.bzl ",")
list(FILTER api INCLUDE REGEX "\\.h$")
install(CODE "set(ROOT \"${INDIM_ROOT}\")
set(MADE \"${INDIM_INCLUDES}/indim\")
set(TO \"${CMAKE_CURRENT_BINARY_DIR}/installed/indim\")
set(API \"indim.h;${api}\")")
install(SCRIPT packaging/install/cmake/api_headers.cmake)
install(DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/installed/indim" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

install(TARGETS indim EXPORT indimTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
set(packages "${CMAKE_INSTALL_LIBDIR}/cmake/indim")
install(EXPORT indimTargets NAMESPACE indim:: DESTINATION "${packages}")
install(FILES packaging/install/indimConfig.cmake DESTINATION "${packages}")
install(FILES LICENSE NOTICE CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

indim_install_packages(indim)

if(INDIM_COMMAND)
  # The command finds a shared library of the same installation.
  file(RELATIVE_PATH library "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${CMAKE_INSTALL_LIBDIR}")
  if(APPLE)
    set_target_properties(indim_command PROPERTIES INSTALL_RPATH "@loader_path/${library}")
  else()
    set_target_properties(indim_command PROPERTIES INSTALL_RPATH "$ORIGIN/${library}")
  endif()
  install(TARGETS indim_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
