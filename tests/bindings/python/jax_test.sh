#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs check_names.py, derivatives_beside_jax.py, jax_passes.py, then beside_jax.py with the Python that ./bazelw names, on the library that Bazel builds; with INDIM_ALL_CASES all its cases.
set -euo pipefail
INDIM_LIBRARY=$PWD/packaging/install/libindim_c.so
export INDIM_LIBRARY
jax=${INDIM_JAX:?ask for the test by its name, ./bazelw test //tests/bindings/python:jax_test: it sets jax up}
export PYTHONPATH=$PWD/bindings/python:$PWD/tests/bindings/python:$jax PYTHONDONTWRITEBYTECODE=1 JAX_PLATFORMS=cpu
"${INDIM_XLA_PYTHON:-python3}" tests/bindings/python/check_names.py
"${INDIM_XLA_PYTHON:-python3}" tests/bindings/python/derivatives_beside_jax.py
"${INDIM_XLA_PYTHON:-python3}" tests/bindings/python/jax_passes.py ${INDIM_ALL_CASES:+--edits=500 --compilations=1000}
exec "${INDIM_XLA_PYTHON:-python3}" tests/bindings/python/beside_jax.py ${INDIM_ALL_CASES:+--all}
