// SPDX-License-Identifier: Apache-2.0
// Checks that many shape functions share. Each adds its diagnostic on failure.
//
//   if (!ExpectArray(context, inputs, 1)) return std::nullopt;
//   std::optional<ElementType> type = CommonType(context, inputs, 0, 1);
//   if (!type) return std::nullopt;

#ifndef INDIM_SHAPE_INFER_INFER_UTIL_H_
#define INDIM_SHAPE_INFER_INFER_UTIL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Operand `i` must be an array, ranked or not; else IND0101.
bool ExpectArray(InferContext* context, const OpInputs& inputs, int i);

// Operand `i` must be an array of class `c`; else IND0101 or IND0102.
bool ExpectClass(InferContext* context, const OpInputs& inputs, int i,
                 TypeMask c);

// Operand `i` must be a scalar or unranked; else IND0109.
bool ExpectScalar(InferContext* context, const OpInputs& inputs, int i);

// Operand `i` must be a token; else IND0110.
bool ExpectToken(InferContext* context, const OpInputs& inputs, int i);

// The first of operands 0..count-1 whose rank is known; -1: none.
int FirstRanked(const OpInputs& inputs, int count);

// Callee number `callee` must take `count` parameters; else IND0401.
bool ExpectArity(InferContext* context, const OpInputs& inputs, int callee,
                 size_t count);

// Callee number `callee` must take one parameter. Else IND0648 where it takes
// several (the message names the tuple that would hold them), or IND0401 where
// it takes none.
bool ExpectOneValue(InferContext* context, const OpInputs& inputs, int callee);

// Operand `operand` must fit parameter `parameter` of the callee; else IND0402.
bool ExpectArgument(InferContext* context, const OpInputs& inputs, int operand,
                    int callee, int parameter);

// Says where two tuples that are not Compatible differ, as the end of a message
// that has named both: "; at element 1 they are f32[8] and f32[9]", "; at
// element {1,0} ..." for a tuple in a tuple. ", as at 2 others" follows where
// more elements of the outer tuples differ. "" where one of them is not a
// tuple.
std::string DifferenceText(const Shape& a, const Shape& b);

// True when the ranks are equal and the dims pairwise CompatibleDims; element
// types are ignored. An unranked array is compatible with any array.
bool DimsAreCompatible(const Shape& a, const Shape& b);

// The unsigned integer type of `bits` bits; nullopt when there is none.
std::optional<ElementType> UnsignedOfWidth(int bits);

// The element type that operands `i` and `j`, both arrays, have in common:
// their own when equal, the more general one of two float types. Else IND0103;
// IND0108 for two float types that XLA doesn't order.
std::optional<ElementType> CommonType(InferContext* context,
                                      const OpInputs& inputs, int i, int j);

// The more general of any two element types (for dot, convolution); else
// IND0108.
std::optional<ElementType> HigherType(InferContext* context,
                                      const OpInputs& inputs, int i, int j);

// `index` must be in 0..rank-1 where operand `operand`'s rank is known; else
// IND0111, which names the attribute `what` ("dimensions").
bool ExpectDimIndex(InferContext* context, const OpInputs& inputs, int operand,
                    int64_t index, absl::string_view what);

// Every index must pass ExpectDimIndex, and no two may be equal (else IND0112).
bool ExpectUniqueDimIndices(InferContext* context, const OpInputs& inputs,
                            int operand, absl::Span<const int64_t> indices,
                            absl::string_view what);

// The broadcasting attributes of a binary elementwise op.
const BroadcastSpec& BroadcastSpecOf(const OpInputs& inputs);

// Whether arrays of equal static dims go together as they are under `spec`:
// it names no dims that could be wrong.
bool TakesEqualDims(const BroadcastSpec& spec);

// A tuple of `elements`; IND0409 when it nests too deep.
std::optional<Shape> MakeTuple(InferContext* context,
                               std::vector<Shape> elements);

// Adds IND0106 about dim `dim` of the result ("result dim 1", ...).
DiagnosticBuilder SizeOverflow(InferContext* context, int dim);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_INFER_UTIL_H_
