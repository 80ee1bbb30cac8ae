// Groups of devices that are given by a formula, or by a mesh and some of its
// axes.

#ifndef INDIM_SHAPE_OPS_REPLICA_GROUPS_H_
#define INDIM_SHAPE_OPS_REPLICA_GROUPS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "indim/shape/ops/attributes.h"

namespace indim {

// Sets how many groups there are, and how large, from groups->mesh, where that
// is given. False: an axis that the mesh doesn't have, a size below 1, a number
// of devices above 2^63-1, or one that the groups don't divide.
bool CountMeshGroups(ReplicaGroups* groups);

// The product of positive sizes; nullopt: one isn't, or it passes 2^62.
std::optional<int64_t> ProductOfSizes(absl::Span<const int64_t> sizes);
// Whether `order` has each of 0, 1, ... once.
bool IsPermutation(absl::Span<const int64_t> order);
// What is wrong with 0..devices-1 reshaped to `dims` and transposed by `order`,
// as what is said of the formula; "": nothing. Source: XLA,
// IotaTileAssignment::Create.
std::string IotaFault(int64_t devices, absl::Span<const int64_t> dims,
                      absl::Span<const int64_t> order);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_REPLICA_GROUPS_H_
