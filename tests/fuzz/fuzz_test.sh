#!/usr/bin/env bash
# fuzz_test.sh FUZZ DICTIONARY TARGET RUNS: RUNS inputs of a target under libFuzzer, from its seeds and what was once
# found, with fixed random numbers. What fails is in the log, in hex or base64.
set -euo pipefail
fuzz=$1 dictionary=$2 target=$3 runs=$4

corpus=$TEST_TMPDIR/corpus
mkdir "$corpus"
folders=()
for kind in seeds found; do
  folder=tests/data/fuzz/$kind/$target
  if [ -d "$folder" ]; then folders+=("$folder"); fi
done
exec "$fuzz" --target="$target" -runs="$runs" -seed=1 -dict="$dictionary" -print_final_stats=1 -print_funcs=0 -timeout=60 \
  -artifact_prefix="$TEST_TMPDIR/" "$corpus" "${folders[@]}"
