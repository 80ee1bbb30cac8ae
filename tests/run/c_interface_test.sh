#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program in C and one in Python run modules on each plugin, through the C interface.
set -euo pipefail
plugins=${INDIM_PJRT_PLUGINS:?ask for the test by its name, ./bazelw test //tests/run:c_interface_test: it sets them up}
library=$PWD/packaging/install/libindim_c.so
export INDIM_LIBRARY=$library PYTHONPATH=$PWD/bindings/python:$PWD/tests/bindings/python PYTHONDONTWRITEBYTECODE=1

# The checkout: where the link to the program among this test's files ends.
root=$(dirname "$(dirname "$(dirname "$(readlink -f tests/run/c_interface.c)")")")
gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -I "$root/bindings/c/include" tests/run/c_interface.c "$library" -o "$TEST_TMPDIR/in_c"
IFS=:
for plugin in $plugins; do
  echo "== $plugin"
  LD_LIBRARY_PATH=$(dirname "$(readlink -f "$library")") "$TEST_TMPDIR/in_c" "$plugin"
  "${INDIM_XLA_PYTHON:-python3}" -W error::ResourceWarning tests/bindings/python/with_plugin.py "$plugin"
  "${INDIM_XLA_PYTHON:-python3}" tests/bindings/python/training_test.py "$plugin"
done
