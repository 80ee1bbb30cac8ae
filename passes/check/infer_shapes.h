// InferShapes: fills in and corrects the result shape of every instruction.

#ifndef INDIM_PASSES_CHECK_INFER_SHAPES_H_
#define INDIM_PASSES_CHECK_INFER_SHAPES_H_

#include "indim/ir/module.h"
#include "indim/ir/report.h"

namespace indim {

struct InferOptions {
  // Forget every result that can be inferred before inferring it.
  bool drop = false;
  // Leave every instruction alone that has a shape.
  bool only_missing = false;
  int64_t max_per_rule = Report::kMaxPerRule;  // how many diagnostics to keep
};

struct InferResult {
  Module module;  // with what could be inferred, also when there are errors
  Report report;

  bool ok() const { return report.ok(); }
};

// One sweep, callees before callers, operands before users. A result that can
// be inferred replaces the recorded one when their structures differ (a layout
// is kept where they agree); results that must be given are left alone. An
// instruction that can't be inferred keeps what it has; without any shape, its
// users are skipped silently. Signatures (program_shape, host_program_shape)
// follow. What can't be inferred is in the report: XLA's and Indim's rules, and
// IND0104 for a result that must be given and isn't.
InferResult InferShapes(Module module, const InferOptions& options = {});

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_INFER_SHAPES_H_
