#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tarball of packaging/install/tarball.sh: its command and library need nothing but what every Linux system has, work in a root
# that holds nothing else, and know no path of the machine that made them.
#   INDIM_PORTABLE_BUILD   a build folder that is kept (default: a new one, and an hour)
set -euo pipefail

root=$(dirname "$(readlink -f WORKSPACE)")
work=$TEST_TMPDIR
source "$root/tests/packaging/install/page.sh"

build=${INDIM_PORTABLE_BUILD:-$work/build}
"$root/packaging/install/tarball.sh" "$work/one.tar.gz" "$build" >"$work/log" 2>&1 || { tail -n 50 "$work/log"; fail "tarball.sh"; }
"$root/packaging/install/tarball.sh" "$work/two.tar.gz" "$build" >"$work/log" 2>&1 || { tail -n 50 "$work/log"; fail "tarball.sh again"; }
cmp "$work/one.tar.gz" "$work/two.tar.gz" || fail "two tarballs differ"

# A root with the system's C library, and nothing else.
bare=$work/bare
mkdir -p "$bare/tmp" "$bare/lib64"
tar -C "$bare" -xzf "$work/one.tar.gz"
for file in bin/indim lib/libindim_c.so; do
  needed=$(objdump -p "$bare/indim/$file" | awk '/NEEDED/ {print $2}')
  others=$(grep -vE '^(libc|libm|libdl|libpthread|librt|ld-linux-x86-64)\.so' <<<"$needed") || true
  [ -z "$others" ] || fail "$file needs $others"
  grep -qaF "$root" "$bare/indim/$file" && fail "$file has the path of the checkout"
done
ldd "$bare/indim/bin/indim" | grep -o '/[^ ]*' | while read -r library; do
  install -D "$library" "$bare$library"
done
cp "$root"/tests/data/jax/*.pb "$bare/tmp"
chroot "$bare" /indim/bin/indim check --quiet /tmp || fail "check in a bare root"
chroot "$bare" /indim/bin/indim explain 'f32[4] + f32[1,2] {0}' >"$work/log" || fail "explain in a bare root"
grep -q 'f32\[4,2\]' "$work/log" || fail "explain printed $(cat "$work/log")"

# The page's commands: the first check, and a C++ program.
mkdir "$work/reader"
cp "$work/one.tar.gz" "$work/reader/indim-0.0.0-linux-x86_64.tar.gz"
touch "$work/reader/indim-0.0.0.tar.gz"  # the sources, beside it in a release
cd "$work/reader"
typed 15 "The tarball" 1 "s,FILE,$root/tests/data/jax/*.pb,"
expect_typed ': ok: '
typed_cpp

# A program in C uses its library and headers alone.
cd "$work"
gcc -std=c99 "$root/examples/c/affine.c" -I "$bare/indim/include" -L "$bare/indim/lib" -lindim_c -o affine || fail "cc"
LD_LIBRARY_PATH=$bare/indim/lib ./affine affine.pb >log || { cat log; fail "affine"; }
grep -q '11, 22' log || { cat log; fail "affine's result"; }
for page in share/man/man1/indim.1 share/bash-completion/completions/indim share/zsh/site-functions/_indim \
  share/doc/indim/c.md share/doc/indim/LICENSE share/doc/indim/licenses/LICENSE.{Abseil,Protocol_Buffers,utf8_range,libc++} include/indim.hpp; do
  [ -s "$bare/indim/$page" ] || fail "there is no $page"
done
# Its pages point to what lies beside them.
(cd "$bare/indim/share/doc/indim" && grep -oE '\]\([^)#]+' ./*.md | sed -E 's/^[^:]*:\]\(//' | grep -v '^[a-z]*:\| ' | sort -u |
  while read -r link; do [ -e "$link" ] || echo "$link"; done) >"$work/links"
[ -s "$work/links" ] && fail "the tarball's pages point to what isn't there: $(head -n 5 "$work/links")"
[ "$(stat -c %s "$work/one.tar.gz")" -lt 12000000 ] || fail "the tarball has $(stat -c %s "$work/one.tar.gz") bytes"
