// SPDX-License-Identifier: Apache-2.0
// Forms of a few operations that exist only in a builder: the caller gives
// sizes, and the shape follows. A graph holds the plain op with its result's
// shape; the op's shape function (infer.h) checks the relation between both.
//
//   broadcast sizes    Broadcast(x, {5}):      f32[2] -> f32[5,2], prepended
//   broadcast in dim   BroadcastInDim(x, {3,2}, {1}): dims of size 1 stretch
//   reshape to sizes   Reshape(x, {6}):        f32[<=3,2] -> f32[<=6]
//   dynamic reshape    DynamicReshape(x, sizes, {6}, {true})
//   collective of a tuple  AllReduce((f32[2], f32[3])): on each element
//   random bits        RngBitGenerator(state, f32[2]): (state, u32[2])
//
// All infer as XLA's builder does, whatever the context's policy, and add
// errors to the context. In diagnostics the array is operand 0; `operand` must
// be an array or unranked, else IND0101. Source: XLA's ShapeInference and
// XlaBuilder.

#ifndef INDIM_SHAPE_INFER_BUILDER_FORMS_H_
#define INDIM_SHAPE_INFER_BUILDER_FORMS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape.h"

namespace indim {

// `sizes` as static dims. nullopt: a size is negative (IND0200).
std::optional<DimVector> DimsFromSizes(InferContext* context,
                                       absl::Span<const int64_t> sizes);

// As DimsFromSizes, for a reshape of `operand`. If exactly one size is
// negative, the error names the size that would keep the number of elements.
std::optional<DimVector> DimsOfReshape(InferContext* context,
                                       const Shape& operand,
                                       absl::Span<const int64_t> sizes);

// Replaces the first unknown one of `dims`, the dims of a reshape of `operand`,
// by what the others leave of the operand's elements; a bounded dim counts as
// its bound. Where a size has a name it does nothing, because InferReshapeTo
// does the same then. False: the operand has dims that can't be counted
// (IND0207), another of `dims` is unknown (IND0239), the others have a 0
// (IND0237), or their product doesn't divide the operand's elements (IND0238).
// Source: NumPy, reshape.
bool FillInMissingDim(InferContext* context, const Shape& operand,
                      DimVector* dims);

// `sizes`, then the operand's dims. Errors: a negative size (IND0200), an
// operand with unknown dims (IND0214).
std::optional<Shape> InferBroadcastSizes(InferContext* context,
                                         const Shape& operand,
                                         absl::Span<const int64_t> sizes);

// `dims`, where dim i of the operand goes to dim broadcast_dimensions[i] and
// stretches if it is a static 1. A bounded dim of the operand stays bounded; a
// bounded dim in `dims` counts as its bound. Errors: an unknown result size
// (IND0207), a lower rank (IND0215), a map of wrong length, range or order
// (IND0216..IND0218), sizes that don't fit (IND0220).
std::optional<Shape> InferBroadcastInDim(
    InferContext* context, const Shape& operand, absl::Span<const Dim> dims,
    absl::Span<const int64_t> broadcast_dimensions);

// `dims` as sizes (a bounded dim counts as its bound), bounded where a bounded
// dim of the operand ends up. `inferred_dimension` chooses the result dim where
// several could be bounded (-1: the most-major one that isn't 1). Errors: an
// unknown result size (IND0207), element counts that differ (IND0206), bounded
// dims whose place is ambiguous (IND0208..IND0211). An operand with an unknown
// dim fits any sizes. If the operand or `dims` has a symbolic size, at most one
// of `dims` may be unknown: it becomes the operand's element count divided by
// the product of the others (that this divides exactly may be a run-time
// condition).
std::optional<Shape> InferReshapeTo(InferContext* context, const Shape& operand,
                                    absl::Span<const Dim> dims,
                                    int64_t inferred_dimension = -1);

// Result dim i is bounds[i], bounded where dims_are_dynamic[i]; `sizes` are the
// operands that carry the sizes at run time. Errors: lists of unequal length
// (IND0212), a size that is neither s32 nor a scalar (IND0213), a negative
// bound (IND0200), an operand with unknown dims and no empty one (IND0232),
// element counts that differ, bounds taken for sizes (IND0206).
std::optional<Shape> InferDynamicReshapeTo(
    InferContext* context, const Shape& operand,
    absl::Span<const Shape* const> sizes, absl::Span<const int64_t> bounds,
    const std::vector<bool>& dims_are_dynamic);

// Infers an all-reduce, all-gather or reduce-scatter. If its only operand is a
// tuple, the op takes the tuple's elements as operands (a graph has a
// get-tuple-element for each) and gives a tuple of results. For a tuple of one
// element only all-reduce gives a tuple; all-gather and reduce-scatter give the
// bare array, as XLA's builder does. For other operands it is InferShape.
// Errors: InferShape's; an empty tuple (IND0518); different element types for
// one reducer (IND0517).
std::optional<Shape> InferCollectiveOfTuple(InferContext* context,
                                            const OpInputs& inputs);
// Checks the tuple alone: adds IND0518 or IND0517.
bool CheckCollectiveTuple(InferContext* context, Opcode opcode,
                          const Shape& tuple);

// The one unknown dim of `result`, from the operand's element count divided by
// the product of `others`, the other dims. Factors that both sides share are
// cancelled; that each is at least 1, and that the division is exact, may
// become conditions. nullopt with IND0206: it doesn't divide. `?`: after
// cancelling, `others` still has a dim that is not static, the operand has one
// that is neither static nor symbolic, or the product of `others` is 0 or too
// large.
std::optional<Dim> InferMissingSize(InferContext* context, const Shape& operand,
                                    absl::Span<const Dim> others,
                                    const Shape& result);

// The result (state, bits) of an rng-bit-generator for bits of the dims and the
// width of `bits`: unsigned integers of that width. Errors: `bits` is not an
// array (IND0411), no unsigned type has that width (IND0519).
std::optional<Shape> InferRandomBits(InferContext* context, const Shape& state,
                                     const Shape& bits);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_BUILDER_FORMS_H_
