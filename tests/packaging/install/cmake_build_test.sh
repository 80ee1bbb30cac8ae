#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the checkout with CMake, once, by FetchContent of the project that docs/install.md shows; runs its tests and the command,
# installs it, and builds programs with what is installed. Needs cmake, ninja-build and pkg-config (./bazelw --setup
# //tests/packaging/install:cmake_build_test). It takes as long as all of the library takes to compile.
set -euo pipefail

# The checkout: where the link to WORKSPACE among this test's files ends.
root=$(dirname "$(readlink -f WORKSPACE)")
work=$TEST_TMPDIR
prefix=$work/prefix
softmax=$root/examples/consumer/softmax.cc
source "$root/tests/packaging/install/page.sh"

# Runs a command, whose output is shown if it fails.
quietly() {
  "$@" >"$work/log" 2>&1 || { tail -n 50 "$work/log"; fail "$*"; }
}

# The last line of what a program of the example prints.
expect_softmax() {
  local last
  last=$("$@" | tail -n 1) || fail "$1 failed"
  [[ $last == "softmax({0, 1, 2}) = {0.09003057"* ]] || fail "$1 printed $last"
}

# Alone it builds and installs the command, with an archive or a shared library.
for shared in OFF ON; do
  quietly cmake -S "$root" -B "$work/alone$shared" -G Ninja -DBUILD_SHARED_LIBS=$shared
  ninja -C "$work/alone$shared" -t query bin/indim >/dev/null || fail "no command"
done
# A folder is a unit; without units each source is an object.
object=CMakeFiles/indim.dir/ir/module.cc.o
ninja -C "$work/aloneON" -t query $object >/dev/null 2>&1 && fail "a source isn't compiled with its folder"
quietly cmake -S "$root" -B "$work/aloneON" -DINDIM_UNITY=OFF
ninja -C "$work/aloneON" -t query $object >/dev/null || fail "no source is compiled by itself"

# Every preset can be configured, and the page names it.
presets=$(sed -n '/buildPresets/q; s/.*"name": "\([a-z]*\)".*/\1/p' "$root/CMakePresets.json")
[ -n "$presets" ] || fail "CMakePresets.json has no presets"
for preset in $presets; do
  page_section CMake | grep -E "[ \`]$preset\b" >/dev/null || fail "docs/install.md doesn't name preset $preset"
  (cd "$root" && quietly cmake --preset $preset -B "$work/$preset")
done

mkdir "$work/subproject"
cp "$softmax" "$work/subproject"
page_block "CMake: a part of a project" 1 >"$work/subproject/CMakeLists.txt"
quietly cmake -S "$work/subproject" -B "$work/build" -G Ninja -DINDIM="$root" -DINDIM_COMMAND=ON -DINDIM_TESTS=ON \
  -DINDIM_INSTALL=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
quietly ninja -C "$work/build"
expect_softmax "$work/build/softmax"
(cd "$work/build/_deps/indim-build" && quietly ctest --output-on-failure -j2)

quietly cmake --install "$work/build" --prefix "$prefix"
"$prefix/bin/indim" check "$root"/tests/data/jax/*.pb >"$work/log" || { cat "$work/log"; fail "indim check"; }

mkdir "$work/installed"
cp "$softmax" "$root/tests/packaging/install/CMakeLists.txt" "$work/installed"
quietly cmake -S "$work/installed" -B "$work/installed/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
quietly ninja -C "$work/installed/build"
expect_softmax "$work/installed/build/by_shared"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -ra flags <<<"$(pkg-config --cflags indim)"
read -ra libs <<<"$(pkg-config --libs indim)"
g++ "${flags[@]}" "$softmax" -o "$work/by_pkg_config" "${libs[@]}"
expect_softmax "$work/by_pkg_config"
