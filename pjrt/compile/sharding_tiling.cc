// Tilings of OpShardings; shardy_tiling.cc has those of Shardy's texts.

#include "indim/pjrt/compile/sharding_tiling.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/pjrt/compile/mesh_tiling.h"
#include "indim/shape/ops/replica_groups.h"
#include "indim/structure/sharding_form.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace pjrt {
namespace {

namespace of = field::OpSharding;
namespace named_of = field::NamedShardingProto;

// Values of OpSharding.Type.
constexpr int64_t kMaximal = 1;
constexpr int64_t kOther = 3;

// The devices of the grid of tiles, row-major.
std::vector<int64_t> GridDevices(const FieldList& sharding) {
  const DimIndices iota = sharding.Numbers(of::kIotaReshapeDims);
  if (!iota.empty()) {
    return IotaDevices(iota, sharding.Numbers(of::kIotaTransposePerm));
  }
  const DimIndices listed = sharding.Numbers(of::kTileAssignmentDevices);
  return {listed.begin(), listed.end()};
}

absl::StatusOr<Tiling> TilingOfGrid(const FieldList& sharding,
                                    const Shape& shape, int64_t partitions) {
  const size_t rank = static_cast<size_t>(shape.rank());
  const DimIndices grid = sharding.Numbers(of::kTileAssignmentDimensions);
  if (grid.size() < rank) {
    return ShardingError(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("a sharding is of rank ", grid.size(),
                                      ", but its value is ", shape.ToString()));
  }
  Tiling tiling;
  tiling.tiles.assign(grid.begin(), grid.begin() + static_cast<int>(rank));
  int64_t copies = 1;  // devices with the same tile
  for (size_t d = rank; d < grid.size(); ++d) copies *= grid[d];
  if (ProductOfSizes(tiling.tiles).value_or(0) == 1) return Tiling();
  const std::vector<int64_t> devices = GridDevices(sharding);
  const absl::Status status = CheckDevices(devices, partitions);
  if (!status.ok()) return status;
  tiling.tile_of.resize(static_cast<size_t>(partitions));
  for (size_t place = 0; place < devices.size(); ++place) {
    tiling.tile_of[static_cast<size_t>(devices[place])] =
        static_cast<int64_t>(place) / copies;
  }
  return tiling;
}

// --- By axes ----------------------------------------------------------------

Mesh ReadMesh(absl::string_view wire) {
  FieldList fields(WireMessage::kMeshProto);
  fields.Append(wire);
  Mesh mesh;
  for (const absl::string_view text : fields.Texts(field::MeshProto::kAxes)) {
    FieldList axis(WireMessage::kMeshProto_MeshAxis);
    axis.Append(text);
    mesh.sizes.push_back(axis.Number(field::MeshProto_MeshAxis::kSize));
  }
  const DimIndices ids = fields.Numbers(field::MeshProto::kDeviceIds);
  mesh.devices.assign(ids.begin(), ids.end());
  if (!mesh.devices.empty()) return mesh;
  FieldList iota(WireMessage::kMeshProto_IotaTransform);
  iota.Append(fields.Text(field::MeshProto::kIotaTransform));
  const DimIndices dims =
      iota.Numbers(field::MeshProto_IotaTransform::kReshapeDims);
  mesh.devices =
      dims.empty()
          ? IotaDevices({ProductOfSizes(mesh.sizes).value_or(0)}, {0})
          : IotaDevices(
                dims,
                iota.Numbers(field::MeshProto_IotaTransform::kTransposePerm));
  return mesh;
}

AxisPart ReadAxis(absl::string_view wire, const Mesh& mesh) {
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

absl::Status UnreducedError() {
  return ShardingError(absl::StatusCode::kUnimplemented,
                       "each device has a part of a sum (an unreduced "
                       "sharding), which isn't put together");
}

absl::StatusOr<Tiling> TilingOfNamed(absl::string_view wire, const Shape& shape,
                                     int64_t partitions) {
  FieldList named(WireMessage::kNamedShardingProto);
  named.Append(wire);
  if (!named.Texts(named_of::kUnreducedAxes).empty()) return UnreducedError();
  const Mesh mesh = ReadMesh(named.Text(named_of::kMesh));
  std::vector<std::vector<AxisPart>> cuts;
  for (const absl::string_view text : named.Texts(named_of::kDimShardings)) {
    FieldList dim(WireMessage::kNamedShardingProto_DimensionSharding);
    dim.Append(text);
    std::vector<AxisPart>& parts = cuts.emplace_back();
    for (const absl::string_view axis :
         dim.Texts(field::NamedShardingProto_DimensionSharding::kAxes)) {
      parts.push_back(ReadAxis(axis, mesh));
    }
  }
  return TilingOfAxes(mesh, cuts, shape, partitions);
}

}  // namespace

absl::StatusOr<Tiling> TilingOfSharding(absl::string_view sharding,
                                        const Shape& shape,
                                        int64_t partitions) {
  FieldList fields(WireMessage::kOpSharding);
  fields.Append(sharding);
  const structure::ShardingForm form = structure::ReadShardingForm(fields);
  if (!form.fault.empty()) {
    return ShardingError(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("a sharding ", form.fault));
  }
  if (fields.has(of::kNamedSharding)) {
    return TilingOfNamed(fields.Text(of::kNamedSharding), shape, partitions);
  }
  const int64_t type = fields.Number(of::kType);
  if (type == kMaximal && partitions > 1) {
    return ShardingError(absl::StatusCode::kUnimplemented,
                         "one device has all of an array, and the others have "
                         "nothing that could be given");
  }
  // Of one device, or without a rank: nothing is cut.
  if (type != kOther || !form.rank) return Tiling();
  return TilingOfGrid(fields, shape, partitions);
}

}  // namespace pjrt
}  // namespace indim
