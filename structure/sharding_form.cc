// Reads shardings (XLA: HloSharding::FromProto, NamedSharding::FromProto,
// VerifyNamedSharding).

#include "indim/structure/sharding_form.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "indim/shape/ops/replica_groups.h"
#include "indim/structure/mesh.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace structure {
namespace {

using field::NamedShardingProto::kDimShardings;
using field::NamedShardingProto::kManualAxes;
using field::NamedShardingProto::kMesh;
using field::NamedShardingProto::kReplicatedAxes;
using field::NamedShardingProto::kUnreducedAxes;
using field::OpSharding::kIotaReshapeDims;
using field::OpSharding::kIotaTransposePerm;
using field::OpSharding::kLastTileDims;
using field::OpSharding::kNamedSharding;
using field::OpSharding::kReplicateOnLastTileDim;
using field::OpSharding::kTileAssignmentDevices;
using field::OpSharding::kTileAssignmentDimensions;
using field::OpSharding::kType;

// Values of OpSharding.Type.
constexpr int64_t kMaximal = 1;
constexpr int64_t kTuple = 2;
constexpr int64_t kOther = 3;

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
  FieldList named(WireMessage::kNamedShardingProto);
  named.Append(wire);
  DeviceMesh mesh;
  std::string fault = ReadMesh(named.Text(kMesh), &mesh);
  if (!fault.empty()) return Faulty(absl::StrCat("is of a mesh that ", fault));
  AxisUse axes(mesh);
  bool splits = false;
  int rank = 0;
  for (absl::string_view text : named.Texts(kDimShardings)) {
    FieldList dim(WireMessage::kNamedShardingProto_DimensionSharding);
    dim.Append(text);
    fault =
        axes.Take(dim.Texts(field::NamedShardingProto_DimensionSharding::kAxes),
                  /*sorted=*/false);
    if (!fault.empty()) return Faulty(std::move(fault));
    splits = splits || axes.parts() != 1;
    ++rank;
  }
  bool covers = false;  // one list uses all devices
  for (const uint32_t list : {kReplicatedAxes, kUnreducedAxes, kManualAxes}) {
    const auto texts = named.Texts(list);
    fault = axes.Take(texts, /*sorted=*/true);
    if (!fault.empty()) return Faulty(std::move(fault));
    if (list == kReplicatedAxes || texts.empty()) continue;
    splits = true;
    covers = covers || axes.took_all();
  }
  ShardingForm form;
  if (mesh.only_device) {
    form.devices = {*mesh.only_device};
  } else if (splits && !covers) {
    form.rank = rank;
    form.device_count = mesh.devices;
  }
  return form;
}

}  // namespace

bool IsTupleSharding(const FieldList& sharding) {
  return sharding.Number(kType) == kTuple && !sharding.has(kNamedSharding);
}

ShardingForm ReadShardingForm(const FieldList& sharding) {
  if (sharding.has(kNamedSharding)) {
    return ReadNamed(sharding.Text(kNamedSharding));
  }
  const int64_t type = sharding.Number(kType);
  if (type == kOther) return ReadTiles(sharding);
  ShardingForm form;
  if (type == kTuple) {
    form.fault = "has a tuple inside a tuple";
  } else if (type == kMaximal) {
    form.devices = sharding.Numbers(kTileAssignmentDevices);
    if (form.devices.size() != 1) {
      return Faulty(absl::StrCat("of one device names ", form.devices.size()));
    }
  }
  return form;
}

std::string ShardingFault(absl::string_view wire) {
  FieldList sharding(WireMessage::kOpSharding);
  sharding.Append(wire);
  if (!IsTupleSharding(sharding)) return ReadShardingForm(sharding).fault;
  for (absl::string_view text : sharding.Texts(kTupleShardings)) {
    FieldList part(WireMessage::kOpSharding);
    part.Append(text);
    std::string fault = ReadShardingForm(part).fault;
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace structure
}  // namespace indim
