#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The programs of examples/ in C, C++, Go and Rust, with the shared library. A toolchain that isn't here is skipped and counted.
set -euo pipefail

library=$(readlink -f packaging/install/libindim_c.so)
folder=$(dirname "$library")
root=$(dirname "$(readlink -f WORKSPACE)")
work=$TEST_TMPDIR
export LD_LIBRARY_PATH=$folder HOME=${HOME:-$work}
skipped=0

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect PATTERN PROGRAM...: the program's output has the pattern, and it writes a module that is right.
expect() {
  local pattern=$1
  shift
  "$@" >"$work/out" 2>&1 || { cat "$work/out"; fail "$*"; }
  grep -qE "$pattern" "$work/out" || { cat "$work/out"; fail "$* didn't print $pattern"; }
  [ -s "$work/affine.pb" ] || fail "$1 wrote no module"
  rm "$work/affine.pb"
}

cc=(gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -I "$root/bindings/c/include")
"${cc[@]}" "$root/examples/c/affine.c" "$library" -o "$work/in_c"
expect 'IND0007' "$work/in_c" "$work/affine.pb"
expect '11, 22' "$work/in_c" "$work/affine.pb"

g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I "$root/bindings/c/include" "$root/examples/c/affine.cc" "$library" -o "$work/in_cpp"
expect 'IND0007' env -C "$work" "$work/in_cpp"
expect '11, 22' env -C "$work" "$work/in_cpp"

if command -v go >/dev/null; then
  cp -r "$root/examples/go" "$work/go"
  (cd "$work/go" && GOFLAGS=-mod=mod GOPROXY=off GOCACHE=$work/gocache CGO_CFLAGS="-I$root/bindings/c/include" \
    CGO_LDFLAGS="-L$folder -lindim_c" go build -o "$work/in_go" .) || fail "go build"
  expect 'add gives f32\[2,3\]' "$work/in_go" "$work/affine.pb"
  expect '\[11 0 13 0\]' "$work/in_go" "$work/affine.pb"
else
  skipped=$((skipped + 1))
fi

if command -v rustc >/dev/null && rustc --version >/dev/null 2>&1; then
  rustc --edition 2021 -L "$folder" -l indim_c "$root/examples/rust/main.rs" -o "$work/in_rust" || fail "rustc"
  expect 'add gives f32\[2,3\]' "$work/in_rust" "$work/affine.pb"
  expect '\[11\.0, 0\.0, 13\.0, 0\.0\]' "$work/in_rust" "$work/affine.pb"
else
  skipped=$((skipped + 1))
fi
for program in go/main.go rust/main.rs; do
  [ "$(wc -l <"$root/examples/$program")" -lt 300 ] || fail "$program has 300 lines or more"
done
echo "$skipped skipped"
