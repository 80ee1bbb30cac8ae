// Custom calls that can be evaluated without the code that they name.

#ifndef INDIM_EVAL_OPS_CUSTOM_CALLS_H_
#define INDIM_EVAL_OPS_CUSTOM_CALLS_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "indim/eval/ops/evaluation.h"

namespace indim {

using CustomCallFunction = std::optional<Value> (*)(Evaluation& e,
                                                    Interpreter& machine);

// The function that evaluates a call of `target` on one device; null: only the
// code that the call names could. Source: the targets that XLA's own passes
// remove, and those that its CPU client runs itself.
CustomCallFunction FindCustomCall(absl::string_view target);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_CUSTOM_CALLS_H_
