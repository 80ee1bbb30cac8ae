// What the broadcasting rules share. Not part of the API.

#ifndef INDIM_SHAPE_BROADCAST_BROADCAST_INTERNAL_H_
#define INDIM_SHAPE_BROADCAST_BROADCAST_INTERNAL_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/rules/diagnostic.h"
#include "indim/shape/types/shape.h"

namespace indim {
namespace broadcast_internal {

// Dims that meet at one dim of the result: which sizes can it have, and what
// must hold at run time?
//
// Let each dim be the set of sizes it contains. A dim that may stretch and
// contains 1 is no obstacle: it can be 1. Any other is firm: its size is the
// result's. So if some dim is firm, the result's sizes are what all firm dims
// have in common; if none is, they are the union of all dims (every one
// contains 1, so it has no gaps). Both are intervals: the answer is exact.
//
// A symbolic dim has one size, not known. A firm one is the result, unless a
// size is known; without any firm dim, one that meets itself and 1s only is the
// result, and several that are at least 1 give their maximum (all but one are
// 1, or they are equal).
//
//   SizeMeet meet;
//   for each dim: meet.Add(ref, dim, /*stretches=*/true);
//   if (!meet.possible()) ... meet.conflict() names two dims at odds
//   meet.result();
//   for each dim: meet.AddCondition(ref, dim, true, result_ref, &conditions);
class SizeMeet {
 public:
  void Add(DimRef ref, Dim dim, bool stretches);

  bool possible() const {
    return !has_firm_ || (firm_lower_ <= firm_upper_ && !at_odds_);
  }
  // Where not possible(): two firm dims without a size in common, in the order
  // of operands.
  std::pair<DimRef, DimRef> conflict() const;
  Dim result() const;

  // Appends what must hold for a dim that was added: over all of them, exactly
  // the run-time sizes that fit together. To be called in the order of Add.
  void AddCondition(DimRef ref, Dim dim, bool stretches, DimRef result_ref,
                    std::vector<SizeCondition>* conditions) const;

 private:
  void AddFirmSymbol(DimRef ref, Dim dim);
  void AddLooseSymbol(Dim dim);

  bool has_firm_ = false;
  // What the firm dims have in common, and which dims set these ends.
  int64_t firm_lower_ = 0;
  int64_t firm_upper_ = Dim::kInfinity;
  DimRef firm_lower_ref_, firm_upper_ref_;
  // The firm dim that the others are compared with: one of known size if there
  // is one.
  DimRef anchor_;
  Dim anchor_dim_;
  std::optional<int64_t> anchor_size_;
  // Firm dims of which an expression shows that they can't be equal.
  bool at_odds_ = false;
  std::pair<DimRef, DimRef> odds_;
  // The union of the dims that may stretch.
  int64_t loose_lower_ = 1;
  int64_t loose_upper_ = 1;
  // Those of them that aren't 1 for sure.
  int64_t loose_count_ = 0;
  DimRef first_loose_;
  Dim first_loose_dim_;
  // The maximum of those that aren't 1, while they are symbolic and at least 1.
  std::optional<Dim> loose_maximum_ = Dim::Static(1);
  bool static_zero_ = false;
  bool bounded_zero_ = false;
};

// XLA's rule, for two ranked arrays; see PlanBroadcast.
bool PlanXla(const std::optional<DimIndices>& dimensions, const Shape& lhs,
             const Shape& rhs, BroadcastPlan* plan,
             std::vector<Diagnostic>* diagnostics);

// A diagnostic about dim `a` against dim `b`.
Diagnostic DimDiagnostic(Rule rule, DimRef a, DimRef b);

}  // namespace broadcast_internal
}  // namespace indim

#endif  // INDIM_SHAPE_BROADCAST_BROADCAST_INTERNAL_H_
