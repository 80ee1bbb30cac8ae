#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/release, but for what it compiles: what it refuses, what lies in the archive, that the same commit gives the same
# bytes, and that SPDX's own validator takes the SBOM. INDIM_SPDX is the folder that has the validator.
set -euo pipefail

root=$(dirname "$(readlink -f WORKSPACE)")
work=$TEST_TMPDIR
export PYTHONPATH=${INDIM_SPDX:?ask for the test by its name, ./bazelw test //tests/packaging:release_test: it sets it up}
export HOME=$work GIT_CONFIG_NOSYSTEM=1

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# in_clone COMMAND...: git there, as somebody.
in_clone() { git -C "$work/clone" -c user.name=test -c user.email=test@example.com "$@"; }
# release FOLDER: what needs no compiler.
release() { "$work/clone/packaging/release" --output="$1" --only=source,sbom >"$work/log" 2>&1; }
# refused WORDS: the release says so.
refused() {
  release "$work/refused" && fail "released, and not: $1"
  grep -qF -e "$1" "$work/log" || { cat "$work/log"; fail "it doesn't say: $1"; }
}

# A clone with what the checkout has now, also where that isn't committed yet.
git -c safe.directory='*' clone -q --shared "$root" "$work/clone"
for path in packaging shape/types/version.cc CHANGELOG.md NOTICE bazelw; do
  rm -rf "${work:?}/clone/$path"
  cp -R "$root/$path" "$work/clone/$path"
done
find "$work/clone/packaging" -name __pycache__ -prune -exec rm -rf {} +
in_clone add -A
in_clone commit -q --allow-empty -m "As it is now"
version=$(sed -n 's/.*return "\(.*\)".*/\1/p' "$root/shape/types/version.cc")

echo >"$work/clone/new"
refused "?? new"
rm "$work/clone/new"
"$work/clone/packaging/release" --output="$work/refused" --only=sources >"$work/log" 2>&1 && fail "--only=sources is taken"
grep -q 'sources is none of source' "$work/log" || fail "it doesn't say which parts there are"

release "$work/one" || { cat "$work/log"; fail "release"; }
git clone -q "$work/clone" "$work/elsewhere"
TZ=Asia/Tokyo "$work/elsewhere/packaging/release" --output="$work/two" --only=source,sbom >"$work/log" 2>&1 || fail "elsewhere"
diff "$work/one/SHA256SUMS" "$work/two/SHA256SUMS" || fail "two releases of a commit differ"
(cd "$work/one" && sha256sum -c --quiet SHA256SUMS) || fail "the checksums"
[ "$(wc -l <"$work/one/SHA256SUMS")" = 3 ] || fail "$(cat "$work/one/SHA256SUMS")"

# The archive is the commit, and nothing else.
tar tzf "$work/one/indim-$version.tar.gz" | grep -v '/$' | sed "s,^indim-$version/,," | sort >"$work/packed"
in_clone ls-files | sort | diff - "$work/packed" || fail "the archive has other files"

# The text is how to have it and the changelog's section; the SBOM is SPDX's, and names what the lists name.
head -n 1 "$work/one/RELEASE.md" | grep -qx "# Indim $version" || fail "the title"
grep -qx "## What it can do" "$work/one/RELEASE.md" || fail "the section"
[ "$(grep -c '^# ' "$work/one/RELEASE.md")" = 1 ] || fail "more than the section"
grep -qx "    tar xzf indim-$version-linux-x86_64.tar.gz" "$work/one/RELEASE.md" || fail "how to have it"
sbom=$work/one/indim-$version.spdx.json
"${INDIM_XLA_PYTHON:-python3}" -c 'import sys; from spdx_tools.spdx.clitools.pyspdxtools import main; sys.exit(main())' -i "$sbom" ||
  fail "the SBOM"
for name in Abseil "Protocol Buffers" utf8_range libc++ libc++abi libunwind zig ziglang grpcio-tools jaxlib libprotobuf-dev bazel-bootstrap; do
  grep -q "\"name\": \"$name\"" "$sbom" || fail "the SBOM doesn't name $name"
done

# Another version than the tag's, a tag without a date, a version without a section, a folder of another release.
in_clone tag v99.0.0
refused "the commit has the tag v99.0.0"
in_clone tag -d v99.0.0 >/dev/null
sed -i "s/^## $version (.*)/## $version (soon)/" "$work/clone/CHANGELOG.md"
in_clone commit -q -a -m "No date"
in_clone tag "v$version"
refused 'CHANGELOG.md says "(soon)"'
sed -i "s/^## $version (.*)/## $version (2026-01-31)/" "$work/clone/CHANGELOG.md"
in_clone commit -q -a -m "A date"
in_clone tag -f "v$version" >/dev/null
release "$work/three" || { cat "$work/log"; fail "a release with a tag"; }
sed -i "s/^## $version /## 98.0.0 /" "$work/clone/CHANGELOG.md"
in_clone commit -q -a -m "No section"
refused "has no section \"## $version"
in_clone reset -q --hard HEAD~1
mkdir -p "$work/refused" && : >"$work/refused/indim_98"
refused "is no part of this release"
