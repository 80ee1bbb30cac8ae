#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The types of the C interface are those of bindings/c/indim.abi, which abidw wrote of an earlier library; only functions may be
# new. Any exit of abidiff but 0 fails: 4 and 8 are both changes that programs notice.
#
# After a deliberate addition:  bazel run //tests/bindings/c:abi_test -- --write   (with abigail-tools: ./bazelw --setup //tests/bindings/c:abi_test)
set -euo pipefail

library=$(readlink -f packaging/install/libindim_c.so)
root=$(dirname "$(readlink -f WORKSPACE)")
include=$root/bindings/c/include
baseline=$root/bindings/c/indim.abi
work=${TEST_TMPDIR:-$(mktemp -d)}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

write() {
  abidw --drop-private-types --exported-interfaces-only --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
    --headers-dir "$include" --out-file "$2" "$1"
  sed -i "s, path='$root/, path='," "$2"
}
compare() {
  abidiff --drop-private-types --no-added-syms --headers-dir2 "$include" "$baseline" "$1"
}

if [ "${1:-}" = --write ]; then
  write "$library" "$baseline"
  exit 0
fi

# Everything that the headers declare is there, and nothing else.
nm -D --defined-only "$library" | awk '{print $3}' | sort >"$work/shown"
sed 's,/\*.*\*/,,' "$include"/indim_c/*.h | grep -v '^ \*' | grep -oE '\bindim_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/declared"
diff "$work/declared" "$work/shown" || fail "the library shows other symbols than the headers declare"

compare "$library" || fail "the interface isn't what bindings/c/indim.abi says"

# A change would be found.
cat >"$work/other.c" <<'END'
#include <stdint.h>
int32_t indim_module_is_recorded(const void* module, int32_t more) { return module != 0 && more; }
END
gcc -g -shared -fPIC "$work/other.c" -o "$work/other.so"
compare "$work/other.so" >/dev/null && fail "another library is taken for this one"
exit 0
