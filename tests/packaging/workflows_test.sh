#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The workflows of .github are what GitHub understands: actionlint says so. It is built here, of the module that the line below
# names; 1.6.26 is the newest that Debian's Go compiles.
set -euo pipefail

root=$(dirname "$(readlink -f WORKSPACE)")
export GOPATH=$TEST_TMPDIR/go GOCACHE=$TEST_TMPDIR/cache GOFLAGS=-modcacherw
go=$(command -v go || echo /usr/bin/go)
"$go" install github.com/rhysd/actionlint/cmd/actionlint@v1.6.26
actionlint=("$GOPATH/bin/actionlint" -no-color -shellcheck= -pyflakes=)
"${actionlint[@]}" "$root"/.github/workflows/*.yml

# It finds something at all.
sed 's/runs-on:/runs-onn:/' "$root/.github/workflows/push.yml" >"$TEST_TMPDIR/wrong.yml"
if "${actionlint[@]}" "$TEST_TMPDIR/wrong.yml" >"$TEST_TMPDIR/log"; then
  echo "FAILED: actionlint takes a misspelt key" >&2
  exit 1
fi
# What they run is there.
for script in .ci/run .ci/thorough packaging/release; do
  [ -x "$root/$script" ] || { echo "FAILED: $script isn't a program" >&2; exit 1; }
  grep -q "$script" "$root"/.github/workflows/*.yml || { echo "FAILED: no workflow runs $script" >&2; exit 1; }
done
# A part of the night's that doesn't exist is none that passed.
status=0
"$root/.ci/thorough" --only=nothing >"$TEST_TMPDIR/log" 2>&1 || status=$?
[ "$status" = 2 ] && grep -q "no part 'nothing'; there are: tests single" "$TEST_TMPDIR/log" || {
  echo "FAILED: .ci/thorough --only=nothing" >&2
  cat "$TEST_TMPDIR/log" >&2
  exit 1
}
