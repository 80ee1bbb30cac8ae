// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/values/replica_groups.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "indim/shape/dims/checked_math.h"

namespace indim {

bool CountMeshGroups(ReplicaGroups* groups) {
  if (!groups->mesh) return true;
  const Mesh& mesh = groups->mesh->mesh;
  DimIndices axes;
  for (const AxisRef& ref : groups->mesh->axes) {
    axes.push_back(mesh.has(ref) ? std::max<int64_t>(mesh.SizeOf(ref), 0) : 0);
  }
  const DimIndices sizes = mesh.sizes();
  if (std::any_of(sizes.begin(), sizes.end(),
                  [](int64_t size) { return size < 1; })) {
    return false;
  }
  const std::optional<int64_t> devices = CheckedProduct(sizes);
  const std::optional<int64_t> size = CheckedProduct(axes);
  if (!devices || !size || *size == 0 || *devices % *size != 0) return false;
  groups->iota_groups = *devices / *size;
  groups->iota_group_size = *size;
  return true;
}

std::optional<TileAssignment> GridOf(const ReplicaGroups& groups) {
  if (groups.mesh) return groups.mesh->mesh.Groups(groups.mesh->axes);
  const DimIndices dims = {groups.iota_groups, groups.iota_group_size};
  if (!groups.iota.reshape_dims.empty()) {
    return TileAssignment::Iota(dims, groups.iota);
  }
  const std::optional<int64_t> count = ProductOfSizes(dims);
  if (!count) return std::nullopt;
  return TileAssignment::Iota(dims, {{*count}, {0}});
}

std::optional<std::vector<std::vector<int64_t>>> ListGroups(
    const ReplicaGroups& groups, int64_t devices) {
  using Groups = std::vector<std::vector<int64_t>>;
  if (groups.iota_group_size <= 0 && !groups.mesh) {
    const bool has_none = std::all_of(
        groups.groups.begin(), groups.groups.end(),
        [](const std::vector<int64_t>& group) { return group.empty(); });
    if (!has_none || groups.groups.size() > 1) return groups.groups;
    std::vector<int64_t> all(static_cast<size_t>(devices));
    std::iota(all.begin(), all.end(), 0);
    return Groups{std::move(all)};
  }
  const std::optional<TileAssignment> grid = GridOf(groups);
  if (!grid || grid->count() > devices) return std::nullopt;
  return grid->Rows();
}

bool SpellGroups(ReplicaGroups* groups) {
  if (groups->iota_group_size <= 0 && !groups->mesh) return true;
  auto lists = ListGroups(*groups, std::numeric_limits<int64_t>::max());
  if (!lists) return false;
  *groups = {};
  groups->groups = *std::move(lists);
  return true;
}

}  // namespace indim
