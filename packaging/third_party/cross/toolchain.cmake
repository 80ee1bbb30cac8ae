# SPDX-License-Identifier: Apache-2.0
# For CMAKE_TOOLCHAIN_FILE: Debian's cross compiler for the processor that INDIM_TRIPLE names (aarch64-linux-gnu,
# s390x-linux-gnu), with the libraries that make_sysroot.sh unpacked into INDIM_SYSROOT. Tests run under qemu-user.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES INDIM_TRIPLE INDIM_SYSROOT)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR "${INDIM_TRIPLE}")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER "${INDIM_TRIPLE}-g++")
set(CMAKE_LIBRARY_ARCHITECTURE "${INDIM_TRIPLE}")

set(CMAKE_FIND_ROOT_PATH "${INDIM_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# What its shared libraries need in turn: the linker is told, and the emulator.
set(indim_folders "${INDIM_SYSROOT}/usr/lib/${INDIM_TRIPLE}:${INDIM_SYSROOT}/lib/${INDIM_TRIPLE}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${indim_folders}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,-rpath-link,${indim_folders}")
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${CMAKE_SYSTEM_PROCESSOR};-L;/usr/${INDIM_TRIPLE};-E;LD_LIBRARY_PATH=${indim_folders}")
