#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pip's wheel of the checkout, in a fresh environment; the C interface of the same build, for programs of others; and what is said
# where Abseil is missing. Needs cmake, ninja-build and pkg-config (./bazelw --setup //tests/packaging/install:pip_test).
set -euo pipefail

# The checkout: where the link to WORKSPACE among this test's files ends.
root=$(dirname "$(readlink -f WORKSPACE)")
work=$TEST_TMPDIR
source "$root/tests/packaging/install/page.sh"

python3 -m venv "$work/venv"
export PYTHONDONTWRITEBYTECODE=1
wheel=("$work/venv/bin/pip" wheel "$root" --no-deps -w "$work/dist" --config-settings="build-dir=$work/compiled")

"${wheel[@]}" --config-settings=cmake.define.CMAKE_DISABLE_FIND_PACKAGE_absl=ON >"$work/log" 2>&1 && fail "a wheel without Abseil"
grep -q 'Abseil (20220623 or later)' "$work/log" || { cat "$work/log"; fail "Abseil isn't named"; }
grep -q 'apt-get install .* libabsl-dev .*protobuf-compiler' "$work/log" || { cat "$work/log"; fail "Debian's packages aren't named"; }
rm -rf "$work/compiled"

# At most four minutes of two cores.
TIMEFORMAT='%0U %0S'
spent=$({ time "${wheel[@]}" >"$work/log" 2>&1; } 2>&1) || { tail -n 50 "$work/log"; fail "pip wheel"; }
read -r user system <<<"$spent"
echo "pip wheel: $user s in programs, $system s in the system"
[ $((user + system)) -le 480 ] || fail "pip wheel took $spent s"
version=$(sed -n 's/.*return "\(.*\)".*/\1/p' "$root/shape/types/version.cc")
made=$work/dist/indim-$version-py3-none-linux_$(uname -m).whl
[ -e "$made" ] || fail "no $made among $(ls "$work/dist")"
cd "$work"
typed 60 "Python: pip" 1 "s,pip install \.,pip install --no-index $made,"
expect_typed 'result f32[4,2]'
export PATH=$work/.python/bin:$PATH
indim check "$root"/tests/data/jax/*.pb >/dev/null || fail "the command of the wheel"
(cd "$root/tests/bindings/python" && env -u INDIM_LIBRARY python command_test.py) || fail "command_test.py"
[ -z "$(pip show -f indim | grep -E '\.cmake|\.a$|\.h$')" ] || fail "the wheel has more than the package"

cmake --install "$work/compiled" --component indim_c --prefix "$work/indim" >"$work/log" || { cat "$work/log"; fail "cmake --install"; }
mkdir -p indim/share/doc/indim/examples
cp "$root"/examples/c/* indim/share/doc/indim/examples
typed_cpp
