// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/text_positions.h"

#include <algorithm>

namespace indim {

TextPlace TextPositions::at(uint32_t position) const {
  if (position >= size_) return TextPlace();
  const auto after = std::upper_bound(
      runs_.begin(), runs_.end(), position,
      [](uint32_t wanted, const Run& run) { return wanted < run.first; });
  const Run& run = *(after - 1);
  return {LineAt(run, position), run.place.column};
}

void TextPositions::Append(const TextPositions& other) {
  const uint32_t first = size_;
  for (const Run& run : other.runs_) {
    size_ = first + run.first;
    if (runs_.empty() || !Continues(runs_.back(), size_, run.place)) {
      runs_.push_back({size_, run.place});
    }
  }
  size_ = first + other.size_;
  for (const auto& [position, name] : other.names_) {
    names_[first + position] = name;
  }
}

absl::string_view TextPositions::name(uint32_t position) const {
  const auto it = names_.find(position);
  return it == names_.end() ? absl::string_view() : it->second;
}

void TextPositions::SetName(uint32_t position, absl::string_view name) {
  names_[position] = std::string(name);
}

}  // namespace indim
