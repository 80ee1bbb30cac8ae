// Every step of a graph's way, timed: record, write, read, check, print, parse.
// One Google Benchmark per step and graph, named "step/graph"; items are calls
// of the builder or instructions. Besides Google Benchmark's means, each
// reports the least time of a single run, which is what the peers' programs
// print.

#ifndef INDIM_BENCH_STEPS_H_
#define INDIM_BENCH_STEPS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "indim/bench/graphs.h"

namespace indim::bench {

// How many ops a recorded graph has; and with --scale.
inline constexpr int64_t kOps = 100000;
inline constexpr int64_t kManyOps = 100 * kOps;

// The counters of that time, ns per item, and of how many items there are.
inline constexpr char kLeastNs[] = "least_ns";
inline constexpr char kItems[] = "items";

// "record/NAME/N"; "build+write/NAME/N": Build(), expand, write, as XLA's
// Build() and SerializeToString; "build+verify+write/NAME/N": the same with
// verification before it.
void RegisterRecording(const Graph& graph, int64_t n);

// What is done with a module's bytes: "import/NAME", "verify/NAME",
// "import+infer+verify/NAME", "serialize/NAME", "print-text/NAME",
// "parse-text/NAME"; and "protobuf-parse/NAME", libprotobuf's bare
// ParseFromString of the same bytes. The module must be a correct one.
void RegisterBytes(const std::string& name,
                   std::shared_ptr<const std::string> bytes);

}  // namespace indim::bench

#endif  // INDIM_BENCH_STEPS_H_
