#include "indim/stablehlo/text/location_aliases.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace indim::mlir {

LocationAliases::Alias& LocationAliases::At(AttrId location) {
  if (!location.valid()) return unknown_;
  if (location.index >= aliases_.size()) aliases_.resize(location.index + 1);
  return aliases_[location.index];
}

void LocationAliases::Add(AttrId location, bool early) {
  Alias* alias = &At(location);
  if (alias->noted && (alias->early || !early)) return;
  const bool fresh = !alias->noted;
  alias->noted = true;
  alias->early |= early;
  uint32_t depth = 0;
  if (location.valid() && ir_.attr(location).kind != AttrKind::kFileLoc) {
    for (const AttrId part : ir_.attr(location).elements) {
      Add(part, early);
      depth = std::max(depth, At(part).depth + 1);
    }
  }
  At(location).depth = depth;
  if (fresh) order_.push_back(location);
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
