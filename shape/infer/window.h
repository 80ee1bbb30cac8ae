// Windows that slide over an array: convolution, reduce-window and
// select-and-scatter count positions the same way.
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

// How many positions `window`, that of result dim `result_dim`, has over
// `base`. An unknown base gives an unknown number. Errors: a size, stride or
// dilation below 1 (IND0351), padding that takes more than the base
// (IND0227), a number that does not fit (IND0106).
std::optional<Dim> WindowPositions(InferContext* context,
                                   const OpInputs& inputs, WindowBase base,
                                   const WindowDim& window, int result_dim);

// The same for all dims of operand `operand`, which is ranked: one window dim
// for each (IND0350).
std::optional<DimVector> WindowedDims(InferContext* context,
                                      const OpInputs& inputs, int operand,
                                      absl::Span<const WindowDim> window);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_WINDOW_H_
