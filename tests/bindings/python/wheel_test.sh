#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the wheels and tries them: auditwheel takes them; fresh environments, without jax and with it, run the tests on the library
# inside; the library of 64-bit Arm is loaded and called under qemu-user.
#   INDIM_PORTABLE_BUILD   a build folder that is kept (default: a new one, and an hour)
set -euo pipefail

# The checkout: where the link to the script among this test's files ends.
root=$(dirname "$(dirname "$(dirname "$(readlink -f bindings/python/make_wheels.py)")")")
python=${INDIM_XLA_PYTHON:-python3}
work=$TEST_TMPDIR

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

"$python" "$root/bindings/python/make_wheels.py" --output="$work/dist" --build="${INDIM_PORTABLE_BUILD:-$work/build}"
python3 -m venv "$work/tools"
"$work/tools/bin/pip" install -q auditwheel==6.8.2
for wheel in "$work"/dist/*.whl; do
  size=$(stat -c %s "$wheel")
  ((size < 5000000)) || fail "$wheel has $size bytes"
  "$work/tools/bin/auditwheel" show "$wheel" | tee "$work/audit"
  grep -qE 'manylinux_2_(5|12|17|24|26|27)_' "$work/audit" || fail "auditwheel doesn't take $wheel"
  unzip -q -o "$wheel" indim/libindim_c.so -d "$work/library"
  readelf -W --dyn-syms "$work/library/indim/libindim_c.so" | awk '$5 == "GLOBAL" && $7 != "UND" {print $8}' >"$work/shown"
  grep -q '^indim_' "$work/shown" || fail "$wheel exports nothing"
  unzip -l "$wheel" >"$work/listed"
  for name in LICENSE NOTICE LICENSE.{Abseil,Protocol_Buffers,utf8_range,libc++}; do
    grep -q "/licenses/$name\$" "$work/listed" || fail "$wheel has no $name"
  done
  ! grep -v '^indim_' "$work/shown" || fail "$wheel exports these too"
done

# try VENV PACKAGE...: a fresh environment with the wheel and packages.
try() {
  python3 -m venv "$work/$1"
  "$work/$1/bin/pip" install -q "${@:2}" "$work"/dist/*_x86_64.whl
  (cd "$root/tests/bindings/python" && env -u INDIM_LIBRARY PYTHONDONTWRITEBYTECODE=1 "$work/$1/bin/python" "$script")
}
script=command_test.py try bare
script=module_test.py try numpy numpy ml_dtypes
script=with_jax.py try jax jax
"$work/bare/bin/indim" explain add >"$work/explained"
grep -q add "$work/explained" || fail "the command isn't installed"

(cd "$work" && unzip -q -o dist/*_aarch64.whl -d arm)
cat >"$work/arm.c" <<'C'
#include <indim.h>
#include <stdio.h>
int main(void) {
  indim_shape *x = NULL, *y = NULL, *result = NULL;
  const indim_shape* operands[2];
  if (indim_shape_parse("f32[2,1]", 8, &x) || indim_shape_parse("f32[2,3]", 8, &y)) return 1;
  operands[0] = x;
  operands[1] = y;
  if (indim_infer("add", 3, operands, 2, NULL, NULL, NULL, 0, &result, NULL)) return 2;
  puts(indim_shape_text(result, NULL));
  return 0;
}
C
aarch64-linux-gnu-gcc -I "$root/bindings/c/include" "$work/arm.c" "$work/arm/indim/libindim_c.so" -o "$work/arm_program"
said=$(qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$work/arm/indim" "$work/arm_program")
[ "$said" = "f32[2,3]" ] || fail "the library of 64-bit Arm said '$said'"
