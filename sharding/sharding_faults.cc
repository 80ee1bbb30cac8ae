// Reads shardings (XLA: HloSharding::FromProto, NamedSharding::FromProto,
// VerifyNamedSharding).

#include "indim/sharding/sharding_faults.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "indim/shape/ops/replica_groups.h"
#include "indim/sharding/named_sharding.h"
#include "indim/sharding/sharding.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

using field::OpSharding::kIotaReshapeDims;
using field::OpSharding::kIotaTransposePerm;
using field::OpSharding::kLastTileDims;
using field::OpSharding::kNamedSharding;
using field::OpSharding::kReplicateOnLastTileDim;
using field::OpSharding::kTileAssignmentDevices;
using field::OpSharding::kTileAssignmentDimensions;
using field::OpSharding::kType;

// "[2,1099511627776,...]": the first few, because a file can hold a million.
std::string SomeOf(const DimIndices& sizes) {
  constexpr size_t kMax = 8;
  return absl::StrCat(
      "[", absl::StrJoin(absl::MakeConstSpan(sizes).subspan(0, kMax), ","),
      sizes.size() > kMax ? ",...]" : "]");
}

ShardingForm Faulty(std::string fault) {
  ShardingForm form;
  form.fault = std::move(fault);
  return form;
}

// Reads the number of devices from a formula for the devices of tiles. Returns
// its fault; "": none.
std::string ReadIota(const FieldList& sharding, const DimIndices& iota,
                     int64_t* count) {
  if (!sharding.Numbers(kTileAssignmentDevices).empty()) {
    return "lists devices and gives a formula for them";
  }
  const std::optional<int64_t> product = ProductOfSizes(iota);
  if (!product || sharding.Numbers(kIotaTransposePerm).size() != iota.size()) {
    return absl::StrCat("has an impossible formula for its devices, ",
                        SomeOf(iota));
  }
  *count = *product;
  return "";
}

ShardingForm ReadTiles(const FieldList& sharding) {
  ShardingForm form;
  const DimIndices dims = sharding.Numbers(kTileAssignmentDimensions);
  const DimIndices iota = sharding.Numbers(kIotaReshapeDims);
  form.devices = sharding.Numbers(kTileAssignmentDevices);
  // With one device everything is replicated, whatever the other fields are.
  if (form.devices.size() == 1 && iota.empty()) return ShardingForm();
  const auto is_one = [](int64_t size) { return size == 1; };
  if (!iota.empty() && std::all_of(iota.begin(), iota.end(), is_one)) {
    return ShardingForm();
  }
  if (dims.empty()) return Faulty("has no tiles");
  const std::optional<int64_t> tiles = ProductOfSizes(dims);
  if (!tiles) {
    return Faulty(absl::StrCat("has impossible tiles, ", SomeOf(dims)));
  }
  form.device_count = static_cast<int64_t>(form.devices.size());
  if (!iota.empty()) {
    std::string fault = ReadIota(sharding, iota, &form.device_count);
    if (!fault.empty()) return Faulty(std::move(fault));
  }
  if (form.device_count != *tiles) {
    form.tiles = *tiles;
    form.fault = absl::StrCat("has ", *tiles, " tiles, but names ",
                              form.device_count, " devices");
    return form;
  }
  size_t subgroups = sharding.Numbers(kLastTileDims).size();
  if (sharding.Number(kReplicateOnLastTileDim) != 0) {
    if (subgroups > 0) return Faulty("says twice what its last tiles are");
    subgroups = 1;
  }
  if (subgroups > dims.size()) {
    return Faulty(absl::StrCat("has ", dims.size(), " dims of tiles, but ",
                               subgroups, " subgroups"));
  }
  form.rank = static_cast<int>(dims.size() - subgroups);
  return form;
}

// Reads a sharding by axes of a mesh.
ShardingForm ReadNamed(absl::string_view wire) {
  const NamedSharding named = NamedSharding::FromWire(wire);
  const Mesh& mesh = named.mesh;
  std::string fault = mesh.Fault();
  if (!fault.empty()) return Faulty(absl::StrCat("is of a mesh that ", fault));
  AxisUse use(mesh);
  bool splits = false;
  for (const NamedSharding::DimSharding& dim : named.dims) {
    fault = use.Take(dim.axes, /*sorted=*/false);
    if (!fault.empty()) return Faulty(std::move(fault));
    splits = splits || use.parts() != 1;
  }
  bool covers = false;  // one list uses all devices
  for (const AxisRefs* list :
       {&named.replicated, &named.unreduced, &named.manual}) {
    fault = use.Take(*list, /*sorted=*/true);
    if (!fault.empty()) return Faulty(std::move(fault));
    if (list == &named.replicated || list->empty()) continue;
    splits = true;
    covers = covers || mesh.AreAllAxes(*list);
  }
  ShardingForm form;
  if (mesh.is_maximal()) {
    form.devices = mesh.device_ids;
  } else if (splits && !covers) {
    form.rank = static_cast<int>(named.dims.size());
    form.device_count = mesh.axes.empty() ? 0 : *ProductOfSizes(mesh.sizes());
  }
  return form;
}

}  // namespace

ShardingForm ReadShardingForm(absl::string_view wire) {
  FieldList sharding(WireMessage::kOpSharding);
  sharding.Append(wire);
  if (sharding.has(kNamedSharding)) {
    return ReadNamed(sharding.Text(kNamedSharding));
  }
  const int64_t type = sharding.Number(kType);
  if (type == sharding_type::kOther) return ReadTiles(sharding);
  ShardingForm form;
  if (type == sharding_type::kTuple) {
    form.fault = "has a tuple inside a tuple";
  } else if (type == sharding_type::kMaximal) {
    form.devices = sharding.Numbers(kTileAssignmentDevices);
    if (form.devices.size() != 1) {
      return Faulty(absl::StrCat("of one device names ", form.devices.size()));
    }
  }
  return form;
}

std::string ShardingFault(absl::string_view wire) {
  const auto parts = TupleParts(wire);
  if (!parts) return ReadShardingForm(wire).fault;
  for (absl::string_view part : *parts) {
    std::string fault = ReadShardingForm(part).fault;
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace indim
