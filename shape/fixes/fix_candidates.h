// SPDX-License-Identifier: Apache-2.0
// Likely intentions of an author: dims counted from the end or from 1, another
// dim of the same size, swapped operands, an array in place of its only
// element, other dims of a product.

#ifndef INDIM_SHAPE_FIXES_FIX_CANDIDATES_H_
#define INDIM_SHAPE_FIXES_FIX_CANDIDATES_H_

#include <optional>
#include <vector>

#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/declare.h"
#include "indim/shape/ops/declare_attributes.h"
#include "indim/shape/types/element_type.h"

namespace indim {

// What only shape functions check: the dim of an all-gather or reduce-scatter.
inline constexpr Constraint kShards = declare::OneDim(
    declare::kRef<&CollectiveAttributes::dimensions>, declare::kAll);

// The attributes of `inputs` with the dims that `diagnostic` refuses because
// they are below 0 counted from the end, as in NumPy. nullopt: it is about
// something else, or they aren't dims from the end either.
std::optional<Attributes> DimsFromEnd(const OpInputs& inputs,
                                      const Diagnostic& diagnostic);

// The likeliest change after which `constraint`, which `broken` reports, holds
// and inference succeeds; a change that also gives the recorded result comes
// first. nullopt: there is none, or the constraint is not about lists of dims.
std::optional<Fix> LikelyFix(const OpInputs& inputs,
                             const Constraint& constraint,
                             const Diagnostic& broken);

// A fix for an error that only a shape function finds: a slice's bounds, sizes
// and strides, a map's dims, the element type of a transform, dims of two
// operands. It tries the nearest number in range, all dims in order, another
// type, the other operand's size, and keeps a change after which inference
// succeeds.
std::optional<Fix> UndeclaredFix(const OpInputs& inputs,
                                 const Diagnostic& diagnostic);

// A fix for IND0040, which names an operand and the shape that it should have
// (it may be larger than the operand): that operand, explicitly broadcast.
std::optional<Fix> ExplicitBroadcast(const OpInputs& inputs,
                                     const Diagnostic& diagnostic);

// These broadcast_dimensions, by XLA's rule; nullopt: inference fails with
// them.
std::optional<Fix> WithBroadcast(const OpInputs& inputs,
                                 const DimIndices& dimensions);

// A fix for two operands of different ranks that a rule doesn't match, which
// pairs their last dims: XLA's, which says which dims are paired.
std::optional<Fix> OtherBroadcast(const OpInputs& inputs,
                                  const Diagnostic& diagnostic);

// Types to convert elements of `type` to where an operation doesn't take it,
// the most usual first. Of an unsigned type: those that hold all of its
// numbers, if there are any, as f32 doesn't.
std::vector<ElementType> TypesInsteadOf(ElementType type);

// The result that inference gives for `inputs` after `fix`; nullopt: an error,
// or it still says `mended`, which may be a warning.
std::optional<Shape> ResultOf(const OpInputs& inputs, const Fix& fix,
                              std::optional<Code> mended = std::nullopt);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_FIX_CANDIDATES_H_
