#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs beside_jaxlib.py with the Python that ./bazelw names, on the modules of tests/data/jax and all plugins.
set -euo pipefail
plugins=${INDIM_PJRT_PLUGINS:?ask for the test by its name, ./bazelw test //tests/run:beside_jaxlib_test: it sets them up}
exec "${INDIM_XLA_PYTHON:-python3}" -B tests/run/beside_jaxlib.py --indim=tools/indim --plugin="${plugins//:/,}" \
  --work="$TEST_TMPDIR" --limit=120 tests/data/jax
