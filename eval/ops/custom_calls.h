// SPDX-License-Identifier: Apache-2.0
// Custom calls that can be evaluated without the code that they name.

#ifndef INDIM_EVAL_OPS_CUSTOM_CALLS_H_
#define INDIM_EVAL_OPS_CUSTOM_CALLS_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "indim/eval/ops/evaluation.h"

namespace indim {

struct KnownCustomCall {
  absl::string_view target;  // or the routine of LAPACK
  // Evaluates the call on one device; nullopt after an error.
  std::optional<Value> (*function)(Evaluation& e, Interpreter& machine);
  // Among the devices of a replica; null: devices need nothing of each other.
  ExchangeFunction exchange = nullptr;
  // Whether the result depends on the device, by `function` too.
  bool is_of_device = false;
};

// The row of `target`; null: only the code that the call names could evaluate
// it. Source: the targets that XLA's own passes remove, and those that its CPU
// client and jaxlib run themselves.
const KnownCustomCall* FindCustomCall(absl::string_view target);

// Whether a call of LAPACK has the layouts in which LAPACK reads what its
// operands are: column by column. Reports others. True of other calls.
bool ReadsByColumns(Evaluation& e);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_CUSTOM_CALLS_H_
