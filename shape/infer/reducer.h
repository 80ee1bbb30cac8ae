// SPDX-License-Identifier: Apache-2.0
// Checks the signatures of computations that operations apply to elements:
// reducers (of reduce, reduce-window, scatter, select-and-scatter, ...) and
// comparators (of sort).

#ifndef INDIM_SHAPE_INFER_REDUCER_H_
#define INDIM_SHAPE_INFER_REDUCER_H_

#include "absl/types/span.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {

// `reducer` must fold elements of the N `inputs` into N accumulators that start
// as the N `inits`: it takes N accumulators and N elements, all scalars, and
// returns the new accumulators, as a tuple (for N = 1 also as a bare scalar).
// Accumulator i has the type of result i; init value i and element i may have
// another float type. An unranked init fits. Errors: IND0321..IND0326.
bool ExpectReducer(InferContext* context, const Signature& reducer,
                   absl::Span<const Shape* const> inits,
                   absl::Span<const ElementType> inputs);

// An array of dims `dims` for each result of the reducer, of its element type:
// bare where the reducer returns a bare scalar, else in a tuple.
Shape ReducedShape(const Signature& reducer, absl::Span<const Dim> dims);

// Under InferPolicy::kVerifier parameters 0..count-1 of `computation` must have
// exactly the element types of operands 0..count-1, else IND0327; under
// kBuilder every type passes. Source: XLA's HLO verifier without mixed
// precision.
bool ExpectParameterTypes(InferContext* context, const OpInputs& inputs,
                          const Signature& computation, int count);

// `comparator` must take two scalars of each operand's element type (for a
// float type also of another one), in the order a0, b0, a1, b1, ..., and return
// pred[]. Errors: IND0340, IND0341.
// Source: XLA's HLO verifier; XLA's builder doesn't check it.
bool ExpectComparator(InferContext* context, const OpInputs& inputs,
                      const Signature& comparator);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_REDUCER_H_
