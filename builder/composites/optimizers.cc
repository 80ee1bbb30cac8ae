// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/optimizers.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "indim/builder/composites/composite.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/type_mask.h"

namespace indim {
namespace {

using internal::Composite;

// A step: its results, each a composite of its own, so that it gets the
// sharding in scope. The operands are a weight, its gradient and its state,
// which are `arrays` arrays, an integer scalar `step` if there is one, and the
// rate if it is no number.
class OptimizerStep {
 public:
  OptimizerStep(const char* name, size_t arrays, std::vector<Op> operands,
                const Operand& rate, Caller caller)
      : name_(name),
        caller_(caller),
        arrays_(arrays),
        rate_(rate),
        operands_(std::move(operands)) {
    if (!rate.is_number()) operands_.push_back(rate.op());
  }

  // nullopt: the operands are right. Else the result of each that isn't.
  std::optional<Op> Refused() const {
    Composite c(name_, operands_, caller_);
    const std::vector<int64_t> scalar;
    for (size_t i = 0; c.ok() && i < operands_.size(); ++i) {
      const bool is_step = arrays_ == 4 && i == arrays_;
      const TypeMask allowed = is_step ? TypeMask::kIntegral : TypeMask::kFloat;
      if (!c.Ranked(i, allowed)) break;
      c.HasDims(i, 0, i < arrays_ ? c.OtherDims(0, {}) : scalar);
    }
    if (c.ok()) return std::nullopt;
    return c.failed();
  }

  // What replaces operand `i`: what `make` records, as its type.
  Op Result(size_t i, absl::FunctionRef<Op(Composite& c)> make) const {
    Composite c(name_, operands_, caller_);
    return c.Done(c.Narrow(make(c), c.type(i)));
  }

  // Operand i as the step computes, and the rate.
  static Op Wide(Composite& c, size_t i) {
    return c.Narrow(c.operand(i), WideType(c));
  }
  Op Rate(Composite& c) const {
    return rate_.is_number() ? c.Scalar(WideType(c), rate_.number())
                             : Wide(c, operands_.size() - 1);
  }

 private:
  static ElementType WideType(const Composite& c) {
    return Info(c.type(0)).bits < 32 ? ElementType::kF32 : c.type(0);
  }

  const char* const name_;
  const Caller caller_;
  const size_t arrays_;
  const Operand rate_;
  std::vector<Op> operands_;
};

// 1 - beta^(operand 4 + 1), which keeps its digits where it is close to 0, as
// in the first steps.
Op Correction(Composite& c, double beta) {
  return -c.b().Expm1((OptimizerStep::Wide(c, 4) + 1) * std::log(beta));
}

AdamState AdamStep(const OptimizerStep& step, double weight_decay, double beta1,
                   double beta2, double epsilon) {
  if (const auto refused = step.Refused()) {
    return {*refused, *refused, *refused};
  }
  Op mean, square;
  AdamState next;
  next.mean = step.Result(2, [&](Composite& c) {
    return mean = beta1 * OptimizerStep::Wide(c, 2) +
                  (1 - beta1) * OptimizerStep::Wide(c, 1);
  });
  next.square = step.Result(3, [&](Composite& c) {
    const Op gradient = OptimizerStep::Wide(c, 1);
    return square = beta2 * OptimizerStep::Wide(c, 3) +
                    (1 - beta2) * (gradient * gradient);
  });
  next.weight = step.Result(0, [&](Composite& c) {
    const Op weight = OptimizerStep::Wide(c, 0);
    const Op root = c.b().Sqrt(square / Correction(c, beta2));
    Op change = mean / Correction(c, beta1) / (root + epsilon);
    if (weight_decay != 0) change = change + weight_decay * weight;
    return weight - step.Rate(c) * change;
  });
  return next;
}

}  // namespace

SgdState Sgd(Op weight, Op gradient, Op velocity, const Operand& rate,
             double momentum, bool nesterov, Caller caller) {
  const OptimizerStep step("Sgd", 3, {weight, gradient, velocity}, rate,
                           caller);
  if (const auto refused = step.Refused()) return {*refused, *refused};
  Op change;
  SgdState next;
  next.velocity = step.Result(2, [&](Composite& c) {
    return change =
               OptimizerStep::Wide(c, 1) + momentum * OptimizerStep::Wide(c, 2);
  });
  next.weight = step.Result(0, [&](Composite& c) {
    if (nesterov) change = OptimizerStep::Wide(c, 1) + momentum * change;
    return OptimizerStep::Wide(c, 0) - step.Rate(c) * change;
  });
  return next;
}

AdamState Adam(Op weight, Op gradient, Op mean, Op square, Op step,
               const Operand& rate, double beta1, double beta2, double epsilon,
               Caller caller) {
  return AdamStep(
      OptimizerStep("Adam", 4, {weight, gradient, mean, square, step}, rate,
                    caller),
      /*weight_decay=*/0, beta1, beta2, epsilon);
}

AdamState AdamW(Op weight, Op gradient, Op mean, Op square, Op step,
                const Operand& rate, double weight_decay, double beta1,
                double beta2, double epsilon, Caller caller) {
  return AdamStep(
      OptimizerStep("AdamW", 4, {weight, gradient, mean, square, step}, rate,
                    caller),
      weight_decay, beta1, beta2, epsilon);
}

}  // namespace indim
