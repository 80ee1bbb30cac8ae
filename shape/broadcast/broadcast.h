// SPDX-License-Identifier: Apache-2.0
// Broadcasting: five rules, each of which gives a plan.
//
//   kNone           OpenVINO "none": shapes must match.
//   kXla            XLA: a scalar goes with anything; operands of unequal rank
//                   need broadcast_dimensions ("InDim": dim i of the operand of
//                   lower rank is matched with dim broadcast_dimensions[i] of
//                   the other, strictly increasing); then dims of size 1
//                   stretch ("degenerate"). Both compose.
//   kNumpy          NumPy, OpenVINO "numpy", MLIR: right-aligned, dims of size
//                   1 stretch; any number of operands.
//   kPdpd           OpenVINO "pdpd": B is broadcast to A: B's dim 0 meets A's
//                   dim `axis` (-1: rank(A) - rank(B), counted before trailing
//                   1s drop); B's trailing 1s are ignored, its inner 1s
//                   stretch, A keeps its shape.
//   kBidirectional  OpenVINO Broadcast: an array and a target shape, both may
//                   stretch. As an elementwise rule it is kNumpy of two
//                   operands.
//
// Every rule gives a BroadcastPlan: the result's dims, the place of each
// operand's dims among them, and the conditions that sizes not known yet must
// meet at run time. Verification, expansion, messages and `indim explain` read
// only the plan; they know none of the rules.
//
//   f32[4] + f32[1,2] with broadcast_dimensions {0}
//     operand 0  dim 0 -> result dim 0
//     operand 1  dims 0,1 -> result dims 0,1   (dim 0 stretches 1 -> 4)
//     result     [4,2]
//
// Size 0 is an ordinary size: 0 with 1 is 0, 0 with 3 is an error.

#ifndef INDIM_SHAPE_BROADCAST_BROADCAST_H_
#define INDIM_SHAPE_BROADCAST_BROADCAST_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "indim/shape/broadcast/broadcast_spec.h"  // IWYU pragma: export
#include "indim/shape/broadcast/condition.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim {

// What gives an operand the result's size at one dim of the result.
enum class BroadcastStep : uint8_t {
  kNone,        // nothing: it has this size
  kPlaced,      // the step that places its dims: XLA's InDim
  kStretched,   // the step that stretches dims of size 1 ("degenerate")
  kMayStretch,  // that step, if it is 1 at run time; else it has this size
  kMustFit,     // nothing: it must have this size at run time
  kMustBeOne,   // nothing: it must be 1 at run time, as the result then is
};

struct BroadcastPlan {
  // The places of one operand's dims. dim_map[i] is the result dim of its dim
  // i, or -1 for a dim of size 1 that is dropped (one of kPdpd's trailing 1s
  // past A's last dim). Places other than -1 strictly increase. Empty for
  // scalars and for unranked operands.
  using DimMap = absl::InlinedVector<int32_t, 4>;

  BroadcastRule rule = BroadcastRule::kXla;  // that it was made by
  bool unranked = false;  // no operand has a rank, nor has the result
  DimVector dims;         // of the result
  absl::InlinedVector<DimMap, 2> operands;
  std::vector<Condition> conditions;

  // The dims of operand `operand`, which are `own`, after the step that gives
  // it the result's rank: its own dims at their places; elsewhere, under kXla,
  // the sizes of the operand of higher rank (InDim gives f32[4] beside f32[1,2]
  // by {0} the dims [4,2]), and 1 under the other rules, which align first.
  DimVector Placed(int operand, absl::Span<const Dim> own) const;
  // By operand and dim of the result: what gives the operand the result's size.
  // None of an operand without a rank, or where the result has none. `shapes`
  // are the operands that were planned.
  using Steps = absl::InlinedVector<BroadcastStep, 4>;
  std::vector<Steps> StepsOf(absl::Span<const Shape* const> shapes) const;
};

// Applies spec.rule to the operands' dims. Element types are ignored.
//
// Operands must be arrays. kXla, kNone, kPdpd and kBidirectional take exactly
// two, kNumpy one or more (also none, as in NumPy: then the result is a
// scalar). kNumpy ignores unranked operands; under the other rules an unranked
// operand makes the result unranked (plan->unranked).
//
// kXla gives the answers of XLA's builder, even odd ones
// (docs/broadcasting.md). The other rules use interval arithmetic: a result dim
// is the tightest Dim that holds every size that the rule's document allows for
// run-time sizes inside the operands' dims, and the conditions hold for exactly
// the run-time sizes that the document allows.
//
// Clears *plan first. Returns true and fills *plan (it may also append a
// warning, Code::kXlaPlacesAtEnd). Or returns false and appends the first
// error, with broadcast_dimensions that would work where there are some.
// Errors:
//   any    kOperandCount, kOperandNotArray, kDimsDiffer
//   kXla   kRanksDiffer, kBroadcastDims..., and kXla... for bounded and unknown
//          dims that XLA refuses
//   kNone  kRanksMustMatch, kSizesDiffer
//   kPdpd  kRankTooHigh, kAxisRange, kDimCannotGrow, kDimPastEnd
bool PlanBroadcast(const BroadcastSpec& spec,
                   absl::Span<const Shape* const> operands, BroadcastPlan* plan,
                   std::vector<Diagnostic>* diagnostics);

// Broadcasts one array to a target shape (OpenVINO's Broadcast). `target` is
// operand 1 in conditions and diagnostics.
//   kBidirectional  both may grow
//   kNumpy          one way: right-aligned, each dim is 1 or the target's
//   kNone           with `axes_mapping`: dim i goes to target dim
//                   axes_mapping[i] (sorted, distinct), 1 or equal
//                   ("explicit"); without it the shapes must match. kXla is
//                   taken as kNone
//   kPdpd           `operand` is B, the target A, from `axis`
// Under kNumpy, kNone and kPdpd the result is the target, narrowed to the sizes
// that fit. For an unranked operand it is the target, but unranked under
// kBidirectional. Return value and errors are PlanBroadcast's; a wrong mapping
// gives kAxesMappingCount, kAxesMappingRange or kAxesMappingIncreasing.
bool PlanBroadcastTo(BroadcastRule rule, const Shape& operand,
                     absl::Span<const Dim> target,
                     const std::optional<DimIndices>& axes_mapping,
                     int64_t axis, BroadcastPlan* plan,
                     std::vector<Diagnostic>* diagnostics);

}  // namespace indim

#endif  // INDIM_SHAPE_BROADCAST_BROADCAST_H_
