// SPDX-License-Identifier: Apache-2.0
// Fixes: the smallest change after which an operation meets what its row
// declares.
//
//   Fix r = *FixOf(inputs, constraint);     // operand 1: f32[]
//   for a diagnostic: SuggestFix(inputs, diagnostic)
//
// The tools and the builder print a fix under an error ("to fix: ..."), `indim
// query` gives it beside the error ("fix"); the generators of tests use it to
// make operands for any op.

#ifndef INDIM_SHAPE_FIXES_FIX_H_
#define INDIM_SHAPE_FIXES_FIX_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/constraint.h"

namespace indim {

// The change after which `constraint` holds for the first operand that breaks
// it. nullopt: it holds, or no single change makes it hold. The constraints
// before it in the row must hold.
std::optional<Fix> FixOf(const OpInputs& inputs, const Constraint& constraint);

// A fix for `diagnostic`, which inference gave for `inputs`: the
// broadcast_dimensions that match the operands, a change for the declared
// constraint that it broke, or UndeclaredFix (fix_candidates.h). Inference (in
// the builder) succeeds after the fix. nullopt: there is none.
std::optional<Fix> SuggestFix(const OpInputs& inputs,
                              const Diagnostic& diagnostic);

// `type` if `accepted` has it, else the most usual type that it has.
ElementType TypeIn(TypeMask accepted, ElementType type);

// False for a change of an attribute whose elements are not numbers (padding):
// then only the number of entries counts, and new ones pad nothing.
bool HasNumbers(const Fix& fix, const OpInputs& inputs);

// A fix in words, as a call or a value, for operands named `names`:
// "ConvertElementType(bias, ElementType::kF32) as operand 1: f32[10]",
// "dimensions={0,1}", "operand 1 of shape f32[8]", "Add(x, y, {1}) matches dim
// 0 of y with dim 1 of x (10 = 10)", or ContractionText's
// (contraction_fixes.h).
std::string FixText(const Fix& fix, const OpInputs& inputs,
                    absl::Span<const std::string> names);

// The call that turns `from`, named `name`, into `to`:
// "ConvertElementType(x, ElementType::kF32)". "" where it takes several calls.
std::string ChangeText(const Shape& from, const Shape& to,
                       absl::string_view name);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_FIX_H_
