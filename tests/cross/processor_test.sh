#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the library, the command and tests for another processor with Debian's cross compiler and Debian's libraries, and
# runs them under qemu-user: processor_test.sh ARCH TRIPLE. It asks the sample of all cases: emulated, the rules of broadcasting
# alone take half an hour otherwise.
set -euo pipefail
unset INDIM_ALL_CASES

arch=$1
triple=$2
# The checkout: where the link to WORKSPACE among this test's files ends.
root=$(dirname "$(readlink -f WORKSPACE)")
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

quietly "$root/packaging/third_party/cross/make_sysroot.sh" "$arch" "$work/sysroot"
quietly cmake -S "$root" -B "$work/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$root/packaging/third_party/cross/toolchain.cmake" \
  -DINDIM_TRIPLE="$triple" -DINDIM_SYSROOT="$work/sysroot" -DINDIM_TESTS=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
quietly ninja -C "$work/build"

(cd "$work/build" && ctest --output-on-failure -j"$(nproc)" --timeout 3600) >"$log" 2>&1 || {
  cat "$log"
  fail "tests"
}
grep -E '^100% tests passed' "$log" || fail "no test ran"

# The command reads, checks, prints and computes as it does here.
emulated() {
  local folders=$work/sysroot/usr/lib/$triple:$work/sysroot/lib/$triple
  "qemu-${triple%%-*}" -L "/usr/$triple" -E LD_LIBRARY_PATH="$folders" "$work/build/bin/indim" "$@"
}
cd "$root"
quietly emulated check tests/data/jax/*.pb
quietly emulated convert examples/recorded.pbtxt -o "$work/recorded.pb"
quietly emulated convert "$work/recorded.pb" -o "$work/recorded.hlo"
quietly emulated explain 'f32[4] + f32[1,2] {0}'
grep -q 'result f32\[4,2\]' "$log" || fail "explain printed $(cat "$log")"
