// VerifyShapes: every node's recorded result against inference. It looks at
// everything and changes nothing; no rule lives here.

#ifndef INDIM_PASSES_CHECK_VERIFY_SHAPES_H_
#define INDIM_PASSES_CHECK_VERIFY_SHAPES_H_

#include <cstdint>
#include <map>
#include <string>

#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/shape/broadcast/broadcastable.h"
#include "indim/structure/structure.h"

namespace indim {

struct VerifyOptions {
  BroadcastableMode mode = BroadcastableMode::kLenient;
  int64_t max_per_rule = Report::kMaxPerRule;  // how many diagnostics to keep
  DeviceCounts devices;  // for VerifyModule (verify_module.h)
};

struct VerifyResult {
  Report report;
  // Every instruction is counted in exactly one of these three.
  int64_t inferred = 0;   // result inferred from operands and compared
  int64_t related = 0;    // checked against the relation that must hold
  int64_t unchecked = 0;  // an unknown opcode, or unreadable attributes
  // How many went through the Broadcastable verifier.
  int64_t broadcastable = 0;
  // Opcodes of the unchecked ones, with counts.
  std::map<std::string, int64_t> unchecked_ops;

  bool ok() const { return report.ok(); }
};

// A recorded module (Module::is_recorded) may broadcast implicitly and mix
// float types; in any other both are errors, as in XLA's own verifier.
VerifyResult VerifyShapes(const Module& module,
                          const VerifyOptions& options = {});

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_VERIFY_SHAPES_H_
