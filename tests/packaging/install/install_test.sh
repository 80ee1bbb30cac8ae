#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs Indim into an empty folder and builds programs with what is there, and nothing else of ours: by pkg-config,
# shared and static, and by CMake. Needs cmake and pkg-config (./bazelw --setup //tests/packaging/install:install_test).
set -euo pipefail

runfiles=$PWD
work=$TEST_TMPDIR
prefix=$work/prefix
softmax=$runfiles/examples/consumer/softmax.cc

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# The last line of what a program of the example prints.
expect_softmax() {
  local last
  last=$("$@" | tail -n 1) || fail "$1 failed"
  [[ $last == "softmax({0, 1, 2}) = {0.09003057"* ]] || fail "$1 printed $last"
}

"$runfiles/packaging/install/install.sh" --prefix= >/dev/null 2>&1 && fail "an empty prefix is taken"
"$runfiles/packaging/install/install.sh" >/dev/null 2>&1 && fail "no prefix is taken"
RUNFILES_DIR=$TEST_SRCDIR "$runfiles/packaging/install/install.sh" --prefix="$prefix"
[ -z "$(find "$prefix" -name '*.pb.h')" ] || fail "generated headers are installed"

for file in share/man/man1/indim.1 share/bash-completion/completions/indim share/zsh/site-functions/_indim \
  share/doc/indim/check.md share/doc/indim/check.schema.json; do
  [ -s "$prefix/$file" ] || fail "$file isn't installed"
done
bash -c "source '$prefix/share/bash-completion/completions/indim' && complete -p indim >/dev/null" || fail "the completion"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
cd "$work"
read -ra flags <<<"$(pkg-config --cflags indim)"
read -ra libs <<<"$(pkg-config --libs indim)"
g++ "${flags[@]}" "$runfiles/examples/affine.cc" -o affine "${libs[@]}"
LD_LIBRARY_PATH=$prefix/lib ./affine || fail "affine"
"$prefix/bin/indim" check affine.pb || fail "what affine wrote doesn't verify"
g++ "${flags[@]}" "$softmax" -o by_shared "${libs[@]}"
LD_LIBRARY_PATH=$prefix/lib expect_softmax ./by_shared
read -ra libs <<<"$(pkg-config --libs --static indim)"
g++ "${flags[@]}" "$softmax" -o by_static "${libs[@]/-lindim/-l:libindim.a}"
expect_softmax ./by_static

# What is installed for programs is the API's list; what the list needs besides is internal, and no storage is.
sed -n '/^API_HEADERS/,/^]/s/^    "\(.*\)",/\1/p' "$runfiles/packaging/api.bzl" | cat - <(echo indim.h) | sort >listed
[ "$(wc -l <listed)" -gt 50 ] || fail "packaging/api.bzl isn't read"
(cd "$prefix/include/indim" && find . -path ./internal -prune -o -type f -print | sed 's,^\./,,' | sort) >installed
diff listed installed || fail "other headers are installed than packaging/api.bzl lists"
[ -z "$(find "$prefix/include/indim/internal" -path '*storage*')" ] || fail "storage headers are installed"

# Every header stands on its own, without the other sources of ours.
(cd "$prefix/include" && find indim -name '*.h' | sort | sed 's/.*/#include "&"/') >all.cc
g++ "${flags[@]}" -fsyntax-only all.cc || fail "the headers don't compile"

mkdir cmake && cp "$softmax" "$runfiles/tests/packaging/install/CMakeLists.txt" cmake
cmake -S cmake -B cmake/build -DCMAKE_PREFIX_PATH="$prefix" >cmake.log 2>&1 || { cat cmake.log; fail "cmake"; }
cmake --build cmake/build >cmake.log 2>&1 || { cat cmake.log; fail "cmake --build"; }
expect_softmax cmake/build/by_shared
expect_softmax cmake/build/by_static

# Nothing but Indim is visible in the shared library.
others=$(nm -DC --defined-only "$prefix/lib/libindim.so.0" | cut -c 20- |
  grep -vE '^(indim::|(typeinfo|typeinfo name|vtable) for indim::|absl::.*InlinedVector<(indim::Dim|long),)' | head) || true
[ -z "$others" ] || fail "the shared library shows $others"
