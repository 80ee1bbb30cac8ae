// SPDX-License-Identifier: Apache-2.0
// Faults of groups of devices that a formula or the axes of a mesh give.

#include <optional>
#include <string>

#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/sharding_faults.h"
#include "indim/sharding/values/axis_use.h"
#include "indim/sharding/values/replica_groups.h"

namespace indim {

std::string GroupFault(const AttributeBytesView& collective) {
  namespace of = field::HloInstructionProto;
  const FieldList fields = FieldList::Of(collective);
  const ReplicaGroups groups = ReplicaGroupsOf(fields);
  if (!fields.Text(of::kIotaCollectiveDeviceList).empty()) {
    const std::optional<int64_t> devices =
        ProductOfSizes({groups.iota_groups, groups.iota_group_size});
    return devices ? IotaFault(*devices, groups.iota) : "names no devices";
  }
  if (!groups.mesh) return "";
  const auto& [mesh, axes] = *groups.mesh;
  std::string fault = mesh.Fault();
  return fault.empty() ? AxisUse(mesh).Take(axes, /*sorted=*/false) : fault;
}

}  // namespace indim
