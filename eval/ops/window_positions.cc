// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/window_positions.h"

#include "absl/strings/str_cat.h"
#include "indim/shape/dims/checked_math.h"

namespace indim {
namespace {

std::optional<int64_t> CountPositions(int64_t base, const WindowDim& w) {
  if (w.size < 1 || w.stride < 1 || w.window_dilation < 1 ||
      w.base_dilation < 1) {
    return std::nullopt;
  }
  const std::optional<int64_t> dilated = CheckedDilate(base, w.base_dilation);
  const std::optional<int64_t> window =
      CheckedDilate(w.size, w.window_dilation);
  const std::optional<int64_t> low =
      dilated ? CheckedAdd(*dilated, w.padding_low) : std::nullopt;
  const std::optional<int64_t> padded =
      low ? CheckedAdd(*low, w.padding_high) : std::nullopt;
  if (!window || !padded || *padded < 0) return std::nullopt;
  // Positions are multiplied by strides later, and the products must fit too.
  if (*padded > INT64_MAX / 4 || *window > INT64_MAX / 4 ||
      w.padding_low > INT64_MAX / 4 || w.padding_low < -(INT64_MAX / 4)) {
    return std::nullopt;
  }
  return *window > *padded ? 0 : (*padded - *window) / w.stride + 1;
}

}  // namespace

std::optional<WindowPlaces> WindowPlaces::Make(
    Evaluation& e, const Sizes& base, absl::Span<const WindowDim> window) {
  if (window.size() != base.size()) {
    return e.Fail("it needs a window dim for each dim that it slides over");
  }
  WindowPlaces places;
  places.window_.assign(window.begin(), window.end());
  places.base_ = base;
  for (size_t i = 0; i < base.size(); ++i) {
    const std::optional<int64_t> count = CountPositions(base[i], window[i]);
    if (!count) {
      return e.Fail(absl::StrCat("its window in dim ", i, " has no positions"));
    }
    places.positions_.push_back(*count);
    places.sizes_.push_back(window[i].size);
  }
  return places;
}

bool WindowPlaces::Find(const Sizes& position, const Sizes& in_window,
                        Sizes* place) const {
  place->clear();
  for (size_t i = 0; i < window_.size(); ++i) {
    const WindowDim& w = window_[i];
    const int64_t at = position[i] * w.stride +
                       in_window[i] * w.window_dilation - w.padding_low;
    if (at < 0 || at % w.base_dilation != 0 ||
        at / w.base_dilation >= base_[i]) {
      return false;
    }
    place->push_back(at / w.base_dilation);
  }
  return true;
}

}  // namespace indim
