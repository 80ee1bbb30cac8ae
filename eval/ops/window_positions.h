// Windows that slide over an array: where each of their elements lies.

#ifndef INDIM_EVAL_OPS_WINDOW_POSITIONS_H_
#define INDIM_EVAL_OPS_WINDOW_POSITIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/shape/ops/attributes.h"

namespace indim {

class WindowPlaces {
 public:
  // `window` over an array of these sizes, a window dim for each; nullopt with
  // an error: sizes, strides or dilations below 1, numbers that overflow.
  static std::optional<WindowPlaces> Make(Evaluation& e, const Sizes& base,
                                          absl::Span<const WindowDim> window);

  // How many positions the window has in each dim, and how many elements.
  const Sizes& positions() const { return positions_; }
  const Sizes& sizes() const { return sizes_; }

  // Where element `in_window` of the window at `position` lies in the array;
  // false: in the padding or between its elements.
  bool Find(const Sizes& position, const Sizes& in_window, Sizes* place) const;

 private:
  std::vector<WindowDim> window_;
  Sizes base_, positions_, sizes_;
};

}  // namespace indim

#endif  // INDIM_EVAL_OPS_WINDOW_POSITIONS_H_
