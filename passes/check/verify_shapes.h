// SPDX-License-Identifier: Apache-2.0
// VerifyShapes: compares every node's recorded result with the inferred one. It
// visits all nodes and changes none. The rules are those of shape/infer.

#ifndef INDIM_PASSES_CHECK_VERIFY_SHAPES_H_
#define INDIM_PASSES_CHECK_VERIFY_SHAPES_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/passes/structure/structure.h"
#include "indim/shape/broadcast/broadcastable.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

struct VerifyOptions {
  BroadcastableMode mode = BroadcastableMode::kLenient;
  int64_t max_per_code = Report::kMaxPerCode;  // how many diagnostics to keep
  DeviceCounts devices;  // for VerifyModule (verify_module.h)
};

struct VerifyResult {
  Report report;
  // Every instruction counts in exactly one of these three.
  int64_t inferred = 0;  // the result was inferred from operands and compared
  int64_t related =
      0;  // the required relation between operands and result was checked
  int64_t unchecked =
      0;  // the opcode is unknown or the attributes can't be read
  // Instructions that the Broadcastable verifier checked too.
  int64_t broadcastable = 0;
  // How many instructions there are of each Broadcastability, by its number:
  // [kYes] is `broadcastable`; the others say why it didn't check them.
  std::array<int64_t, kBroadcastabilityCount> by_broadcastability = {};
  // Opcodes of the unchecked instructions, with counts.
  std::map<std::string, int64_t> unchecked_ops;

  bool ok() const { return report.ok(); }
};

// A recorded module (Module::is_recorded) may broadcast implicitly and mix
// float types; in others both are errors, as in XLA's verifier.
VerifyResult VerifyShapes(const Module& module,
                          const VerifyOptions& options = {});

// Whether the Broadcastable verifier checks an instruction, or why it doesn't:
// what by_broadcastability counts.
Broadcastability BroadcastabilityOf(const Instruction& instruction);

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_VERIFY_SHAPES_H_
