#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a tarball that runs anywhere (packaging/install/portable.py): the command, libindim_c.so with its headers and what
# pkg-config and CMake read, the documents, the completions and the man page. They need the C library alone.
#
#   packaging/install/tarball.sh OUTPUT.tar.gz [BUILD-FOLDER [ARCH]]
#
# The library is the wheels', so that who has made these needn't build it again: BUILD-FOLDER is .cache/portable unless
# named. ARCH is x86_64 or aarch64, this machine's unless named; the command of this machine prints completions and man page.
# The same commit gives the same bytes, wherever the checkout and the build folder lie.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ $# -lt 1 ] || [ $# -gt 3 ]; then
  sed -n 's/^#   //p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
output=$(realpath -m "$1")
build=$(realpath -m "${2:-$root/.cache/portable}")

"$root/bazelw" --setup //bindings/python:wheels
packed=$(mktemp -d)
trap 'rm -rf "$packed"' EXIT
tree=$packed/indim
portable() { python3 -B "$root/packaging/install/portable.py" --build="$build" --licences="$tree/share/doc/indim/licenses" "$@"; }
here=$(portable --arch="$(uname -m)" indim_command)/bin/indim
command=$(portable --arch="${3:-$(uname -m)}" indim_command)
library=$(portable --arch="${3:-$(uname -m)}" indim_c)

install -D -m 755 "$command/bin/indim" "$tree/bin/indim"
cmake --install "$(dirname "$library")" --component indim_c --prefix "$tree" >/dev/null
mkdir -p "$tree/share/doc/indim/examples"
cp "$root"/examples/c/* "$tree/share/doc/indim/examples"
# Every page, with what pages show and point to; all lie in one folder here, and what is only among the sources is named there.
for page in "$root"/{LICENSE,NOTICE,docs/check.schema.json} "$root"/*.md "$root"/docs/*.md; do
  to=$tree/share/doc/indim/$(basename "$page")
  [ "$page" = "$root/docs/README.md" ] && to=$tree/share/doc/indim/pages.md
  install -m 644 "$page" "$to"
done
mkdir "$tree/share/doc/indim/pictures"
install -m 644 "$root"/docs/pictures/*.svg "$tree/share/doc/indim/pictures/"
sed -i -E -e 's#\]\(\.\./examples/c/#](examples/#g' -e 's#\]\(\.\./([A-Z]+\.md)#](\1#g' -e 's#\]\(docs/README\.md#](pages.md#g' \
  -e 's#\]\(docs/#](#g' -e 's#\[([^]]*)\]\((\.\./)+[^)]*\)#\1#g' "$tree"/share/doc/indim/*.md
install -D -m 644 /dev/stdin "$tree/share/man/man1/indim.1" < <("$here" man)
install -D -m 644 /dev/stdin "$tree/share/bash-completion/completions/indim" < <("$here" completion bash)
install -D -m 644 /dev/stdin "$tree/share/zsh/site-functions/_indim" < <("$here" completion zsh)

# Modes, owners, times and the order of files say nothing of who packed it.
chmod -R u=rwX,go=rX "$tree"
date=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
tar -C "$packed" --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner --format=gnu -cf - indim | gzip -9n >"$output"
echo "$output: $(stat -c %s "$output") bytes"
