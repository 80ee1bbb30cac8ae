#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Model Explorer reads what `indim export` writes: the part of its package that a browser runs on a graph lays out each of ours.
set -euo pipefail
packages=${INDIM_MODEL_EXPLORER:?ask for the test by its name, ./bazelw test //tests/tools:model_explorer_test: it sets it up}
for module in tests/data/jax/*.hlo.pb; do
  json=$TEST_TMPDIR/$(basename "$module").json
  tools/indim export --model-explorer -o "$json" "$module"
  count=$(tools/indim stats --json "$module" | grep -o '"instructions":[0-9]*')
  node tests/tools/model_explorer.mjs "$packages"/model_explorer/web_app/worker-*.js "$json" "${count#*:}"
done
