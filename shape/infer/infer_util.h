// What many shape functions check: small steps that add the diagnostic.
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

// Operand `i` is an array, ranked or not; else IND0101.
bool ExpectArray(InferContext* context, const OpInputs& inputs, int i);

// Operand `i` is an array of class `c`; else IND0101 or IND0102.
bool ExpectClass(InferContext* context, const OpInputs& inputs, int i,
                 OperandClass c);

// Operand `i` is a scalar, or unranked; else IND0109.
bool ExpectScalar(InferContext* context, const OpInputs& inputs, int i);

// Operand `i` is a token; else IND0110.
bool ExpectToken(InferContext* context, const OpInputs& inputs, int i);

// Callee number `callee` takes `count` parameters; else IND0401.
bool ExpectArity(InferContext* context, const OpInputs& inputs, int callee,
                 size_t count);

// Callee number `callee` takes one parameter; else IND0648, which tells of the
// tuple that several would be, or IND0401 where there is none.
bool ExpectOneValue(InferContext* context, const OpInputs& inputs, int callee);

// Operand `operand` may be passed as parameter `parameter`; else IND0402.
bool ExpectArgument(InferContext* context, const OpInputs& inputs, int operand,
                    int callee, int parameter);

// Where two tuples that don't go together differ, for the end of a message that
// has named both: "; at element 1 they are f32[8] and f32[9]", "; at element
// {1,0} ..." of a tuple in a tuple, "..., as at 2 others" where more elements
// of the tuples themselves differ; "" where one of them is no tuple.
std::string DifferenceText(const Shape& a, const Shape& b);

// Same rank and CompatibleDims; element types don't count. Unranked arrays go
// with anything.
bool DimsAreCompatible(const Shape& a, const Shape& b);

// The unsigned type of as many bits; nullopt: there is none.
std::optional<ElementType> UnsignedOfWidth(int bits);

// The one element type of operands `i` and `j`, both arrays: theirs when equal,
// the more general where floats mix. Else IND0103; IND0108 where floats mix
// that XLA has no order for.
std::optional<ElementType> CommonType(InferContext* context,
                                      const OpInputs& inputs, int i, int j);

// The more general of any two types (dot, convolution); IND0108.
std::optional<ElementType> HigherType(InferContext* context,
                                      const OpInputs& inputs, int i, int j);

// `index` is in 0..rank-1, where `operand`'s rank is known; else IND0111, which
// names the attribute `what` ("dimensions").
bool ExpectDimIndex(InferContext* context, const OpInputs& inputs, int operand,
                    int64_t index, absl::string_view what);

// All of them are, and no two are equal (IND0112).
bool ExpectUniqueDimIndices(InferContext* context, const OpInputs& inputs,
                            int operand, absl::Span<const int64_t> indices,
                            absl::string_view what);

// What a binary elementwise op says about broadcasting.
const BroadcastSpec& BroadcastSpecOf(const OpInputs& inputs);

// A tuple of `elements`; IND0409 when it nests too deep.
std::optional<Shape> MakeTuple(InferContext* context,
                               std::vector<Shape> elements);

// Adds IND0106 about dim `dim` of the result ("result dim 1", ...).
DiagnosticBuilder SizeOverflow(InferContext* context, int dim);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_INFER_UTIL_H_
