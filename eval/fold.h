// Folding: the values of instructions that depend on constants alone, or on
// parameters whose values are given. What shapes depend on (targets of dynamic
// reshapes, starts of slices, sizes) is often known this way.
//
//   ConstantFolder folder(module.entry());
//   std::optional<Literal> target = folder.Fold(reshape.operand(1).index());

#ifndef INDIM_EVAL_FOLD_H_
#define INDIM_EVAL_FOLD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "indim/codec/literal.h"
#include "indim/eval/evaluator.h"
#include "indim/ir/module.h"

namespace indim {

// Of one computation; `computation`'s module must outlive this. Every value is
// computed once, also the ones in between.
class ConstantFolder {
 public:
  // Folding is meant for small values; what needs more isn't folded.
  static EvalOptions DefaultLimits();

  explicit ConstantFolder(const Computation& computation,
                          const EvalOptions& limits = DefaultLimits());
  ~ConstantFolder();
  ConstantFolder(const ConstantFolder&) = delete;
  ConstantFolder& operator=(const ConstantFolder&) = delete;

  // Parameter `number` has this value from now on. Call before the first Fold.
  // InvalidArgument: a literal without values.
  absl::Status Bind(int64_t number, const Literal& value);

  // The value of instruction `index` (0 <= index < instruction_count()).
  // nullopt: it depends on a parameter without a value or on an op that isn't
  // evaluated (WhyNotEvaluated), it is beyond the limits, or evaluating it is
  // an error. get-dimension-size of a dim whose recorded size is static is
  // known whatever its operand is.
  std::optional<Literal> Fold(int index);
  // The same as integers, of pred 0 and 1; nullopt also when the value is not
  // an array of integers or pred.
  std::optional<std::vector<int64_t>> FoldIntegers(int index);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace indim

#endif  // INDIM_EVAL_FOLD_H_
