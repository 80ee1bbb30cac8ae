// SPDX-License-Identifier: Apache-2.0
// Windows that slide over an array. Convolution, reduce-window and
// select-and-scatter count positions in one way:
//
//   base      dilated (base_dilation - 1 gaps between neighbours), then padded
//   window    dilated (window_dilation - 1 gaps)
//   positions (base - window) / stride + 1, rounded down; 0 where the window is
//             larger than the base
//
// Source: XLA, InferWindowOutputShape.

#ifndef INDIM_SHAPE_INFER_WINDOW_H_
#define INDIM_SHAPE_INFER_WINDOW_H_

#include <optional>

#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"

namespace indim {

// A dim of an operand that a window slides over.
struct WindowBase {
  int operand = 0;
  int dim = 0;
};

// The number of positions that `window`, the window of result dim `result_dim`,
// has over `base`; unknown over an unknown base. Errors: a size, stride or
// dilation below 1 (IND0351), padding that removes more than the base
// (IND0227), a number that does not fit (IND0106).
std::optional<Dim> WindowPositions(InferContext* context,
                                   const OpInputs& inputs, WindowBase base,
                                   const WindowDim& window, int result_dim);

// WindowPositions for each dim of operand `operand`, which must be ranked.
// `window` must have one dim for each of its dims, else IND0350.
std::optional<DimVector> WindowedDims(InferContext* context,
                                      const OpInputs& inputs, int operand,
                                      absl::Span<const WindowDim> window);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_WINDOW_H_
