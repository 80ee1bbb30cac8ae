#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/xla/evaluator.py on each plugin: the results of every operation, of every element type, through `indim run` and
# `indim eval`.
set -uo pipefail
plugins=${INDIM_PJRT_PLUGINS:?ask for the test by its name, ./bazelw test //tests/run:evaluator_on_plugins_test: it sets them up}
failed=0
for plugin in ${plugins//:/ }; do
  echo "$plugin"
  "${INDIM_XLA_PYTHON:-python3}" -B tests/xla/evaluator.py --indim=tools/indim --plugin="$plugin" --every=25 || failed=1
done
exit "$failed"
