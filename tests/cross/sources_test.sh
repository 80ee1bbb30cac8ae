#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the library with Abseil and Protobuf from their sources, which are newer than Debian's.
#   sources_test.sh COMPILER C_COMPILER    of this machine; the command is built too, and runs
#   sources_test.sh TARGET                 as zig names it; the library is compiled
set -euo pipefail

compiler=$1
c_compiler=${2:-}
# The checkout: where the link to WORKSPACE among this test's files ends.
root=$(dirname "$(readlink -f WORKSPACE)")
cross=$root/.cross
work=$TEST_TMPDIR
log=$work/log

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# Runs a command, whose output is shown if it fails.
quietly() {
  "$@" >"$log" 2>&1 || { tail -n 50 "$log"; fail "$*"; }
}

# script NAME COMMAND...: a program of one line.
script() {
  { echo '#!/bin/sh' && echo "exec ${*:2} \"\$@\""; } >"$work/$1"
  chmod +x "$work/$1"
}

configure=(cmake -S "$root/packaging/third_party/cross" -B "$work/build" -G Ninja -DSOURCES="$cross/sources"
  -DINDIM_PROTOC="$cross/bin/protoc" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0)
case $c_compiler in
  "")
    for tool in ar ranlib rc; do script "zig-$tool" "$cross/ziglang/zig" "$tool"; done
    script zig-cc "$cross/ziglang/zig" cc -target "$compiler"
    script zig-c++ "$cross/ziglang/zig" c++ -target "$compiler"
    export ZIG_GLOBAL_CACHE_DIR=$work/zig ZIG_LOCAL_CACHE_DIR=$work/zig
    case $compiler in *-macos) system=Darwin ;; *) system=Windows ;; esac
    quietly "${configure[@]}" -DCMAKE_SYSTEM_NAME=$system -DCMAKE_C_COMPILER="$work/zig-cc" -DCMAKE_CXX_COMPILER="$work/zig-c++" \
      -DCMAKE_AR="$work/zig-ar" -DCMAKE_RANLIB="$work/zig-ranlib" -DCMAKE_RC_COMPILER="$work/zig-rc" \
      -DCMAKE_INSTALL_NAME_TOOL=/bin/true -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
    quietly ninja -C "$work/build" indim
    ;;
  *)
    quietly "${configure[@]}" -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$compiler" -DINDIM_COMMAND=ON
    quietly ninja -C "$work/build" indim_command
    quietly "$work/build/indim/bin/indim" check "$root"/tests/data/jax/*.pb
    ;;
esac
