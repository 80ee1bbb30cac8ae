// Steps that several shape functions of data movement and contraction share.

#ifndef INDIM_SHAPE_INFER_INFER_SIZES_H_
#define INDIM_SHAPE_INFER_INFER_SIZES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape.h"

namespace indim {

// A dim of an operand.
struct OperandDim {
  int operand = 0;
  int dim = 0;
};

// The two sizes can be equal (CompatibleDims); else IND0203. Where that is not
// certain, the context gets it as a run-time condition. Both operands must be
// ranked and have the dim.
bool ExpectEqualSizes(InferContext* context, const OpInputs& inputs,
                      OperandDim a, OperandDim b);

// What is left to run time of a size that was found to be possible, where the
// size isn't known: nothing for dims that are static or bounded (bounds count
// as sizes, as in XLA). `condition.a` is a dim of a ranked operand.
void NoteCondition(InferContext* context, const OpInputs& inputs,
                   const SizeCondition& condition);
// That dim `a` is at least, or a multiple of, `value`.
void NoteAtLeast(InferContext* context, const OpInputs& inputs, OperandDim a,
                 int64_t value);
void NoteDivisible(InferContext* context, const OpInputs& inputs, OperandDim a,
                   int64_t value);
// That dims of operands `a` and `b`, which are Compatible, are equal where a
// symbol is in play.
void NoteEqualDims(InferContext* context, const Shape& a, const Shape& b);

// Operands `a` and `b` have equal ranks (IND0204) and sizes; an unranked one
// makes no claim.
bool ExpectEqualDims(InferContext* context, const OpInputs& inputs, int a,
                     int b);

// The array `operand` (operand 0) can have as many elements as `result`, both
// ranked. Bounds count as sizes, as in XLA; with a dim that is neither static
// nor bounded it is enough that some run-time sizes fit; of symbolic sizes the
// equation becomes a condition. Errors: IND0206, IND0106.
bool ExpectEqualElementCounts(InferContext* context, const Shape& operand,
                              const Shape& result);

// The two dims, known to be compatible, as one: XLA's answer is `winner`; with
// an interval in play, what both have in common.
Dim MergeDims(Dim winner, Dim other);

// A part of `size` elements fits into a dim of `whole`, or may at run time:
// bounds count as sizes, as in XLA. `whole` is known or an interval.
bool SizeFits(Dim whole, Dim size);

// The shape that the result is asked to have, an array; null after IND0104 or
// IND0030.
const Shape* ExpectDeclaredArray(InferContext* context, const OpInputs& inputs);

inline bool Contains(const DimIndices& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}
// For diagnostics, whose numbers are int64_t.
inline int64_t Number(size_t n) { return static_cast<int64_t>(n); }
// "0,2,1"
std::string ListText(absl::Span<const int64_t> numbers);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_INFER_SIZES_H_
