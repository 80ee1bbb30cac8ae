#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# C99, C11 and C++ compile each header of the C interface on its own, without a warning, and C++17 the one for C++.
set -euo pipefail

root=$(dirname "$(readlink -f WORKSPACE)")
include=$root/bindings/c/include
cd "$include"
flags=(-Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror -fsyntax-only -I "$include")
for header in indim.h indim_c/*.h; do
  for standard in c99 c11; do gcc -std=$standard "${flags[@]}" -x c "$header"; done
  for standard in c++11 c++17; do g++ -std=$standard "${flags[@]/-Wstrict-prototypes/-Wshadow}" -x c++ "$header"; done
done
g++ -std=c++17 "${flags[@]/-Wstrict-prototypes/-Wshadow}" -x c++ indim.hpp
gcc -std=c99 "${flags[@]}" "$root/examples/c/affine.c"

# What is no C of any standard is found.
echo 'int f(void) { return ({ 1; }); }' | gcc -std=c99 "${flags[@]}" -x c - 2>/dev/null && { echo "FAILED: nothing is refused" >&2; exit 1; }
exit 0
