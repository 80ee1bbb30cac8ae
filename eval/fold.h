// SPDX-License-Identifier: Apache-2.0
// Folding: computes instructions that depend only on constants, or on
// parameters with given values. It often finds values that shapes depend on
// (targets of dynamic reshapes, starts of slices, sizes).
//
//   ConstantFolder folder(module.entry());
//   std::optional<Literal> target = folder.Fold(reshape.operand(1).index());

#ifndef INDIM_EVAL_FOLD_H_
#define INDIM_EVAL_FOLD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "indim/eval/ops/eval_options.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"

namespace indim {

// Folds the instructions of one computation, whose module must outlive this.
// Each value, also an intermediate one, is computed once.
class ConstantFolder {
 public:
  // Limits for small values; a value that exceeds them isn't folded.
  static EvalOptions DefaultLimits();

  explicit ConstantFolder(const Computation& computation,
                          const EvalOptions& limits = DefaultLimits());
  ~ConstantFolder();
  ConstantFolder(const ConstantFolder&) = delete;
  ConstantFolder& operator=(const ConstantFolder&) = delete;

  // Gives parameter `number` a value. Call it before the first Fold.
  // InvalidArgument: a literal without values.
  absl::Status Bind(int64_t number, const Literal& value);

  // The value of instruction `index` (0 <= index < instruction_count()).
  // nullopt: it depends on a parameter without a value or on an op that isn't
  // evaluated (WhyNotEvaluated), exceeds the limits, or its evaluation fails. A
  // get-dimension-size of a dim with a static recorded size is known even if
  // its operand isn't.
  std::optional<Literal> Fold(int index);
  // Fold for an array of integers or of pred (as 0 and 1); nullopt also for any
  // other value.
  std::optional<std::vector<int64_t>> FoldIntegers(int index);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace indim

#endif  // INDIM_EVAL_FOLD_H_
