# SPDX-License-Identifier: Apache-2.0
# What the tests of this folder share: commands and files as docs/install.md has them. $root is the checkout, $work a folder.

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# page_section HEADING: what stands below a heading.
page_section() { awk -v heading="## $1" '/^## / { inside = $0 == heading } inside' "$root/docs/install.md"; }

# page_block HEADING NUMBER: what stands in the fenced block of that number there.
page_block() {
  page_section "$1" | awk -v number="$2" '
    /^```/ { fenced = !fenced; count += fenced; next }
    fenced && count == number { print; found = 1 }
    END { exit !found }
  ' || fail "docs/install.md has no block $2 below '$1'"
}

# typed SECONDS HEADING NUMBER [SED-SCRIPT]: types the commands of a block, with what the reader puts in changed. What they
# print is in $work/typed.
typed() {
  local started=$SECONDS commands
  commands=$(page_block "$2" "$3" | sed -e "${4:-}")
  bash -euo pipefail -c "$commands" >"$work/typed" 2>&1 || { tail -n 50 "$work/typed"; fail "$commands"; }
  echo "$2, block $3: $((SECONDS - started)) s"
  [ $((SECONDS - started)) -le "$1" ] || fail "more than $1 s: $commands"
}

# expect_typed TEXT: the last block printed that.
expect_typed() { grep -qF -e "$1" "$work/typed" || { cat "$work/typed"; fail "no '$1' in what was printed"; }; }

# typed_cpp: the page's two ways from examples/c/affine.cc to its result, with the C interface in $PWD/indim.
typed_cpp() {
  local block
  for block in 2 3; do
    typed 60 "The tarball" $block
    expect_typed 'IND0007'
    expect_typed '{ { 11, 22 }, { 13, 24 } }'
    [ -s affine.pb ] || fail "block $block wrote no module"
    rm affine.pb
  done
}
