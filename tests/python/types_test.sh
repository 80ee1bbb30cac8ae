#!/usr/bin/env bash
# mypy finds nothing in the package. INDIM_MYPY is the folder that has it.
set -euo pipefail
export PYTHONPATH=${INDIM_MYPY:?ask for the test by its name, ./bazelw test //tests/python:types_test: it sets mypy up}
exec "${INDIM_XLA_PYTHON:-python3}" -m mypy --strict --python-version 3.10 --cache-dir="$TEST_TMPDIR/mypy" python/indim
