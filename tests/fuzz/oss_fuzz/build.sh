#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets as OSS-Fuzz wants them: $OUT/TARGET, with TARGET_seed_corpus.zip, TARGET.dict and TARGET.options
# beside it. The variables are OSS-Fuzz's; docs/fuzzing.md has a line that sets them for a machine of one's own.
set -euo pipefail
cd "$SRC/indim"
build=${WORK:-/tmp}/indim-oss-fuzz

# The system's Abseil and Protobuf are built with libstdc++. They come along: where the targets run there are none.
export CXXFLAGS=${CXXFLAGS//-stdlib=libc++/}
if [[ $CXXFLAGS == *fuzzer-no-link* ]]; then
  CXXFLAGS+=" -fsanitize-coverage-ignorelist=$PWD/tests/fuzz/oss_fuzz/uncovered.txt"
fi
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Fuzzing -DINDIM_FUZZ=ON -DINDIM_COMMAND=OFF -DINDIM_INSTALL=OFF \
  -DLIB_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags \
  -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON -DCMAKE_INSTALL_RPATH='$ORIGIN/lib'
cmake --build "$build" --target indim_fuzz ${JOBS:+--parallel "$JOBS"}
mkdir -p "$OUT/lib"
ldd "$build/indim_fuzz" | sed -n 's#^.*lib\(absl\|proto\|z\.\).* => \(/[^ ]*\).*#\2#p' | xargs -r cp -t "$OUT/lib"

# Without a target it names them all.
targets=$(LD_LIBRARY_PATH="$OUT/lib" "$build/indim_fuzz" 2>&1 | sed -n 's/.*there are: //p' || true)
[ -n "$targets" ]
for target in $targets; do
  cp "$build/indim_fuzz" "$OUT/$target"
  cp tests/fuzz/words.dict "$OUT/$target.dict"
  printf '[libfuzzer]\ntimeout = 60\nrss_limit_mb = 4096\n' > "$OUT/$target.options"
  for kind in seeds found; do
    [ -d "tests/data/fuzz/$kind/$target" ] || continue
    zip -q -r -j "$OUT/${target}_seed_corpus.zip" "tests/data/fuzz/$kind/$target"
  done
done
