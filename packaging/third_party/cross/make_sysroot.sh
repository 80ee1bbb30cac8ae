#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Libraries of Debian 12 for another processor, unpacked into a folder: packaging/third_party/cross/make_sysroot.sh ARCH
# FOLDER, with Debian's name of the processor (arm64, s390x). Installs nothing and leaves apt's own state alone.
set -euo pipefail

arch=$1
folder=$2
list=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/packages.txt
[ -e "$folder/installed.txt" ] && [ "$(<"$folder/installed.txt")" = "$(<"$list")" ] && exit 0

rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
folder=$(cd "$folder" && pwd)
# No package counts as installed there.
touch "$folder/apt/status"
apt=(-q -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State="$folder/apt"
  -o Dir::State::lists="$folder/apt/lists" -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt"
  -o Dir::Cache::archives="$folder/apt/archives" -o APT::Sandbox::User=root -o APT::Default-Release=bookworm)
apt-get "${apt[@]}" update
mapfile -t packages < <(grep -v '^#' "$list")
(cd "$folder/apt/archives" && apt-get "${apt[@]}" download "${packages[@]/%/:$arch}")
for package in "$folder"/apt/archives/*.deb; do dpkg -x "$package" "$folder"; done
rm -r "$folder/apt"
cp "$list" "$folder/installed.txt"
