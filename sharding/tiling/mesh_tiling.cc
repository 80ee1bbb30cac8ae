#include "indim/sharding/tiling/mesh_tiling.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/shape/ops/replica_groups.h"

namespace indim {
namespace {

// The index of a place of the mesh along a part of an axis.
int64_t IndexAlong(const Mesh& mesh, const AxisRef& part, int64_t place) {
  int64_t minor = 1;
  const size_t axis = static_cast<size_t>(part.axis);
  for (size_t a = axis + 1; a < mesh.axes.size(); ++a) {
    minor *= mesh.axes[a].size;
  }
  const int64_t size = mesh.axes[axis].size;
  return IndexInFactor(place / minor % size, size,
                       part.is_whole ? 1 : part.pre_size, mesh.SizeOf(part));
}

bool IsPartOf(const Mesh& mesh, const AxisRef& part) {
  if (!mesh.has(part) || mesh.SizeOf(part) < 1) return false;
  const int64_t size = mesh.axes[static_cast<size_t>(part.axis)].size;
  return part.is_whole || (part.pre_size >= 1 && size % part.pre_size == 0 &&
                           size / part.pre_size % part.size == 0);
}

}  // namespace

absl::Status UnreducedError() {
  return absl::UnimplementedError(
      "each device has a part of a sum (an unreduced sharding), which isn't "
      "put together; to fix: give it a sharding without unreduced, such as "
      "{replicated}");
}

namespace {

absl::Status CountError(int64_t count, int64_t partitions) {
  return absl::InvalidArgumentError(absl::StrCat("a sharding is over ", count,
                                                 " devices, but there are ",
                                                 partitions, " partitions"));
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> IotaMeshDevices(
    absl::Span<const int64_t> dims, absl::Span<const int64_t> order,
    int64_t partitions) {
  const int64_t count = ProductOfSizes(dims).value_or(0);
  if (count != partitions) return CountError(count, partitions);
  DimIndices all(order.begin(), order.end());
  if (all.empty()) {
    for (size_t i = 0; i < dims.size(); ++i) {
      all.push_back(static_cast<int64_t>(i));
    }
  }
  const std::string fault = IotaFault(count, dims, all);
  if (!fault.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a sharding ", fault));
  }
  return IotaDevices(dims, all);
}

void CountCopies(absl::Span<const int64_t> devices, Tiling* tiling) {
  std::vector<int64_t> seen(tiling->tile_of.size());  // by tile
  tiling->copy_of.resize(tiling->tile_of.size());
  for (const int64_t device : devices) {
    const size_t at = static_cast<size_t>(device);
    tiling->copy_of[at] = seen[static_cast<size_t>(tiling->tile_of[at])]++;
  }
}

absl::Status CheckDevices(absl::Span<const int64_t> devices,
                          int64_t partitions) {
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
  if (static_cast<int64_t>(devices.size()) == partitions) {
    return absl::OkStatus();
  }
  return CountError(static_cast<int64_t>(devices.size()), partitions);
}

absl::StatusOr<Tiling> TilingOfAxes(const Mesh& mesh,
                                    absl::Span<const AxisRefs> cuts,
                                    const Shape& shape, int64_t partitions) {
  if (cuts.size() != static_cast<size_t>(shape.rank())) {
    // No cuts at all fit every rank.
    bool any = false;
    for (const AxisRefs& parts : cuts) any = any || !parts.empty();
    if (!any) return Tiling();
    return absl::InvalidArgumentError(
        absl::StrCat("a sharding is of rank ", cuts.size(),
                     ", but its value is ", shape.ToString()));
  }
  Tiling tiling;
  int64_t tiles = 1;
  for (const AxisRefs& parts : cuts) {
    int64_t along = 1;
    for (const AxisRef& part : parts) {
      if (!IsPartOf(mesh, part)) {
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
  std::vector<int64_t> devices(mesh.device_ids.begin(), mesh.device_ids.end());
  if (devices.empty()) {
    absl::StatusOr<std::vector<int64_t>> all =
        IotaMeshDevices(mesh.sizes(), {}, partitions);
    if (!all.ok()) return all.status();
    devices = *std::move(all);
  }
  const absl::Status fit = CheckDevices(devices, partitions);
  if (!fit.ok()) return fit;
  tiling.tile_of.resize(static_cast<size_t>(partitions));
  for (size_t place = 0; place < devices.size(); ++place) {
    int64_t tile = 0;
    for (const AxisRefs& parts : cuts) {
      for (const AxisRef& part : parts) {
        tile = tile * mesh.SizeOf(part) +
               IndexAlong(mesh, part, static_cast<int64_t>(place));
      }
    }
    tiling.tile_of[static_cast<size_t>(devices[place])] = tile;
  }
  CountCopies(devices, &tiling);
  return tiling;
}

}  // namespace indim
