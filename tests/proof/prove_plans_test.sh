#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs prove_plans.py with the Python that ./bazelw names; INDIM_Z3 is the folder that has z3.
set -euo pipefail
export PYTHONPATH=${INDIM_Z3:?ask for the test by its name, ./bazelw test //tests/proof:prove_plans_test: it sets Z3 up}
exec "${INDIM_XLA_PYTHON:-python3}" tests/proof/prove_plans.py tests/proof/print_plans docs/proof.md
