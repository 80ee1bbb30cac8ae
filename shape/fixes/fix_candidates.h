// What an author of an operation most likely meant: dims counted from the end
// or from 1, another dim of the same size, operands the other way round, an
// array instead of its only element, other dims of a product.

#ifndef INDIM_SHAPE_FIXES_FIX_CANDIDATES_H_
#define INDIM_SHAPE_FIXES_FIX_CANDIDATES_H_

#include <optional>

#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/rules/diagnostic.h"

namespace indim {

// The likeliest change that makes `constraint` hold, which `broken` says does
// not, and after which inference succeeds; sooner one that also gives the
// result that is recorded. nullopt: there is none, or the constraint isn't
// about lists of dims.
std::optional<Fix> LikelyFix(const OpInputs& inputs,
                             const Constraint& constraint,
                             const Diagnostic& broken);

// Of what no constraint says, only a shape function: a slice's bounds, sizes
// and strides, a map's dims, elements that a transform takes, dims of two
// operands. The nearest number that is allowed, all dims in order, another
// type, the size of the other operand; if inference succeeds then.
std::optional<Fix> UndeclaredFix(const OpInputs& inputs,
                                 const Diagnostic& diagnostic);

// Of IND0040, which names an operand and the shape that it hasn't (it may be
// the larger one): the operand that is repeated, as it would be written out.
std::optional<Fix> ExplicitBroadcast(const OpInputs& inputs,
                                     const Diagnostic& diagnostic);

// What inference gives for `inputs` when they are changed so; nullopt: an
// error.
std::optional<Shape> ResultOf(const OpInputs& inputs, const Fix& fix);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_FIX_CANDIDATES_H_
