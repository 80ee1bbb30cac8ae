// SPDX-License-Identifier: Apache-2.0
// The faults of the bytes of shardings and of replica groups. Used by the
// checks of modules and by the builder.

#ifndef INDIM_SHARDING_SHARDING_FAULTS_H_
#define INDIM_SHARDING_SHARDING_FAULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/types/shape.h"

namespace indim {

// The fault for which XLA's importer refuses a sharding of any shape, as the
// predicate of a sentence; "": none. `wire` is a canonical OpSharding.
std::string ShardingFault(absl::string_view wire);

// The errors of a sharding of a value of `shape` on `devices` devices (0:
// unknown), in order. For Shape::Kind::kNone only the errors that occur with
// every shape. `wire` is a canonical OpSharding. Errors: IND0785..IND0789.
// Source: XLA, HloSharding::Validate.
std::vector<Diagnostic> ShardingErrors(absl::string_view wire,
                                       const Shape& shape, int64_t devices);

// The fault of the replica groups in a collective's attribute bytes, as the
// predicate of a sentence about their formula (IND0797); "": none, or they are
// lists. Source: XLA, IotaReplicaGroupList::FromProto,
// MeshAxesReplicaGroupList::FromProto.
std::string GroupFault(const AttributeBytesView& collective);

}  // namespace indim

#endif  // INDIM_SHARDING_SHARDING_FAULTS_H_
