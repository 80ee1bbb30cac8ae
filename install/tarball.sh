#!/usr/bin/env bash
# Makes a tarball that runs anywhere: the command (it needs libc and libstdc++ alone), libindim_c.so with its headers, the
# documents, the completions and the man page. Abseil and Protobuf are compiled from their sources, which ./bazelw fetches.
#
#   install/tarball.sh OUTPUT.tar.gz [BUILD-FOLDER]
#
# The same commit and compiler give the same bytes, wherever the checkout and the build folder lie. The compiler is $CXX and
# $CC, or g++ and gcc.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  sed -n '5p' "${BASH_SOURCE[0]}" | cut -c 5- >&2
  exit 2
fi
output=$(realpath -m "$1")
build=${2:-}
if [ -z "$build" ]; then
  build=$(mktemp -d)
  trap 'rm -rf "$build"' EXIT
fi
mkdir -p "$build"
build=$(realpath "$build")
cross=$root/.cross
cxx=${CXX:-g++} cc=${CC:-gcc}

"$root/bazelw" --setup //tests/cross:gcc_test

# Its protoc is the one that fits the sources.
cat >"$build/protoc" <<END
#!/bin/sh
PYTHONPATH='$cross' exec '${INDIM_XLA_PYTHON:-$root/.venv/bin/python}' -m grpc_tools.protoc "\$@"
END
chmod +x "$build/protoc"

# No path of this machine stays in what is compiled.
flags="-ffile-prefix-map=$root=indim -ffile-prefix-map=$build=build -ffunction-sections -fdata-sections"
link="-Wl,--gc-sections -Wl,--build-id=none"
cmake -S "$root/third_party/cross" -B "$build/cmake" -G Ninja -DSOURCES="$cross/sources" -DINDIM_PROTOC="$build/protoc" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release -DINDIM_COMMAND=ON -DINDIM_C=ON \
  -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_EXE_LINKER_FLAGS="$link" -DCMAKE_SHARED_LINKER_FLAGS="$link"
ninja -C "$build/cmake" indim_command indim_c

tree=$build/tree/indim
rm -rf "$build/tree"
mkdir -p "$tree/bin" "$tree/lib" "$tree/include" "$tree/share/doc/indim"
install -s -m 755 "$build/cmake/indim/bin/indim" "$tree/bin/indim"
install -s -m 755 "$build/cmake/indim/lib/libindim_c.so" "$tree/lib/libindim_c.so"
cp -r "$root/capi/include/." "$tree/include"
for page in LICENSE NOTICE CHANGELOG.md docs/c.md docs/ci.md docs/json.md docs/check.md docs/check.schema.json docs/codes.md \
  docs/ops.md; do
  install -m 644 "$root/$page" "$tree/share/doc/indim/"
done
install -D -m 644 /dev/stdin "$tree/share/man/man1/indim.1" < <("$tree/bin/indim" man)
install -D -m 644 /dev/stdin "$tree/share/bash-completion/completions/indim" < <("$tree/bin/indim" completion bash)
install -D -m 644 /dev/stdin "$tree/share/zsh/site-functions/_indim" < <("$tree/bin/indim" completion zsh)

# Modes, owners, times and the order of files say nothing of who packed it.
chmod -R u=rwX,go=rX "$tree"
date=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
tar -C "$build/tree" --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner --format=gnu -cf - indim | gzip -9n >"$output"
echo "$output: $(stat -c %s "$output") bytes"
