#include "indim/pjrt/compile/mesh_tiling.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "indim/pjrt/abi/coded_error.h"
#include "indim/shape/ops/replica_groups.h"

namespace indim {
namespace pjrt {
namespace {

// The index of a place of the mesh along a part of an axis.
int64_t IndexAlong(const Mesh& mesh, const AxisPart& part, int64_t place) {
  int64_t minor = 1;
  for (size_t a = part.axis + 1; a < mesh.sizes.size(); ++a) {
    minor *= mesh.sizes[a];
  }
  const int64_t along = place / minor % mesh.sizes[part.axis];
  const int64_t post = mesh.sizes[part.axis] / (part.pre_size * part.size);
  return along / post % part.size;
}

bool IsPartOf(const Mesh& mesh, const AxisPart& part) {
  if (part.axis >= mesh.sizes.size() || part.pre_size < 1 || part.size < 1) {
    return false;
  }
  const int64_t size = mesh.sizes[part.axis];
  return size % part.pre_size == 0 && size / part.pre_size % part.size == 0;
}

}  // namespace

absl::Status ShardingError(absl::StatusCode kind, absl::string_view message) {
  return CodedError(kind, Code::kPjrtDevices, message);
}

std::vector<int64_t> IotaDevices(absl::Span<const int64_t> dims,
                                 absl::Span<const int64_t> order) {
  const int64_t count = ProductOfSizes(dims).value_or(0);
  std::vector<int64_t> devices(static_cast<size_t>(count));
  for (int64_t place = 0; place < count; ++place) {
    // The index of the place in the transposed array, from the most minor dim.
    int64_t rest = place;
    DimIndices index(dims.size());
    for (size_t k = order.size(); k-- > 0;) {
      const size_t dim = static_cast<size_t>(order[k]);
      index[dim] = rest % dims[dim];
      rest /= dims[dim];
    }
    int64_t device = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      device = device * dims[d] + index[d];
    }
    devices[static_cast<size_t>(place)] = device;
  }
  return devices;
}

absl::Status CheckDevices(absl::Span<const int64_t> devices,
                          int64_t partitions) {
  std::vector<bool> seen(static_cast<size_t>(partitions));
  for (const int64_t device : devices) {
    if (device < 0 || device >= partitions ||
        seen[static_cast<size_t>(device)]) {
      return ShardingError(absl::StatusCode::kInvalidArgument,
                           absl::StrCat("a sharding names device ", device,
                                        ", but there are the partitions 0 to ",
                                        partitions - 1, ", each once"));
    }
    seen[static_cast<size_t>(device)] = true;
  }
  if (static_cast<int64_t>(devices.size()) == partitions) {
    return absl::OkStatus();
  }
  return ShardingError(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat("a sharding is over ", devices.size(),
                   " devices, but there are ", partitions, " partitions"));
}

absl::StatusOr<Tiling> TilingOfAxes(
    const Mesh& mesh, absl::Span<const std::vector<AxisPart>> cuts,
    const Shape& shape, int64_t partitions) {
  if (cuts.size() != static_cast<size_t>(shape.rank())) {
    // No cuts at all fit every rank.
    bool any = false;
    for (const std::vector<AxisPart>& parts : cuts) any = any || !parts.empty();
    if (!any) return Tiling();
    return ShardingError(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("a sharding is of rank ", cuts.size(),
                                      ", but its value is ", shape.ToString()));
  }
  Tiling tiling;
  int64_t tiles = 1;
  for (const std::vector<AxisPart>& parts : cuts) {
    int64_t along = 1;
    for (const AxisPart& part : parts) {
      if (!IsPartOf(mesh, part)) {
        return ShardingError(absl::StatusCode::kInvalidArgument,
                             "a sharding names an axis that its mesh hasn't");
      }
      along *= part.size;
      // No more tiles than devices; also, the products stay small.
      if (along > partitions) break;
    }
    tiling.tiles.push_back(along);
    tiles *= along;
    if (tiles > partitions) {
      return ShardingError(
          absl::StatusCode::kInvalidArgument,
          absl::StrCat("a sharding cuts its value into more parts than there "
                       "are partitions, ",
                       partitions));
    }
  }
  if (tiles == 1) return Tiling();
  const absl::Status devices = CheckDevices(mesh.devices, partitions);
  if (!devices.ok()) return devices;
  tiling.tile_of.resize(static_cast<size_t>(partitions));
  for (size_t place = 0; place < mesh.devices.size(); ++place) {
    int64_t tile = 0;
    for (const std::vector<AxisPart>& parts : cuts) {
      for (const AxisPart& part : parts) {
        tile = tile * part.size +
               IndexAlong(mesh, part, static_cast<int64_t>(place));
      }
    }
    tiling.tile_of[static_cast<size_t>(mesh.devices[place])] = tile;
  }
  return tiling;
}

}  // namespace pjrt
}  // namespace indim
