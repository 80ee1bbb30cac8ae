// Tilings of OpShardings and of Shardy's texts.

#include "indim/sharding/tiling/sharding_tiling.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/ops/replica_groups.h"
#include "indim/sharding/named_sharding.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/sharding_faults.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/sharding/tiling/mesh_tiling.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

namespace of = field::OpSharding;

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
  if (absl::c_linear_search(last, sharding_type::kUnreduced))
    return UnreducedError();
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

// The name of the axis, and which factor of it the part is.
std::string NameOf(const AxisRef& part, const Mesh& mesh) {
  if (!mesh.has(part)) return "";
  const MeshAxes::Axis& axis = mesh.axes[static_cast<size_t>(part.axis)];
  if (mesh.SizeOf(part) == axis.size) return axis.name;
  return absl::StrCat(axis.name, ":(", part.pre_size, ")", part.size);
}

bool IsAmong(const AxisRef& part, const Mesh& mesh,
             const std::vector<std::string>& axes) {
  return mesh.has(part) &&
         (absl::c_linear_search(axes, NameOf(part, mesh)) ||
          absl::c_linear_search(
              axes, mesh.axes[static_cast<size_t>(part.axis)].name));
}

absl::StatusOr<Tiling> TilingOfNamed(const NamedSharding& named,
                                     const Shape& shape, int64_t partitions,
                                     const std::vector<std::string>* axes) {
  if (!named.unreduced.empty()) return UnreducedError();
  Mesh mesh = named.mesh;
  if (mesh.device_ids.empty() && mesh.order) {
    const absl::StatusOr<std::vector<int64_t>> devices = IotaMeshDevices(
        mesh.order->reshape_dims, mesh.order->transpose_perm, partitions);
    if (!devices.ok()) return devices.status();
    mesh.device_ids.assign(devices->begin(), devices->end());
  }
  std::vector<AxisRefs> cuts;
  for (const NamedSharding::DimSharding& dim : named.dims) {
    AxisRefs& parts = cuts.emplace_back();
    for (const AxisRef& axis : dim.axes) {
      if (axes == nullptr || IsAmong(axis, mesh, *axes)) {
        parts.push_back(axis);
      }
    }
  }
  return TilingOfAxes(mesh, cuts, shape, partitions);
}

}  // namespace

std::vector<std::string> ManualAxesOfSharding(absl::string_view sharding) {
  FieldList fields(WireMessage::kOpSharding);
  fields.Append(sharding);
  const NamedSharding named =
      NamedSharding::FromWire(fields.Text(of::kNamedSharding));
  std::vector<std::string> axes;
  for (const AxisRef& axis : named.manual) {
    axes.push_back(NameOf(axis, named.mesh));
  }
  return axes;
}

absl::StatusOr<Tiling> TilingOfSharding(absl::string_view sharding,
                                        const Shape& shape, int64_t partitions,
                                        const std::vector<std::string>* axes) {
  FieldList fields(WireMessage::kOpSharding);
  fields.Append(sharding);
  const ShardingForm form = ReadShardingForm(sharding);
  if (!form.fault.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a sharding ", form.fault));
  }
  if (fields.has(of::kNamedSharding)) {
    return TilingOfNamed(
        NamedSharding::FromWire(fields.Text(of::kNamedSharding)), shape,
        partitions, axes);
  }
  const int64_t type = fields.Number(of::kType);
  if (type == sharding_type::kMaximal && partitions > 1) {
    const DimIndices owner = fields.Numbers(of::kTileAssignmentDevices);
    Tiling tiling;
    if (!owner.empty()) tiling.owner = owner[0];
    if (tiling.owner >= 0 && tiling.owner < partitions) return tiling;
    return absl::InvalidArgumentError(
        absl::StrCat("a sharding names device ", tiling.owner,
                     ", but there are the partitions 0 to ", partitions - 1));
  }
  if (type == sharding_type::kUnreduced && partitions > 1)
    return UnreducedError();
  // Of one device, or without a rank: nothing is cut.
  if (type != sharding_type::kOther || !form.rank) return Tiling();
  return TilingOfGrid(fields, shape, partitions);
}

absl::StatusOr<Tiling> TilingOfShardy(absl::string_view sharding,
                                      absl::string_view meshes,
                                      const Shape& shape, int64_t partitions,
                                      const std::vector<std::string>* axes) {
  // Which text isn't understood.
  absl::string_view text = sharding;
  const absl::StatusOr<NamedSharding> named =
      ReadShardySharding(sharding, [&](absl::string_view name) {
        absl::StatusOr<Mesh> mesh = FindShardyMesh(meshes, name);
        if (!mesh.ok()) text = meshes;
        return mesh;
      });
  if (absl::IsInvalidArgument(named.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat("Shardy's text isn't understood: ", text.substr(0, 200)));
  }
  if (!named.ok()) {
    return absl::InvalidArgumentError(named.status().message());
  }
  return TilingOfNamed(*named, shape, partitions, axes);
}

}  // namespace indim
