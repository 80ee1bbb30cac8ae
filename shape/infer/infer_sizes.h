// SPDX-License-Identifier: Apache-2.0
// Checks of sizes that the shape functions of data movement and contraction
// share.

#ifndef INDIM_SHAPE_INFER_INFER_SIZES_H_
#define INDIM_SHAPE_INFER_INFER_SIZES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape.h"

namespace indim {

// The two sizes must be CompatibleDims, else IND0203. If they may still differ
// at run time, the context gets a condition. Both operands must be ranked and
// have the dim.
bool ExpectEqualSizes(InferContext* context, const OpInputs& inputs, DimRef a,
                      DimRef b);

// Adds the condition that dim `a` of a ranked operand is at least `value`, or a
// multiple of it. Adds nothing where that dim is static or bounded (a bound
// counts as a size, as in XLA) or the symbols' facts prove the condition.
void AddAtLeastCondition(InferContext* context, const OpInputs& inputs,
                         DimRef a, int64_t value);
void AddDivisibleCondition(InferContext* context, const OpInputs& inputs,
                           DimRef a, int64_t value);
// Adds the conditions that the dims of `a` and `b`, two Compatible operands,
// are equal, where one of the two is symbolic.
void AddEqualDimsConditions(InferContext* context, const Shape& a,
                            const Shape& b);

// Operands `a` and `b` must have equal ranks (else IND0204) and equal sizes
// (ExpectEqualSizes). An unranked operand passes.
bool ExpectEqualDims(InferContext* context, const OpInputs& inputs, int a,
                     int b);

// The array `operand` (operand 0) must be able to have as many elements as
// `result`; both are ranked. A bound counts as a size, as in XLA. If a dim is
// neither static nor bounded, some run-time sizes must give equal counts; for
// symbolic sizes the equation becomes a condition. Errors: IND0206, IND0106.
bool ExpectEqualElementCounts(InferContext* context, const Shape& operand,
                              const Shape& result);

// Merges two compatible dims. XLA's dims give `winner`; if one is an interval
// or symbolic, the result is the most specific dim that both allow.
Dim MergeDims(Dim winner, Dim other);

// Whether a part of `size` elements fits, or may fit at run time, into a dim of
// `whole`. A bound counts as a size, as in XLA. `whole` is a known size or an
// interval.
bool SizeFits(Dim whole, Dim size);

// The shape that the caller asks for, which must be an array; null after adding
// IND0104 or IND0030.
const Shape* ExpectDeclaredArray(InferContext* context, const OpInputs& inputs);

// Converts a count to int64_t, the type of numbers in diagnostics.
inline int64_t Number(size_t n) { return static_cast<int64_t>(n); }
// "0,2,1"
std::string ListText(absl::Span<const int64_t> numbers);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_INFER_SIZES_H_
