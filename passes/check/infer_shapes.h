// SPDX-License-Identifier: Apache-2.0
// InferShapes: fills in and corrects the result shape of every instruction.

#ifndef INDIM_PASSES_CHECK_INFER_SHAPES_H_
#define INDIM_PASSES_CHECK_INFER_SHAPES_H_

#include "indim/ir/module.h"
#include "indim/ir/report.h"

namespace indim {

struct InferOptions {
  // Forget every result that can be inferred first.
  bool drop = false;
  // Infer only instructions that have no shape.
  bool only_missing = false;
  int64_t max_per_code = Report::kMaxPerCode;  // how many diagnostics to keep
};

struct InferResult {
  Module module;  // with the inferred shapes, even after errors
  Report report;

  bool ok() const { return report.ok(); }
};

// Sweeps once, callees before callers, operands before users. An inferred
// result replaces the recorded one when their structures differ, and keeps the
// layout where they agree. A result that must be given stays. An instruction
// that can't be inferred keeps its shape; if it has none, the sweep skips its
// users silently. Signatures (program_shape, host_program_shape) follow. The
// report has the violations of XLA's and Indim's shape rules, and IND0104 for a
// missing result that must be given.
InferResult InferShapes(Module module, const InferOptions& options = {});

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_INFER_SHAPES_H_
