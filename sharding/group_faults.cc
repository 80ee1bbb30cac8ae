// Faults of groups of devices that a formula or the axes of a mesh give.

#include <cstdint>
#include <optional>
#include <string>

#include "indim/shape/ops/replica_groups.h"
#include "indim/sharding/mesh.h"
#include "indim/sharding/sharding_faults.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

using field::HloInstructionProto::kIotaCollectiveDeviceList;
using field::HloInstructionProto::kMeshAxesReplicaGroupList;

std::string FormulaFault(absl::string_view wire) {
  namespace of = field::IotaReplicaGroupListProto;
  FieldList list(WireMessage::kIotaReplicaGroupListProto);
  list.Append(wire);
  const std::optional<int64_t> devices =
      ProductOfSizes({list.Number(of::kNumReplicaGroups),
                      list.Number(of::kNumDevicesPerGroup)});
  if (!devices) return "names no devices";
  return IotaFault(*devices, list.Numbers(of::kIotaReshapeDims),
                   list.Numbers(of::kIotaTransposePerm));
}

std::string AxesFault(absl::string_view wire) {
  namespace of = field::MeshAxesReplicaGroupListProto;
  FieldList list(WireMessage::kMeshAxesReplicaGroupListProto);
  list.Append(wire);
  const Mesh mesh = Mesh::FromWire(list.Text(of::kMesh));
  const std::string fault = mesh.Fault();
  if (!fault.empty()) return fault;
  const AxisRefs axes = AxesFromWire(list.Texts(of::kAxes));
  for (const AxisRef& axis : axes) {
    // The mesh lacks the axis: such attributes can't be read at all.
    if (!mesh.has(axis)) return "";
  }
  return AxisUse(mesh).Take(axes, /*sorted=*/false);
}

}  // namespace

std::string GroupFault(const AttributeBytesView& collective) {
  const absl::string_view formula =
      AttributeBytesField(collective, kIotaCollectiveDeviceList);
  if (!formula.empty()) return FormulaFault(formula);
  const absl::string_view axes =
      AttributeBytesField(collective, kMeshAxesReplicaGroupList);
  return axes.empty() ? "" : AxesFault(axes);
}

}  // namespace indim
