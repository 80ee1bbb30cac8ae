// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/settings.h"

#include "indim/sharding/sharding_faults.h"

namespace indim::internal {

std::optional<std::string> Settings::ShardingFor(const Shape& shape) const {
  if (!sharding_ || !ShardingErrors(*sharding_, shape, /*devices=*/0).empty()) {
    return std::nullopt;
  }
  return sharding_;
}

bool Settings::EnterComposite(const char* name, Caller caller,
                              size_t first_node) {
  if (composite_ || fixed_) return false;
  composite_ = {name, caller, first_node, std::move(sharding_)};
  set_sharding(std::nullopt);
  return true;
}

}  // namespace indim::internal
