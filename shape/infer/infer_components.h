// Inference one axis at a time: element type, rank, dims, each a question of
// its own; and all of them at once. A part is known where it follows from what
// is known of the operands, also where another part can't be inferred or is
// wrong.
//
//   convolution of f32[*] and f32[3,3,8,16]   element type f32, rank 4,
//                                             dims [?,?,?,16]
//   reduce-window of f32[*], window 2x2       element type f32, rank 2
//   reshape of f32[n], no sizes given         element type f32
//   dot of f32[2,3] and f32[4,5]              element type f32, rank 2, no dims
//
// Source: MLIR, InferShapedTypeOpInterface (components) and
// InferTypeOpInterface (the whole type).

#ifndef INDIM_SHAPE_INFER_INFER_COMPONENTS_H_
#define INDIM_SHAPE_INFER_INFER_COMPONENTS_H_

#include <optional>
#include <vector>

#include "indim/shape/dims/dim.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {

// What is known of one array that an operation gives; nullopt: nothing is.
struct ShapedTypeComponents {
  std::optional<ElementType> element_type;
  std::optional<int> rank;
  // As many as rank says. A dim may be partly known: `?`, `<=8` (what picks
  // elements gives at most all of them), `2..5`, 2*n.
  std::optional<DimVector> dims;
};

// The answers of one operation: a part for each array in its result, depth
// first (tuples are flattened; tokens have no components and are left out).
// nullopt: not even that many are known. Diagnostics are not kept: who wants to
// know why asks InferShape.

// Looks at element types and attributes alone.
std::optional<std::vector<std::optional<ElementType>>> InferElementTypes(
    const OpInputs& inputs);
// Looks at ranks too, not at sizes.
std::optional<std::vector<std::optional<int>>> InferRanks(
    const OpInputs& inputs);
// All but element types; where those are wrong, the dims are what they would be
// if all operands had one type.
std::optional<std::vector<std::optional<DimVector>>> InferDims(
    const OpInputs& inputs);
// The three together, each as far as it is known.
std::vector<ShapedTypeComponents> InferComponents(const OpInputs& inputs);
// The whole type, or nothing: InferShape's answer.
std::optional<Shape> InferReturnType(const OpInputs& inputs);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_INFER_COMPONENTS_H_
