// Broadcasting: every rule, one answer.
//
//   kNone           OpenVINO "none": shapes must match.
//   kXla            XLA: a scalar goes with anything; operands of unequal rank
//                   need broadcast_dimensions ("InDim": dim i of the operand of
//                   lower rank is matched with dim broadcast_dimensions[i] of
//                   the other, strictly increasing); then dims of size 1
//                   stretch ("degenerate"). Both compose.
//   kNumpy          NumPy, OpenVINO "numpy", MLIR: right-aligned, dims of size
//                   1 stretch; any number of operands.
//   kPdpd           OpenVINO "pdpd": B is laid on A from `axis` (-1: rank(A) -
//                   rank(B), counted before trailing 1s drop); B's trailing 1s
//                   are ignored, its inner 1s stretch, A never grows.
//   kBidirectional  OpenVINO Broadcast: an array and a target shape, both may
//                   grow. As an elementwise rule it is kNumpy of two operands.
//
// Every rule answers with a BroadcastPlan: the result's dims, the place of each
// operand's dims among them, and the conditions that sizes unknown today must
// meet at run time. Verification, expansion, messages and `indim explain` read
// the plan; none of them knows a rule.
//
//   f32[4] + f32[1,2] with broadcast_dimensions {0}
//     operand 0  dim 0 -> result dim 0
//     operand 1  dims 0,1 -> result dims 0,1   (dim 0 stretches 1 -> 4)
//     result     [4,2]
//
// Size 0 is a size like any other: 0 with 1 is 0, 0 with 3 is an error.

#ifndef INDIM_SHAPE_BROADCAST_BROADCAST_H_
#define INDIM_SHAPE_BROADCAST_BROADCAST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/rules/diagnostic.h"
#include "indim/shape/types/shape.h"

namespace indim {

enum class BroadcastRule : uint8_t {
  kXla = 0,
  kNone = 1,
  kNumpy = 2,
  kPdpd = 3,
  kBidirectional = 4,
};

// "xla", "none", "numpy", "pdpd", "bidirectional".
absl::string_view Name(BroadcastRule rule);
std::optional<BroadcastRule> BroadcastRuleFromName(absl::string_view name);

// What the author of an operation wrote about broadcasting.
struct BroadcastSpec {
  BroadcastRule rule = BroadcastRule::kXla;
  // kXla. Absent and empty mean the same to XLA; both are kept apart so that a
  // recorded graph gives back what was written.
  std::optional<DimIndices> dimensions;
  int64_t axis = -1;  // kPdpd

  friend bool operator==(const BroadcastSpec& a, const BroadcastSpec& b) {
    return a.rule == b.rule && a.dimensions == b.dimensions && a.axis == b.axis;
  }
  template <typename H>
  friend H AbslHashValue(H h, const BroadcastSpec& s) {
    h = H::combine(std::move(h), s.rule, s.axis, s.dimensions.has_value());
    if (s.dimensions) h = H::combine(std::move(h), *s.dimensions);
    return h;
  }
};

// Dim `dim` of operand `operand`; operand -1: of the result.
struct DimRef {
  int32_t operand = 0;
  int32_t dim = 0;
  friend bool operator==(DimRef a, DimRef b) {
    return a.operand == b.operand && a.dim == b.dim;
  }
};

// Something about sizes that is not known yet and must hold at run time; the
// document calls the contrary undefined behaviour. Where b is a dim of the
// result (three or more operands of which any may stretch), its size is the one
// size other than 1 among the operands' dims there, or 1.
struct SizeCondition {
  enum class Kind : uint8_t {
    kEqual,             // a == b
    kOneOrEqual,        // a == 1 or a == b: a may stretch, b may not
    kEitherOneOrEqual,  // a == 1, b == 1, or a == b
    kIs,                // a == value
    kOneOrIs,           // a == 1 or a == value
    kAtLeast,           // a >= value
    kAtMost,            // a <= b
    kDivisible,         // a % value == 0
    kTimes,             // a == b * value
  };
  Kind kind = Kind::kEqual;
  DimRef a;
  DimRef b;           // of kinds that have no value, and kTimes
  int64_t value = 0;  // kIs, kOneOrIs, kAtLeast, kDivisible, kTimes
};

// `a` is compared with `value`, not with `b`.
constexpr bool HasValue(SizeCondition::Kind kind) {
  using Kind = SizeCondition::Kind;
  return kind == Kind::kIs || kind == Kind::kOneOrIs ||
         kind == Kind::kAtLeast || kind == Kind::kDivisible;
}

// "operand 0 dim 1 is 1 or equals operand 1 dim 0". Operand -1 prints as
// "result".
std::string ToString(const SizeCondition& condition);

struct BroadcastPlan {
  // Place of one operand's dims. dim_map[i] is the result dim of its dim i, or
  // -1 for a dim of size 1 that is dropped (kPdpd's trailing 1s that lie past
  // A's last dim). Strictly increasing but for the -1s. Empty for scalars and
  // for unranked operands.
  using DimMap = absl::InlinedVector<int32_t, 4>;

  bool unranked = false;  // no operand has a rank, so the result has none
  DimVector dims;         // the result's
  absl::InlinedVector<DimMap, 2> operands;
  std::vector<SizeCondition> conditions;
};

// Applies spec.rule to the operands' dims. Element types don't matter here.
//
// Operands must be arrays; kXla, kNone, kPdpd and kBidirectional take exactly
// two, kNumpy one or more (and, as NumPy does, none: the result is a scalar).
// An unranked operand makes no claim: under kNumpy it is left out; under the
// other rules the result is unranked (plan->unranked).
//
// kXla answers what XLA's builder answers, its oddities included
// (docs/broadcasting.md). The other rules are interval arithmetic: a result dim
// is the tightest Dim that holds every size which the rule's document allows
// for run-time sizes inside the operands' dims, and the conditions hold for
// exactly the run-time sizes that the document allows.
//
// Returns true and fills *plan (and may append a warning,
// Rule::kXlaPlacesAtEnd), or false and appends the one error that is wrong
// first, with the broadcast_dimensions that would have worked where there are
// some. *plan is cleared first. Errors:
//   any    kOperandCount, kOperandNotArray, kDimsDiffer
//   kXla   kRanksDiffer, kBroadcastDims..., and what XLA refuses about bounded
//          and unknown dims: kXla...
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
// The result of the one-way rules is the target, narrowed to what fits; that of
// an unranked operand is the target, and unranked under kBidirectional.
// Returns and errors as PlanBroadcast; of the mapping: kAxesMappingCount,
// kAxesMappingRange, kAxesMappingIncreasing.
bool PlanBroadcastTo(BroadcastRule rule, const Shape& operand,
                     absl::Span<const Dim> target,
                     const std::optional<DimIndices>& axes_mapping,
                     int64_t axis, BroadcastPlan* plan,
                     std::vector<Diagnostic>* diagnostics);

}  // namespace indim

#endif  // INDIM_SHAPE_BROADCAST_BROADCAST_H_
