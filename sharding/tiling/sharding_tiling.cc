// SPDX-License-Identifier: Apache-2.0
// Tilings of OpShardings and of Shardy's texts.

#include "indim/sharding/tiling/sharding_tiling.h"

#include <cstddef>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/shardy/shardy_text.h"

namespace indim {
namespace {

absl::Status UnreducedError() {
  return absl::UnimplementedError(
      "each device has a part of a sum (an unreduced sharding), which isn't "
      "put together; to fix: give it a sharding without unreduced, such as "
      "{replicated}");
}

absl::Status RankError(size_t rank, const Shape& shape) {
  return absl::InvalidArgumentError(absl::StrCat(
      "a sharding is of rank ", rank, ", but its value is ", shape.ToString()));
}

absl::Status CountError(int64_t count, int64_t partitions) {
  return absl::InvalidArgumentError(absl::StrCat("a sharding is over ", count,
                                                 " devices, but there are ",
                                                 partitions, " partitions"));
}

// OK where the devices are 0..partitions-1, each once.
absl::Status CheckDevices(const DimIndices& devices, int64_t partitions) {
  std::vector<bool> seen(static_cast<size_t>(partitions));
  for (const int64_t device : devices) {
    if (device < 0 || device >= partitions ||
        seen[static_cast<size_t>(device)]) {
      return absl::InvalidArgumentError(
          absl::StrCat("a sharding names device ", device,
                       ", but there are the partitions 0 to ", partitions - 1,
                       ", each once"));
    }
    seen[static_cast<size_t>(device)] = true;
  }
  const int64_t count = static_cast<int64_t>(devices.size());
  return count == partitions ? absl::OkStatus() : CountError(count, partitions);
}

// Sets which devices have each tile: `grid` has those of a tile side by side,
// `copies` of them.
absl::Status SetDevices(const TileAssignment& grid, int64_t copies,
                        int64_t partitions, Tiling* tiling) {
  const std::optional<DimIndices> devices = grid.Listed();
  if (!devices) {
    return absl::UnimplementedError(absl::StrCat(
        "a sharding is over ", grid.count(), " devices, of which at most ",
        TileAssignment::kMaxListed, " can be listed"));
  }
  absl::Status status = CheckDevices(*devices, partitions);
  if (!status.ok()) return status;
  tiling->tile_of.resize(devices->size());
  tiling->copy_of.resize(devices->size());
  for (size_t place = 0; place < devices->size(); ++place) {
    const size_t device = static_cast<size_t>((*devices)[place]);
    tiling->tile_of[device] = static_cast<int64_t>(place) / copies;
    tiling->copy_of[device] = static_cast<int64_t>(place) % copies;
  }
  return absl::OkStatus();
}

absl::StatusOr<Tiling> TilingOfGrid(const Sharding& sharding,
                                    const Shape& shape, int64_t partitions) {
  const size_t rank = static_cast<size_t>(shape.rank());
  const DimIndices& grid = sharding.tile_dims;
  if (grid.size() < rank) return RankError(grid.size(), shape);
  if (absl::c_linear_search(sharding.subgroup_types, Sharding::kUnreduced)) {
    return UnreducedError();
  }
  Tiling tiling;
  tiling.tiles.assign(grid.begin(), grid.begin() + static_cast<int>(rank));
  int64_t copies = 1;  // devices with the same tile
  for (size_t d = rank; d < grid.size(); ++d) copies *= grid[d];
  if (ProductOfSizes(tiling.tiles).value_or(0) == 1) return Tiling();
  const int64_t count = sharding.DeviceCount();
  if (sharding.devices.empty() && count != partitions) {
    return CountError(count, partitions);
  }
  const std::optional<TileAssignment> tiles = sharding.Tiles();
  if (!tiles) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sharding ", IotaFault(count, sharding.iota)));
  }
  const absl::Status status = SetDevices(*tiles, copies, partitions, &tiling);
  if (!status.ok()) return status;
  return tiling;
}

// --- By axes ----------------------------------------------------------------

// The name of the axis, and which factor of it the part is.
std::string NameOf(const AxisRef& part, const Mesh& mesh) {
  if (!mesh.has(part)) return "";
  const Mesh::Axis& axis = mesh.axes[static_cast<size_t>(part.axis)];
  if (mesh.SizeOf(part) == axis.size) return axis.name;
  return absl::StrCat(axis.name, ":(", part.pre_size(), ")", mesh.SizeOf(part));
}

bool IsAmong(const AxisRef& part, const Mesh& mesh,
             const std::vector<std::string>& axes) {
  return mesh.has(part) &&
         (absl::c_linear_search(axes, NameOf(part, mesh)) ||
          absl::c_linear_search(
              axes, mesh.axes[static_cast<size_t>(part.axis)].name));
}

absl::StatusOr<Tiling> TilingOfNamed(const Sharding::Named& named,
                                     const Shape& shape, int64_t partitions,
                                     const std::vector<std::string>* axes) {
  if (!named.unreduced.empty()) return UnreducedError();
  const Mesh& mesh = named.mesh;
  if (mesh.order) {
    const int64_t count = ProductOfSizes(mesh.order->reshape_dims).value_or(0);
    if (count != partitions) return CountError(count, partitions);
  }
  std::vector<AxisRefs> cuts;  // by dim
  AxisRefs all;
  for (const Sharding::Dim& dim : named.dims) {
    AxisRefs& parts = cuts.emplace_back();
    for (const AxisRef& axis : dim.axes) {
      if (axes == nullptr || IsAmong(axis, mesh, *axes)) parts.push_back(axis);
    }
    all.insert(all.end(), parts.begin(), parts.end());
  }
  if (cuts.size() != static_cast<size_t>(shape.rank())) {
    // No cuts at all fit every rank.
    if (all.empty()) return Tiling();
    return RankError(cuts.size(), shape);
  }
  Tiling tiling;
  int64_t tiles = 1;
  for (const AxisRefs& parts : cuts) {
    int64_t along = 1;
    for (const AxisRef& part : parts) {
      if (!mesh.HasPart(part)) {
        return absl::InvalidArgumentError(
            "a sharding names an axis that its mesh hasn't");
      }
      along *= mesh.SizeOf(part);
      // No more tiles than devices; also, the products stay small.
      if (along > partitions) break;
    }
    tiling.tiles.push_back(along);
    tiles *= along;
    if (tiles > partitions) {
      return absl::InvalidArgumentError(
          absl::StrCat("a sharding cuts its value into more parts than there "
                       "are partitions, ",
                       partitions));
    }
  }
  if (tiles == 1) return Tiling();
  const int64_t count = ProductOfSizes(mesh.sizes()).value_or(0);
  absl::Status status;
  if (!mesh.device_ids.empty()) {
    status = CheckDevices(mesh.device_ids, partitions);
  } else if (count != partitions) {
    status = CountError(count, partitions);
  }
  if (!status.ok()) return status;
  const std::optional<TileAssignment> cut = mesh.Cut(all);
  if (!cut) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sharding ", named.Fault()));
  }
  status = SetDevices(*cut, count / tiles, partitions, &tiling);
  if (!status.ok()) return status;
  return tiling;
}

}  // namespace

std::vector<std::string> ManualAxesOfSharding(absl::string_view sharding) {
  const Sharding of = ParseSharding(sharding);
  std::vector<std::string> axes;
  if (!of.named) return axes;
  for (const AxisRef& axis : of.named->manual) {
    axes.push_back(NameOf(axis, of.named->mesh));
  }
  return axes;
}

absl::StatusOr<Tiling> TilingOfSharding(absl::string_view wire,
                                        const Shape& shape, int64_t partitions,
                                        const std::vector<std::string>* axes) {
  const Sharding sharding = ParseSharding(wire);
  const std::string fault = sharding.Fault();
  if (!fault.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a sharding ", fault));
  }
  if (sharding.named) {
    return TilingOfNamed(*sharding.named, shape, partitions, axes);
  }
  if (sharding.type == Sharding::kMaximal && partitions > 1) {
    Tiling tiling;
    tiling.owner = sharding.devices[0];
    if (tiling.owner >= 0 && tiling.owner < partitions) return tiling;
    return absl::InvalidArgumentError(
        absl::StrCat("a sharding names device ", tiling.owner,
                     ", but there are the partitions 0 to ", partitions - 1));
  }
  if (sharding.type == Sharding::kUnreduced && partitions > 1) {
    return UnreducedError();
  }
  return sharding.IsTiled() ? TilingOfGrid(sharding, shape, partitions)
                            : Tiling();
}

absl::StatusOr<Tiling> TilingOfShardy(absl::string_view sharding,
                                      absl::string_view meshes,
                                      const Shape& shape, int64_t partitions,
                                      const std::vector<std::string>* axes) {
  // Which text isn't understood.
  absl::string_view text = sharding;
  const auto read = ReadShardyShardings(sharding, [&](absl::string_view name) {
    absl::StatusOr<Mesh> mesh = FindShardyMesh(meshes, name);
    if (!mesh.ok()) text = meshes;
    return mesh;
  });
  if (absl::IsNotFound(read.status())) {
    return absl::InvalidArgumentError(read.status().message());
  }
  if (!read.ok() || read->size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Shardy's text isn't understood: ", text.substr(0, 200)));
  }
  const std::string fault = read->front().mesh.Fault();
  if (!fault.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sharding is of a mesh that ", fault));
  }
  return TilingOfNamed(read->front(), shape, partitions, axes);
}

}  // namespace indim
