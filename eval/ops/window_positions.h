// SPDX-License-Identifier: Apache-2.0
// Windows that slide over an array: the places of their elements.

#ifndef INDIM_EVAL_OPS_WINDOW_POSITIONS_H_
#define INDIM_EVAL_OPS_WINDOW_POSITIONS_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/shape/ops/attributes.h"

namespace indim {

class WindowPlaces {
 public:
  // `window` over an array of sizes `base`, with one window dim for each.
  // nullopt after an error: sizes, strides or dilations below 1, numbers that
  // overflow.
  static std::optional<WindowPlaces> Make(Evaluation& e, const Sizes& base,
                                          absl::Span<const WindowDim> window);

  // The numbers of positions, and of window elements, in each dim.
  const Sizes& positions() const { return positions_; }
  const Sizes& sizes() const { return sizes_; }

  // The place in the array of element `in_window` of the window at `position`.
  // Returns false where it lies in padding or between elements.
  bool Find(const Sizes& position, const Sizes& in_window, Sizes* place) const;

 private:
  std::vector<WindowDim> window_;
  Sizes base_, positions_, sizes_;
};

}  // namespace indim

#endif  // INDIM_EVAL_OPS_WINDOW_POSITIONS_H_
