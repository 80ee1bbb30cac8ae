// Forms of a few operations that only a builder speaks: the author gives sizes,
// the shape follows. In a graph there is only the op itself, with its result
// shape given; its shape function (infer.h) checks the relation between both.
//
//   broadcast sizes    Broadcast(x, {5}):      f32[2] -> f32[5,2], prepended
//   broadcast in dim   BroadcastInDim(x, {3,2}, {1}): dims of size 1 stretch
//   reshape to sizes   Reshape(x, {6}):        f32[<=3,2] -> f32[<=6]
//   dynamic reshape    DynamicReshape(x, sizes, {6}, {true})
//   collective of a tuple  AllReduce((f32[2], f32[3])): of its elements
//   random bits        RngBitGenerator(state, f32[2]): (state, u32[2])
//
// All answer as XLA's builder does, whatever the context's policy, and add what
// is wrong to the context. In diagnostics the array is operand 0; `operand`
// must be an array or unranked, else IND0101. Source: XLA's ShapeInference and
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

// Sizes that a person or a file wrote, as static dims. nullopt: a negative one
// (IND0200).
std::optional<DimVector> DimsFromSizes(InferContext* context,
                                       absl::Span<const int64_t> sizes);

// The same of a reshape of `operand`; where one size alone is negative, the
// error says which one keeps the elements.
std::optional<DimVector> DimsOfReshape(InferContext* context,
                                       const Shape& operand,
                                       absl::Span<const int64_t> sizes);

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

// `dims` as sizes (a bounded one counts as its bound), bounded where a bounded
// dim of the operand ends up. `inferred_dimension` says which result dim takes
// it where several could (-1: the most-major that isn't 1). Errors: an unknown
// result size (IND0207),
// element counts that differ (IND0206), bounded dims that have no one place
// (IND0208..IND0211). An operand with an unknown dim fits any sizes.
// Where the operand or `dims` has a symbolic size, at most one of `dims` may be
// unknown: it is what the others leave, by exact division (whether it comes out
// even may be a run-time condition).
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

// all-reduce, all-gather or reduce-scatter whose one operand is a tuple: of the
// tuple's elements, which the graph takes out first, put together again. Of a
// tuple of one, in XLA's builder only an all-reduce's is a tuple again; of
// all-gather and reduce-scatter the array stays bare.
// Errors: those of the op; an empty tuple (IND0518); different element types
// that one computation folds (IND0517). Anything else than one tuple: as
// InferShape.
std::optional<Shape> InferCollectiveOfTuple(InferContext* context,
                                            const OpInputs& inputs);
// The part of it that is about the tuple: its two errors.
bool CheckCollectiveTuple(InferContext* context, Opcode opcode,
                          const Shape& tuple);

// Of all dims but one, which is unknown, what that one is: the operand's
// element count over the product of the others. Whether that divides, and that
// what both sides share is not 0, may become conditions. nullopt with IND0206:
// it doesn't divide. `?` where a size that both sides don't share is neither
// static nor (of the operand) symbolic, or the product of the others is 0.
std::optional<Dim> InferMissingSize(InferContext* context, const Shape& operand,
                                    absl::Span<const Dim> others,
                                    const Shape& result);

// The result of an rng-bit-generator that is asked for bits in the form of
// `bits`: unsigned integers of that width. Errors: no array (IND0411), a width
// that no unsigned type has (IND0519).
std::optional<Shape> InferRandomBits(InferContext* context, const Shape& state,
                                     const Shape& bits);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_BUILDER_FORMS_H_
