// The Broadcastable trait of MLIR: n-ary inference and verification of a result
// against its operands. Source: MLIR, docs/Traits/Broadcastable.md.
//
// On every node with the trait: at least one operand, exactly one result, array
// types only. The result's dims are inferred from the ranked operands, folded
// left to right; then compared with the recorded result, dim by dim:
//
//   inferred   recorded   outcome
//   ?          ?          ok
//   ?          static     kLenient, kMlir: ok; kStrict: error
//   static     ?          ok
//   static     static     ok if equal
//
// Dims that are bounded or intervals go by the same idea: some run-time size
// must satisfy both. A result is never broadcast to. Element types don't count.

#ifndef INDIM_SHAPE_BROADCAST_BROADCASTABLE_H_
#define INDIM_SHAPE_BROADCAST_BROADCASTABLE_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/rules/diagnostic.h"
#include "indim/shape/types/shape.h"

namespace indim {

enum class BroadcastableMode : uint8_t {
  kLenient,  // the document's table
  kStrict,   // its formal definition: inferred ? with a recorded static: error
  kMlir,     // what MLIR 19 does: lenient; a result of higher rank passes on
             // its trailing dims; 0 with ? infers ? instead of 0
};

// "lenient", "strict", "mlir".
std::optional<BroadcastableMode> BroadcastableModeFromName(
    absl::string_view name);

// The inferred result: the first operand's element type, the folded dims; an
// unranked array when no operand has a rank. nullopt, with diagnostics, when
// there is no operand, an operand is no array, or dims don't match.
std::optional<Shape> InferBroadcastable(BroadcastableMode mode,
                                        absl::Span<const Shape* const> operands,
                                        std::vector<Diagnostic>* diagnostics);

// InferBroadcastable, then `result` compared as above. True when it passes.
// `result` must be an array; ranks must match.
bool VerifyBroadcastable(BroadcastableMode mode,
                         absl::Span<const Shape* const> operands,
                         const Shape& result,
                         std::vector<Diagnostic>* diagnostics);

// The same for operands that another rule has placed: each operand is seen at
// the result dims of plan.operands[i], size 1 elsewhere. Serves nodes whose
// rule isn't kNumpy.
bool VerifyBroadcastable(BroadcastableMode mode, const BroadcastPlan& plan,
                         absl::Span<const Shape* const> operands,
                         const Shape& result,
                         std::vector<Diagnostic>* diagnostics);

}  // namespace indim

#endif  // INDIM_SHAPE_BROADCAST_BROADCASTABLE_H_
