// SPDX-License-Identifier: Apache-2.0
// MLIR's trait Broadcastable: inference from any number of operands, and
// verification of a recorded result. Source: MLIR,
// docs/Traits/Broadcastable.md.
//
// A node with the trait needs at least one operand, exactly one result, and
// array types only. The dims of the ranked operands are folded, left to right,
// into the inferred dims, which are then compared with the recorded result's,
// dim by dim:
//
//   inferred   recorded   outcome
//   ?          ?          ok
//   ?          static     kLenient, kMlir: ok; kStrict: error
//   static     ?          ok
//   static     static     ok if equal
//
// For bounded dims and intervals the condition is likewise that some run-time
// size satisfies both. A result never stretches. Element types are ignored.

#ifndef INDIM_SHAPE_BROADCAST_BROADCASTABLE_H_
#define INDIM_SHAPE_BROADCAST_BROADCASTABLE_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim {

enum class BroadcastableMode : uint8_t {
  kLenient,  // the document's table
  kStrict,   // its formal definition: inferred ? with a recorded static: error
  kMlir,  // as MLIR 19: lenient; leading dims that a recorded result has beyond
          // the inferred ones are not checked; 0 with ? infers ? instead of 0
};

// Reads "lenient", "strict" or "mlir"; nullopt for another name.
std::optional<BroadcastableMode> BroadcastableModeFromName(
    absl::string_view name);

// The inferred result: the folded dims with the first operand's element type;
// an unranked array when no operand has a rank. nullopt, with diagnostics, when
// there is no operand, an operand is not an array, or dims don't match.
std::optional<Shape> InferBroadcastable(BroadcastableMode mode,
                                        absl::Span<const Shape* const> operands,
                                        std::vector<Diagnostic>* diagnostics);

// Compares `result`, which must be an array, with InferBroadcastable's answer
// as above; ranks must match. Returns true when it passes.
bool VerifyBroadcastable(BroadcastableMode mode,
                         absl::Span<const Shape* const> operands,
                         const Shape& result,
                         std::vector<Diagnostic>* diagnostics);

// Whether dim `recorded` of a result passes where `inferred` was inferred.
bool DimPasses(BroadcastableMode mode, Dim inferred, Dim recorded);

// VerifyBroadcastable for operands that another rule than kNumpy has placed:
// operand i has its dims at the result dims plan.operands[i], and size 1
// elsewhere.
bool VerifyBroadcastable(BroadcastableMode mode, const BroadcastPlan& plan,
                         absl::Span<const Shape* const> operands,
                         const Shape& result,
                         std::vector<Diagnostic>* diagnostics);

}  // namespace indim

#endif  // INDIM_SHAPE_BROADCAST_BROADCASTABLE_H_
