// Tilings of OpShardings; shardy_tiling.cc has those of Shardy's texts.

#include "indim/structure/tiling/sharding_tiling.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/ops/replica_groups.h"
#include "indim/structure/sharding_form.h"
#include "indim/structure/tiling/mesh_tiling.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

namespace of = field::OpSharding;
namespace named_of = field::NamedShardingProto;

// Values of OpSharding.Type.
constexpr int64_t kMaximal = 1;
constexpr int64_t kOther = 3;
constexpr int64_t kUnreduced = 6;

// The devices of the grid of tiles, row-major.
absl::StatusOr<std::vector<int64_t>> GridDevices(const FieldList& sharding,
                                                 int64_t partitions) {
  const DimIndices iota = sharding.Numbers(of::kIotaReshapeDims);
  if (!iota.empty()) {
    return IotaMeshDevices(iota, sharding.Numbers(of::kIotaTransposePerm),
                           partitions);
  }
  const DimIndices listed = sharding.Numbers(of::kTileAssignmentDevices);
  return std::vector<int64_t>(listed.begin(), listed.end());
}

absl::StatusOr<Tiling> TilingOfGrid(const FieldList& sharding,
                                    const Shape& shape, int64_t partitions) {
  const size_t rank = static_cast<size_t>(shape.rank());
  const DimIndices grid = sharding.Numbers(of::kTileAssignmentDimensions);
  if (grid.size() < rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sharding is of rank ", grid.size(),
                     ", but its value is ", shape.ToString()));
  }
  const DimIndices last = sharding.Numbers(of::kLastTileDims);
  if (absl::c_linear_search(last, kUnreduced)) return UnreducedError();
  Tiling tiling;
  tiling.tiles.assign(grid.begin(), grid.begin() + static_cast<int>(rank));
  int64_t copies = 1;  // devices with the same tile
  for (size_t d = rank; d < grid.size(); ++d) copies *= grid[d];
  if (ProductOfSizes(tiling.tiles).value_or(0) == 1) return Tiling();
  const absl::StatusOr<std::vector<int64_t>> devices =
      GridDevices(sharding, partitions);
  if (!devices.ok()) return devices.status();
  const absl::Status status = CheckDevices(*devices, partitions);
  if (!status.ok()) return status;
  tiling.tile_of.resize(static_cast<size_t>(partitions));
  for (size_t place = 0; place < devices->size(); ++place) {
    tiling.tile_of[static_cast<size_t>((*devices)[place])] =
        static_cast<int64_t>(place) / copies;
  }
  CountCopies(*devices, &tiling);
  return tiling;
}

// --- By axes ----------------------------------------------------------------

// The mesh without its devices.
TiledMesh MeshOfAxes(const FieldList& fields) {
  TiledMesh mesh;
  for (const absl::string_view text : fields.Texts(field::MeshProto::kAxes)) {
    FieldList axis(WireMessage::kMeshProto_MeshAxis);
    axis.Append(text);
    mesh.names.emplace_back(axis.Text(field::MeshProto_MeshAxis::kName));
    mesh.sizes.push_back(axis.Number(field::MeshProto_MeshAxis::kSize));
  }
  return mesh;
}

FieldList MeshFields(const FieldList& named) {
  FieldList fields(WireMessage::kMeshProto);
  fields.Append(named.Text(named_of::kMesh));
  return fields;
}

absl::StatusOr<TiledMesh> ReadMesh(const FieldList& fields,
                                   int64_t partitions) {
  TiledMesh mesh = MeshOfAxes(fields);
  const DimIndices ids = fields.Numbers(field::MeshProto::kDeviceIds);
  mesh.devices.assign(ids.begin(), ids.end());
  if (!mesh.devices.empty()) return mesh;
  FieldList iota(WireMessage::kMeshProto_IotaTransform);
  iota.Append(fields.Text(field::MeshProto::kIotaTransform));
  const DimIndices dims =
      iota.Numbers(field::MeshProto_IotaTransform::kReshapeDims);
  if (dims.empty()) return mesh;
  absl::StatusOr<std::vector<int64_t>> devices = IotaMeshDevices(
      dims, iota.Numbers(field::MeshProto_IotaTransform::kTransposePerm),
      partitions);
  if (!devices.ok()) return devices.status();
  mesh.devices = *std::move(devices);
  return mesh;
}

AxisPart ReadAxis(absl::string_view wire, const TiledMesh& mesh) {
  FieldList fields(WireMessage::kAxisRefProto);
  fields.Append(wire);
  AxisPart part;
  part.axis =
      static_cast<size_t>(fields.Number(field::AxisRefProto::kMeshAxisIndex));
  if (part.axis < mesh.sizes.size()) part.size = mesh.sizes[part.axis];
  if (!fields.has(field::AxisRefProto::kSubAxisInfo)) return part;
  FieldList sub(WireMessage::kAxisRefProto_SubAxis);
  sub.Append(fields.Text(field::AxisRefProto::kSubAxisInfo));
  part.pre_size = sub.Number(field::AxisRefProto_SubAxis::kPreSize);
  part.size = sub.Number(field::AxisRefProto_SubAxis::kSize);
  return part;
}

// The name of the axis, and which factor of it the part is.
std::string NameOf(const AxisPart& part, const TiledMesh& mesh) {
  if (part.axis >= mesh.sizes.size()) return "";
  const std::string& name = mesh.names[part.axis];
  if (part.size == mesh.sizes[part.axis]) return name;
  return absl::StrCat(name, ":(", part.pre_size, ")", part.size);
}

bool IsAmong(const AxisPart& part, const TiledMesh& mesh,
             const std::vector<std::string>& axes) {
  return absl::c_linear_search(axes, NameOf(part, mesh)) ||
         (part.axis < mesh.names.size() &&
          absl::c_linear_search(axes, mesh.names[part.axis]));
}

absl::StatusOr<Tiling> TilingOfNamed(absl::string_view wire, const Shape& shape,
                                     int64_t partitions,
                                     const std::vector<std::string>* axes) {
  FieldList named(WireMessage::kNamedShardingProto);
  named.Append(wire);
  if (!named.Texts(named_of::kUnreducedAxes).empty()) return UnreducedError();
  const absl::StatusOr<TiledMesh> mesh =
      ReadMesh(MeshFields(named), partitions);
  if (!mesh.ok()) return mesh.status();
  std::vector<std::vector<AxisPart>> cuts;
  for (const absl::string_view text : named.Texts(named_of::kDimShardings)) {
    FieldList dim(WireMessage::kNamedShardingProto_DimensionSharding);
    dim.Append(text);
    std::vector<AxisPart>& parts = cuts.emplace_back();
    for (const absl::string_view axis :
         dim.Texts(field::NamedShardingProto_DimensionSharding::kAxes)) {
      const AxisPart part = ReadAxis(axis, *mesh);
      if (axes == nullptr || IsAmong(part, *mesh, *axes)) parts.push_back(part);
    }
  }
  return TilingOfAxes(*mesh, cuts, shape, partitions);
}

}  // namespace

std::vector<std::string> ManualAxesOfSharding(absl::string_view sharding) {
  FieldList fields(WireMessage::kOpSharding);
  fields.Append(sharding);
  FieldList named(WireMessage::kNamedShardingProto);
  named.Append(fields.Text(of::kNamedSharding));
  const TiledMesh mesh = MeshOfAxes(MeshFields(named));
  std::vector<std::string> axes;
  for (const absl::string_view text : named.Texts(named_of::kManualAxes)) {
    axes.push_back(NameOf(ReadAxis(text, mesh), mesh));
  }
  return axes;
}

absl::StatusOr<Tiling> TilingOfSharding(absl::string_view sharding,
                                        const Shape& shape, int64_t partitions,
                                        const std::vector<std::string>* axes) {
  FieldList fields(WireMessage::kOpSharding);
  fields.Append(sharding);
  const structure::ShardingForm form = structure::ReadShardingForm(fields);
  if (!form.fault.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a sharding ", form.fault));
  }
  if (fields.has(of::kNamedSharding)) {
    return TilingOfNamed(fields.Text(of::kNamedSharding), shape, partitions,
                         axes);
  }
  const int64_t type = fields.Number(of::kType);
  if (type == kMaximal && partitions > 1) {
    const DimIndices owner = fields.Numbers(of::kTileAssignmentDevices);
    Tiling tiling;
    if (!owner.empty()) tiling.owner = owner[0];
    if (tiling.owner >= 0 && tiling.owner < partitions) return tiling;
    return absl::InvalidArgumentError(
        absl::StrCat("a sharding names device ", tiling.owner,
                     ", but there are the partitions 0 to ", partitions - 1));
  }
  if (type == kUnreduced && partitions > 1) return UnreducedError();
  // Of one device, or without a rank: nothing is cut.
  if (type != kOther || !form.rank) return Tiling();
  return TilingOfGrid(fields, shape, partitions);
}

}  // namespace indim
