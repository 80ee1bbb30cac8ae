// SPDX-License-Identifier: Apache-2.0
// Groups of devices that communicate.

#ifndef INDIM_SHARDING_VALUES_REPLICA_GROUPS_H_
#define INDIM_SHARDING_VALUES_REPLICA_GROUPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "indim/sharding/values/mesh.h"
#include "indim/sharding/values/tile_assignment.h"

namespace indim {

// The axes of a mesh along which the devices of one group differ.
struct MeshAxes {
  Mesh mesh;
  AxisRefs axes;
};

// Explicit lists, a formula, or axes of a mesh. Without any of them all devices
// form one group.
struct ReplicaGroups {
  std::vector<std::vector<int64_t>> groups;
  // For a formula or a mesh: the number and the size of the groups; 0 for
  // explicit lists. The builder computes them for a mesh.
  int64_t iota_groups = 0;
  int64_t iota_group_size = 0;
  // The formula; empty: group 0 is 0, 1, ..., group 1 continues from there.
  IotaTransform iota = {};
  std::optional<MeshAxes> mesh = {};
};

// Sets the number and the size of the groups from groups->mesh; does nothing
// without a mesh. Returns false for an axis that the mesh doesn't have, a size
// below 1, more than 2^63-1 devices, or a number of devices that the group size
// doesn't divide.
bool CountMeshGroups(ReplicaGroups* groups);

// The groups of a formula or a mesh as a grid of groups and members. nullopt:
// they are lists, the formula or the axes have a fault, or there are too many
// devices (TileAssignment::kMaxListed) where a mesh leaves no formula.
std::optional<TileAssignment> GridOf(const ReplicaGroups& groups);

// Each group's devices in their order, whatever the form. All of 0..devices-1
// are one group where there are none. nullopt: the groups name more than
// `devices` devices, or GridOf finds a fault.
std::optional<std::vector<std::vector<int64_t>>> ListGroups(
    const ReplicaGroups& groups, int64_t devices);

// Replaces a formula or a mesh by lists. False: as ListGroups for any number of
// devices; the groups stay.
bool SpellGroups(ReplicaGroups* groups);

}  // namespace indim

#endif  // INDIM_SHARDING_VALUES_REPLICA_GROUPS_H_
