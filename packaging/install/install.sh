#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies Indim below a folder: bazel run -c opt //:install -- --prefix=FOLDER. A relative one is where Bazel was called.
# DESTDIR, when set, is put before it, for who makes packages.
set -euo pipefail

prefix=
for argument in "$@"; do
  case $argument in
    --prefix=?*) prefix=${argument#--prefix=} ;;
    *) prefix= && break ;;
  esac
done
if [ -z "$prefix" ]; then
  echo "usage: bazel run -c opt //:install -- --prefix=FOLDER" >&2
  exit 2
fi
case $prefix in /*) ;; *) prefix=${BUILD_WORKING_DIRECTORY:-$PWD}/$prefix ;; esac
to=${DESTDIR:-}$prefix

# Bazel starts this in its runfiles, a test elsewhere.
[ -e "{MANIFEST}" ] || cd "${RUNFILES_DIR:-$0.runfiles}/$(basename "${TEST_WORKSPACE:-indim}")"

count=0
while read -r mode from name; do
  install -D -m "$mode" "$from" "$to/$name"
  count=$((count + 1))
done <"{MANIFEST}"
while read -r name; do
  install -D -m 644 "{HEADERS}/$name" "$to/include/$name"
  count=$((count + 1))
done < <(cd "{HEADERS}" && find -L indim -type f | sort)
ln -sf libindim.so.0 "$to/lib/libindim.so"

echo "installed $count files below $to"
if [ "{MODE}" != opt ]; then
  echo "they are not optimised: bazel run -c opt //:install makes those" >&2
fi
