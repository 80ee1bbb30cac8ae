#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs releases.py with the Python that ./bazelw names, on the library that Bazel builds. It fetches the releases.
set -euo pipefail
INDIM_LIBRARY=$PWD/packaging/install/libindim_c.so
export INDIM_LIBRARY
jax=${INDIM_JAX:?ask for the test by its name, ./bazelw test //tests/bindings/python:releases_test: it sets jax up}
export PYTHONPATH=$PWD/bindings/python:$PWD/tests/bindings/python:$jax PYTHONDONTWRITEBYTECODE=1
exec "${INDIM_XLA_PYTHON:-python3}" tests/bindings/python/releases.py --folder="$TEST_TMPDIR"
