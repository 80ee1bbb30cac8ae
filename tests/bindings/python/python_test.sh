#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the package's tests with the Python that ./bazelw names, on the library that Bazel builds.
set -euo pipefail
INDIM_LIBRARY=$PWD/packaging/install/libindim_c.so
export INDIM_LIBRARY
export PYTHONPATH=$PWD/bindings/python:$PWD/tests/bindings/python PYTHONDONTWRITEBYTECODE=1
for test in tests/bindings/python/*_test.py; do
  echo "== $test"
  "${INDIM_XLA_PYTHON:-python3}" -W error::ResourceWarning "$test"
done
