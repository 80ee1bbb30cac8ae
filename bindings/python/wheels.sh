#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs make_wheels.py of the checkout, with the Python that ./bazelw names.
set -euo pipefail
cd "${BUILD_WORKSPACE_DIRECTORY:?run it with ./bazelw run //bindings/python:wheels -- --output=FOLDER}"
exec "${INDIM_XLA_PYTHON:-python3}" bindings/python/make_wheels.py "$@"
