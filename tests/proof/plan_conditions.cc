#include "indim/tests/proof/plan_conditions.h"

#include <gtest/gtest.h>

namespace indim {
namespace proof {
namespace {

// Of a result's dim: the size other than 1 among the operands' dims there, or
// 1, as SizeCondition says.
int64_t SizeOf(DimRef ref, const BroadcastPlan& plan, Assignment sizes) {
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

bool Holds(const SizeCondition& condition, const BroadcastPlan& plan,
           Assignment sizes) {
  using Kind = SizeCondition::Kind;
  const int64_t a = SizeOf(condition.a, plan, sizes);
  const int64_t b = HasValue(condition.kind) ? condition.value
                                             : SizeOf(condition.b, plan, sizes);
  switch (condition.kind) {
    case Kind::kEqual:
    case Kind::kIs:
      return a == b;
    case Kind::kOneOrEqual:
    case Kind::kOneOrIs:
      return a == 1 || a == b;
    case Kind::kEitherOneOrEqual:
      return a == 1 || b == 1 || a == b;
    case Kind::kAtLeast:
    case Kind::kAtMost:
    case Kind::kDivisible:
    case Kind::kTimes:
      break;
  }
  ADD_FAILURE() << "no condition of a broadcast: " << ToString(condition);
  return false;
}

const SizeCondition* FirstBroken(const BroadcastPlan& plan, Assignment sizes) {
  for (const SizeCondition& condition : plan.conditions) {
    if (!Holds(condition, plan, sizes)) return &condition;
  }
  return nullptr;
}

}  // namespace proof
}  // namespace indim
