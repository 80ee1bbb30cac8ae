// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/proof/plan_conditions.h"

#include <gtest/gtest.h>

namespace indim {
namespace proof {
namespace {

// Of a result's dim: the size other than 1 among the operands' dims there, or
// 1, as Condition says.
int64_t SizeOf(const ConditionSize& side, const BroadcastPlan& plan,
               Assignment sizes) {
  if (!side.is_place()) return side.size().size();
  const DimRef ref = side.place();
  if (ref.operand >= 0) return (*sizes[ref.operand])[ref.dim];
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (size_t d = 0; d < sizes[i]->size(); ++d) {
      if (plan.operands[i][d] == ref.dim && (*sizes[i])[d] != 1) {
        return (*sizes[i])[d];
      }
    }
  }
  return 1;
}

}  // namespace

bool Holds(const Condition& condition, const BroadcastPlan& plan,
           Assignment sizes) {
  using Kind = Condition::Kind;
  const int64_t a = SizeOf(condition.a, plan, sizes);
  const int64_t b = SizeOf(condition.b, plan, sizes);
  switch (condition.kind) {
    case Kind::kEqual:
      return a == b;
    case Kind::kOneOrEqual:
      return a == 1 || a == b;
    case Kind::kEitherOneOrEqual:
      return a == 1 || b == 1 || a == b;
    case Kind::kAtMost:
    case Kind::kDivisible:
      break;
  }
  ADD_FAILURE() << "no condition of a broadcast: " << ToString(condition);
  return false;
}

const Condition* FirstBroken(const BroadcastPlan& plan, Assignment sizes) {
  for (const Condition& condition : plan.conditions) {
    if (!Holds(condition, plan, sizes)) return &condition;
  }
  return nullptr;
}

}  // namespace proof
}  // namespace indim
