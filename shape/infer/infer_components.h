// SPDX-License-Identifier: Apache-2.0
// Inference of element type, rank and dims, each alone, or all at once. A
// component is known where the known parts of the operands determine it, even
// if another component can't be inferred or is wrong.
//
//   convolution of f32[*] and f32[3,3,8,16]   element type f32, rank 4,
//                                             dims [?,?,?,16]
//   reduce-window of f32[*], window 2x2       element type f32, rank 2
//   reshape of f32[n], no sizes given         element type f32
//   dot of f32[2,3] and f32[4,5]              element type f32, rank 2, no dims
//
// Source: MLIR, InferShapedTypeOpInterface (components).

#ifndef INDIM_SHAPE_INFER_INFER_COMPONENTS_H_
#define INDIM_SHAPE_INFER_INFER_COMPONENTS_H_

#include <optional>
#include <vector>

#include "indim/shape/dims/dim.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {

// The components of one array in an operation's result; nullopt: not known.
struct ShapedTypeComponents {
  std::optional<ElementType> element_type;
  std::optional<int> rank;
  // One for each dim of `rank`. A dim may be partly known: `?`, `<=8` (an op
  // that picks elements gives at most all of them), `2..5`, 2*n.
  std::optional<DimVector> dims;
};

// Each function returns one item for each array in the result, depth first:
// tuples are flattened, and tokens, which have no components, are left out.
// nullopt: not even the number of arrays is known. Diagnostics are dropped;
// InferShape gives them.

// Uses element types and attributes; ranks and sizes only where the op has no
// answer without them.
std::optional<std::vector<std::optional<ElementType>>> InferElementTypes(
    const OpInputs& inputs);
// Uses element types, attributes and ranks; sizes only where the op has no
// answer without them.
std::optional<std::vector<std::optional<int>>> InferRanks(
    const OpInputs& inputs);
// Uses everything, but wrong element types don't fail: then the dims are
// inferred as if every operand had operand 0's element type.
std::optional<std::vector<std::optional<DimVector>>> InferDims(
    const OpInputs& inputs);
// All three components, each as far as it is known.
std::vector<ShapedTypeComponents> InferComponents(const OpInputs& inputs);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_INFER_COMPONENTS_H_
