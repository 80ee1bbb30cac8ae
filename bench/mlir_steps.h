// SPDX-License-Identifier: Apache-2.0
// Times the steps with a StableHLO program: its text and its portable artifact,
// read and written.

#ifndef INDIM_BENCH_MLIR_STEPS_H_
#define INDIM_BENCH_MLIR_STEPS_H_

#include <cstdint>
#include <string>

namespace indim::bench {

// A program of `ops` elementwise operations and reverses, each of the one
// before.
std::string MlirChain(int64_t ops);

// A program of one constant of so many bytes.
std::string MlirConstant(int64_t bytes);

// Registers "mlir-parse/NAME", "mlir-print/NAME", "artifact-write/NAME" and
// "artifact-read/NAME" of a text, which must be one. Items are operations.
void RegisterMlir(const std::string& name, const std::string& text);

}  // namespace indim::bench

#endif  // INDIM_BENCH_MLIR_STEPS_H_
