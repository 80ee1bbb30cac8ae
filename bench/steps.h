// SPDX-License-Identifier: Apache-2.0
// Times every step with a graph: record, write, read, check, print, parse.
// There is one Google Benchmark per step and graph, named "step/graph"; items
// are calls of the builder or instructions. Besides Google Benchmark's means,
// each reports the least time of a single run, as the peers' programs do.

#ifndef INDIM_BENCH_STEPS_H_
#define INDIM_BENCH_STEPS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "indim/bench/graphs.h"

namespace indim::bench {

// The number of ops of a recorded graph; and with --scale.
inline constexpr int64_t kOps = 100000;
inline constexpr int64_t kManyOps = 100 * kOps;

// The counters of the least time, in ns per item, and of the number of items.
inline constexpr char kLeastNs[] = "least_ns";
inline constexpr char kItems[] = "items";

// Registers "record/NAME/N"; "build+write/NAME/N": Build(), expand and write,
// as XLA's Build() and SerializeToString; "build+verify+write/NAME/N": also
// verifies before expanding.
void RegisterRecording(const Graph& graph, int64_t n);

// Registers the steps with a module's bytes: "import/NAME", "verify/NAME",
// "import+infer+verify/NAME", "serialize/NAME", "print-text/NAME",
// "parse-text/NAME"; and "protobuf-parse/NAME", libprotobuf's ParseFromString
// of the same bytes. The module must be correct.
void RegisterBytes(const std::string& name,
                   std::shared_ptr<const std::string> bytes);

// Registers these steps, and those of the command's other verbs
// ("edit-extract", "diff", "export", "to-stablehlo", ...), for the bytes of a
// recorded graph: "STEP/NAME/N".
void RegisterGrowth(const Graph& graph, int64_t n);

}  // namespace indim::bench

#endif  // INDIM_BENCH_STEPS_H_
