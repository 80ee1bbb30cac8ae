// Groups of devices given by a formula, or by axes of a mesh.

#ifndef INDIM_SHAPE_OPS_REPLICA_GROUPS_H_
#define INDIM_SHAPE_OPS_REPLICA_GROUPS_H_

#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_REPLICA_GROUPS_H_
