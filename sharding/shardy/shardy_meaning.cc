// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/shardy/shardy_meaning.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "indim/sharding/sharding.h"
#include "indim/sharding/values/sharding_value.h"

namespace indim {

std::optional<std::string> MeaningOfShardy(absl::string_view text,
                                           FindMesh find) {
  const auto all = ReadShardyShardings(text, find);
  if (!all.ok()) return std::nullopt;
  std::vector<std::string> parts;
  for (const Sharding::Named& named : *all) {
    if (!named.mesh.Fault().empty()) return std::nullopt;
    const std::optional<Sharding> meaning = Sharding::WithoutMesh(named);
    if (!meaning) return std::nullopt;
    parts.push_back(SerializeSharding(*meaning));
  }
  if (parts.empty()) return std::nullopt;
  return parts.size() == 1 ? parts[0] : TupleSharding(parts);
}

bool IsMeaningOfShardy(absl::string_view sharding, absl::string_view text,
                       bool is_loop, FindMesh find) {
  const std::optional<std::string> meaning = MeaningOfShardy(text, find);
  if (!meaning) return false;
  if (*meaning == sharding) return true;
  const auto own = TupleParts(sharding);
  if (own && SpreadSharding(*meaning, own->size()) == sharding) return true;
  if (!is_loop || !own) return false;
  std::vector<absl::string_view> first = {*meaning};
  if (auto parts = TupleParts(*meaning)) first = *std::move(parts);
  return first.size() < own->size() &&
         std::equal(first.begin(), first.end(), own->begin());
}

}  // namespace indim
