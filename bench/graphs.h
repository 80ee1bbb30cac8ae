// SPDX-License-Identifier: Apache-2.0
// The graphs that //bench records, writes, reads and checks. The first four are
// those of the peers (peers/), op for op.

#ifndef INDIM_BENCH_GRAPHS_H_
#define INDIM_BENCH_GRAPHS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/ir/module.h"

namespace indim::bench {

// Records at least `n` ops and returns the number of calls of the builder,
// without parameters and constants. Sets *root to the root for Build().
using Recorder = int64_t (*)(ComputationBuilder* b, int64_t n, Op* root);

struct Graph {
  const char* name;
  Recorder record;
};

// "same": f32[8,16] + f32[8,16]; "indim": + f32[16] with {1}; "mixed": 60% same
// shape, 20% scalars, 10% InDim, 10% degenerate; "transformer": pre-LN blocks.
absl::Span<const Graph> PeerGraphs();

// Graphs in which linear time is easily lost: chains, ops of 100,000 operands
// ("fan-in"), tiny called computations, deep call nesting, wide tuples, no two
// shapes equal.
absl::Span<const Graph> HardGraphs();

// Records and builds; aborts on an error, which would be one of the benchmark.
Module Make(const Graph& graph, int64_t n, int64_t* ops = nullptr);

}  // namespace indim::bench

#endif  // INDIM_BENCH_GRAPHS_H_
