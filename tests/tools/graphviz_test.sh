#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Graphviz draws what `indim dot` writes: a box for each node, without a word on standard error.
set -euo pipefail
command -v dot >/dev/null || { echo "ask for the test by its name, ./bazelw test //tests/tools:graphviz_test: it sets Graphviz up"; exit 1; }
drawn=0
for module in tests/data/jax/*.hlo.pb; do
  graph=$TEST_TMPDIR/$(basename "$module").dot
  tools/indim dot --quiet --max-nodes=300 "$module" >"$graph" || continue  # larger ones take a minute
  tools/indim dot --quiet "$module" -o "$graph.svg" 2>"$graph.err"
  if [ -s "$graph.err" ]; then cat "$graph.err"; exit 1; fi
  wanted=$(grep -c ' \[label=".*fillcolor=' "$graph")
  found=$(grep -c 'class="node"' "$graph.svg")
  [ "$wanted" = "$found" ] || { echo "$module: $found boxes for $wanted nodes"; exit 1; }
  drawn=$((drawn + 1))
done
[ "$drawn" -ge 20 ] || { echo "$drawn modules were drawn"; exit 1; }
