#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mypy finds nothing in the package, nor in a program that uses it. INDIM_MYPY is the folder that has it.
set -euo pipefail
export PYTHONPATH=${INDIM_MYPY:?ask for the test by its name, ./bazelw test //tests/bindings/python:types_test: it sets mypy up}
export MYPYPATH=python
mypy=("${INDIM_XLA_PYTHON:-python3}" -m mypy --strict --python-version 3.10 --cache-dir="$TEST_TMPDIR/mypy")
"${mypy[@]}" bindings/python/indim tests/bindings/python/typed_program.py

# What is wrong would be found.
echo 'import indim; x: int = indim.Builder("f").parameter("f32[2]")' >"$TEST_TMPDIR/wrong.py"
"${mypy[@]}" "$TEST_TMPDIR/wrong.py" && { echo "FAILED: mypy doesn't see the package's types" >&2; exit 1; }
exit 0
