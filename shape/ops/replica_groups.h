// Groups of devices given by a formula, or by axes of a mesh.

#ifndef INDIM_SHAPE_OPS_REPLICA_GROUPS_H_
#define INDIM_SHAPE_OPS_REPLICA_GROUPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/ops/attributes.h"

namespace indim {

// Sets the number and the size of the groups from groups->mesh; does nothing
// without a mesh. Returns false for an axis that the mesh doesn't have, a size
// below 1, more than 2^63-1 devices, or a number of devices that the group size
// doesn't divide.
bool CountMeshGroups(ReplicaGroups* groups);

// The product of `sizes`; nullopt: a size is not positive, or the product
// passes 2^62.
std::optional<int64_t> ProductOfSizes(absl::Span<const int64_t> sizes);
// Whether `order` holds each of 0, 1, ..., size-1 once.
bool IsPermutation(absl::Span<const int64_t> order);
// The error of the formula that reshapes 0..devices-1 to `dims` and transposes
// it by `order`, as the predicate of a sentence; "": no error. Source: XLA,
// IotaTileAssignment::Create.
std::string IotaFault(int64_t devices, absl::Span<const int64_t> dims,
                      absl::Span<const int64_t> order);
// The devices 0, 1, ... reshaped to `dims` and transposed by `order`, which
// IotaFault must find right; flattened.
std::vector<int64_t> IotaDevices(absl::Span<const int64_t> dims,
                                 absl::Span<const int64_t> order);

// The index along a factor of an axis of size `size`, of what is at `along` of
// it. The factor is of `part` and has `pre_size` parts of the axis above it;
// their product divides `size`.
int64_t IndexInFactor(int64_t along, int64_t size, int64_t pre_size,
                      int64_t part);

// Each group's devices in their order, whatever the form. All of 0..devices-1
// are one group where there are none. nullopt: the groups name more than
// `devices` devices, or CountMeshGroups or IotaFault finds an error.
std::optional<std::vector<std::vector<int64_t>>> ListGroups(
    const ReplicaGroups& groups, int64_t devices);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_REPLICA_GROUPS_H_
