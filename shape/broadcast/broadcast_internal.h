// SPDX-License-Identifier: Apache-2.0
// Shared by the broadcasting rules. Not part of the API.

#ifndef INDIM_SHAPE_BROADCAST_BROADCAST_INTERNAL_H_
#define INDIM_SHAPE_BROADCAST_BROADCAST_INTERNAL_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim::broadcast_internal {

// Combines the dims at one place of the result: it computes the sizes that the
// result can have there, and the conditions that must hold at run time.
//
// A dim is the set of sizes that it contains. A dim that may stretch and
// contains 1 is loose: it can be 1. Any other dim is firm: its size is the
// result's. If there are firm dims, the result's sizes are their intersection;
// else they are the union of all dims (each contains 1, so it has no gaps).
// Both are intervals, so the answer is exact.
//
// A symbolic dim has one unknown size. A firm symbolic dim is the result,
// unless some firm size is known. Without firm dims, a symbol that meets only
// itself and 1s is the result, and symbols that are at least 1 give their
// maximum (each is 1, or equals the others).
//
//   SizeMeet meet;
//   for each dim: meet.Add(ref, dim, /*stretches=*/true);
//   if (!meet.possible()) ... meet.conflict() names two dims that conflict
//   meet.result();
//   for each dim: meet.AddCondition(ref, dim, true, result_ref, &conditions);
class SizeMeet {
 public:
  void Add(DimRef ref, Dim dim, bool stretches);

  bool possible() const {
    return !firm_.any || (firm_.lower <= firm_.upper && !firm_.at_odds);
  }
  // Where not possible(): two firm dims without a common size, in the order of
  // operands.
  std::pair<DimRef, DimRef> conflict() const;
  Dim result() const;

  // Appends the condition of a dim that was added. The conditions of all added
  // dims together hold for exactly the run-time sizes that fit. Call it in the
  // order of Add.
  void AddCondition(DimRef ref, Dim dim, bool stretches, DimRef result_ref,
                    std::vector<Condition>* conditions) const;

 private:
  void AddFirmSymbol(DimRef ref, Dim dim);
  void AddLooseSymbol(Dim dim);

  struct Firm {
    bool any = false;
    // The intersection of the firm dims, and the dims that set its ends.
    int64_t lower = 0;
    int64_t upper = Dim::kInfinity;
    DimRef lower_ref, upper_ref;
    // The dim that the others are compared with: one of known size, if any.
    DimRef anchor;
    Dim anchor_dim;
    std::optional<int64_t> anchor_size;
    // Two firm dims whose expressions can't be equal.
    bool at_odds = false;
    std::pair<DimRef, DimRef> odds;
  };
  struct Loose {
    // The union of the loose dims.
    int64_t lower = 1;
    int64_t upper = 1;
    // The number of those that may differ from 1, and the first of them.
    int64_t count = 0;
    DimRef first;
    Dim first_dim;
    // Their maximum, as long as all are symbolic and at least 1.
    std::optional<Dim> maximum = Dim::Static(1);
  };
  Firm firm_;
  Loose loose_;
  bool static_zero_ = false;
  bool bounded_zero_ = false;
};

// The dims of a ranked operand.
struct RankedDims {
  int32_t operand;
  absl::Span<const Dim> dims;
  int rank() const { return static_cast<int>(dims.size()); }
};
using RankedOperands = absl::InlinedVector<RankedDims, 2>;

// kNumpy: operands are right-aligned, and all may stretch. plan->operands must
// have an entry for each operand.
bool PlanNumpy(absl::Span<const RankedDims> operands, BroadcastPlan* plan,
               std::vector<Diagnostic>* diagnostics);

// Plans XLA's rule for two ranked arrays; see PlanBroadcast.
bool PlanXla(const std::optional<DimIndices>& dimensions, const Shape& lhs,
             const Shape& rhs, BroadcastPlan* plan,
             std::vector<Diagnostic>* diagnostics);

// A diagnostic about dim `a` compared with dim `b`.
Diagnostic DimDiagnostic(Code code, DimRef a, DimRef b);

}  // namespace indim::broadcast_internal

#endif  // INDIM_SHAPE_BROADCAST_BROADCAST_INTERNAL_H_
