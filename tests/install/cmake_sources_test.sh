#!/usr/bin/env bash
# install/cmake/sources.cmake names the files that the BUILD files name, and the check of that notices a difference.
set -euo pipefail

# The checkout: where the link to WORKSPACE among this test's files ends.
root=$(dirname "$(readlink -f WORKSPACE)")
copy=$TEST_TMPDIR/copy

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

"$root/install/cmake/make_sources.py" --check || fail "sources.cmake differs from the BUILD files"

# In a copy of the files that the check reads, a BUILD file changes.
mkdir "$copy"
(cd "$root" && find . -name '.?*' -prune -o -type f \( -name BUILD -o -name '*.bzl' -o -name '*.h' -o -name '*.def' -o -path './install/cmake/*' \) -print0 |
  xargs -0 cp --parents -t "$copy")
"$copy/install/cmake/make_sources.py" --check || fail "the copy differs"
sed -i 's/"checked_math.cc"/"renamed.cc"/' "$copy/shape/dims/BUILD"
"$copy/install/cmake/make_sources.py" --check 2>"$TEST_TMPDIR/said" && fail "a renamed source goes unnoticed"
grep -q "isn't up to date" "$TEST_TMPDIR/said" || fail "it said $(cat "$TEST_TMPDIR/said")"
"$copy/install/cmake/make_sources.py"
grep -q 'shape/dims/renamed.cc' "$copy/install/cmake/sources.cmake" || fail "the source isn't listed"
