// What would work: the smallest change that makes an operation keep what its
// row declares.
//
//   Fix r = *FixOf(inputs, constraint);     // operand 1: f32[]
//   for a diagnostic: SuggestFix(inputs, diagnostic)
//
// The tools and the builder print it under an error ("to fix: ..."), `indim
// query` beside one ("fix"); the generators of tests make operands for any op
// with it.

#ifndef INDIM_SHAPE_FIXES_FIX_H_
#define INDIM_SHAPE_FIXES_FIX_H_

#include <optional>
#include <string>

#include "absl/types/span.h"
#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/rules/diagnostic.h"

namespace indim {

// The change that makes `constraint` hold for the first operand that breaks it;
// nullopt where it holds, or where no single change does. Constraints that
// stand before it in the row must hold.
std::optional<Fix> FixOf(const OpInputs& inputs, const Constraint& constraint);

// What would have avoided `diagnostic`, which inference has given for `inputs`:
// the broadcast_dimensions that match the operands, the change of the declared
// constraint that it broke, or what UndeclaredFix (fix_candidates.h) finds.
// Only a change after which inference succeeds (in the builder) is suggested;
// else nullopt.
std::optional<Fix> SuggestFix(const OpInputs& inputs,
                              const Diagnostic& diagnostic);

// False of a change of an attribute whose elements are no numbers (padding):
// then only how many there are to be counts.
bool HasNumbers(const Fix& fix, const OpInputs& inputs);

// The call or the value that `fix` comes down to, of an operation whose
// operands are called `names`: "ConvertElementType(bias, ElementType::kF32) as
// operand 1: f32[10]", "dimensions={0,1}", "operand 1 of shape f32[8]", "Add(x,
// y, {1}) matches dim 0 of y with dim 1 of x (10 = 10)", what ContractionText
// (contraction_fixes.h) says.
std::string FixText(const Fix& fix, const OpInputs& inputs,
                    absl::Span<const std::string> names);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_FIX_H_
