// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/location_aliases.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace indim::mlir {

LocationAliases::Alias& LocationAliases::At(AttrId location) {
  if (!location.valid()) return unknown_;
  if (location.index >= aliases_.size()) aliases_.resize(location.index + 1);
  return aliases_[location.index];
}

absl::Span<const AttrId> LocationAliases::PartsOf(AttrId location) const {
  const Attribute& a = ir_.attr(location);
  if (a.kind == AttrKind::kFileLoc) return {};
  return a.elements;
}

// A module of HLO may hold a stack of any depth, so this has one of its own.
void LocationAliases::Add(AttrId location, bool early) {
  struct Visit {
    AttrId location;
    bool fresh = false;
    bool parts_done = false;
  };
  std::vector<Visit> stack = {{location}};
  while (!stack.empty()) {
    const Visit top = stack.back();
    const absl::Span<const AttrId> parts = PartsOf(top.location);
    Alias* const alias = &At(top.location);
    if (top.parts_done) {
      stack.pop_back();
      uint32_t depth = 0;
      for (const AttrId part : parts) {
        depth = std::max(depth, At(part).depth + 1);
      }
      At(top.location).depth = depth;
      if (top.fresh) order_.push_back(top.location);
    } else if (alias->noted && (alias->early || !early)) {
      stack.pop_back();
    } else {
      stack.back().fresh = !alias->noted;
      stack.back().parts_done = true;
      alias->noted = true;
      alias->early |= early;
      for (size_t i = parts.size(); i > 0; --i) stack.push_back({parts[i - 1]});
    }
  }
}

void LocationAliases::Number() {
  std::stable_sort(order_.begin(), order_.end(), [this](AttrId a, AttrId b) {
    return At(a).depth < At(b).depth;
  });
  uint32_t number = 0;
  for (const AttrId location : order_) At(location).number = number++;
}

bool LocationAliases::Append(AttrId location, std::string* out) const {
  const bool known = !location.valid() || location.index < aliases_.size();
  if (!known) return false;
  const Alias& alias = location.valid() ? aliases_[location.index] : unknown_;
  if (!alias.noted) return false;
  out->append("#loc");
  if (alias.number > 0) absl::StrAppend(out, alias.number);
  return true;
}

std::vector<AttrId> LocationAliases::Listed(bool early) const {
  std::vector<AttrId> listed;
  for (const AttrId location : order_) {
    const Alias& alias = location.valid() ? aliases_[location.index] : unknown_;
    if (alias.early == early) listed.push_back(location);
  }
  return listed;
}

}  // namespace indim::mlir
