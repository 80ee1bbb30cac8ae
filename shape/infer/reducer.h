// The computations that operations apply to elements: reducers (reduce,
// reduce-window, scatter, select-and-scatter, ...) and comparators (sort).
// Only their signatures matter here.

#ifndef INDIM_SHAPE_INFER_REDUCER_H_
#define INDIM_SHAPE_INFER_REDUCER_H_

#include "absl/types/span.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {

// `reducer` folds elements of the N `inputs` into accumulators that start as
// the N `inits`: it takes N accumulators and N elements, all scalars, and
// returns the new accumulators, as a tuple (for N = 1 a bare scalar will do).
// Accumulator i is its result i, exactly; its init value and element i may be
// of another floating type. Errors: IND0321..IND0326. An unranked init fits.
// Source: XLA, VerifyReducerShape.
bool ExpectReducer(InferContext* context, const Signature& reducer,
                   absl::Span<const Shape* const> inits,
                   absl::Span<const ElementType> inputs);

// Arrays of these dims and of the reducer's result types, one for each input: a
// bare one where the reducer returns a bare scalar, else a tuple.
Shape ReducedShape(const Signature& reducer, absl::Span<const Dim> dims);

// Under InferPolicy::kVerifier parameters 0..count-1 of `computation` must have
// exactly the element types of operands 0..count-1 (IND0327); otherwise all is
// well. Source: XLA's HLO verifier without mixed precision.
bool ExpectParameterTypes(InferContext* context, const OpInputs& inputs,
                          const Signature& computation, int count);

// `comparator` orders elements of the operands: it takes two scalars of each
// operand's element type (or another floating one, if that floats), a0, b0, a1,
// b1, ..., and returns pred[]. Errors: IND0340, IND0341.
// Source: XLA's HLO verifier; its builder looks at none of it.
bool ExpectComparator(InferContext* context, const OpInputs& inputs,
                      const Signature& comparator);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_REDUCER_H_
