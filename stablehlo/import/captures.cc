// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/captures.h"

#include <utility>

#include "absl/container/flat_hash_set.h"

namespace indim::stablehlo_import {

Captures::Captures(const Ir& ir) {
  // The region that an operation stands in, of the operation that has a region.
  absl::flat_hash_map<uint32_t, RegionId> parents;
  const auto region_of_block = [&](BlockId block) {
    return block.valid() ? ir.block(block).region : RegionId();
  };
  for (uint32_t i = 0; i < ir.op_count(); ++i) {
    const mlir::Op& op = ir.op({i});
    for (const RegionId region : ir.regions(op)) {
      parents[region.index] = region_of_block(op.block);
    }
  }
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> known;
  for (uint32_t i = 0; i < ir.op_count(); ++i) {
    const mlir::Op& op = ir.op({i});
    const RegionId user = region_of_block(op.block);
    for (const ValueId value : ir.operands(op)) {
      const Value& v = ir.value(value);
      const RegionId home =
          region_of_block(v.op.valid() ? ir.op(v.op).block : v.block);
      for (RegionId at = user; at.valid() && at != home;) {
        if (known.size() >= kMost) {
          complete_ = false;
          return;
        }
        if (!known.emplace(at.index, value.index).second) break;
        lists_[at.index].push_back(value);
        const auto parent = parents.find(at.index);
        at = parent == parents.end() ? RegionId() : parent->second;
      }
    }
  }
}

absl::Span<const ValueId> Captures::Of(RegionId region) const {
  const auto found = lists_.find(region.index);
  if (found == lists_.end()) return {};
  return found->second;
}

}  // namespace indim::stablehlo_import
