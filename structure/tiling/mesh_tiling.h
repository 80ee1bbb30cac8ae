// Tilings by the axes of a mesh of devices.

#ifndef INDIM_STRUCTURE_TILING_MESH_TILING_H_
#define INDIM_STRUCTURE_TILING_MESH_TILING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"
#include "indim/structure/tiling/tiling.h"

namespace indim {

// Devices as an array with an axis for each name.
struct TiledMesh {
  std::vector<std::string> names;
  DimIndices sizes;
  // The device at each place, row-major; empty: 0, 1, ...
  std::vector<int64_t> devices;
};

// An axis, or a factor of one: of size `size`, with `pre_size` parts of the
// axis more major than it.
struct AxisPart {
  size_t axis = 0;
  int64_t pre_size = 1;
  int64_t size = 0;
};

// Shardy's text of a mesh, `#sdy.mesh<["x"=2, "y"=4], device_ids=[...]>`.
// InvalidArgument: it is another text.
absl::StatusOr<TiledMesh> ShardyMesh(absl::string_view text);

// The array whose dim d is cut by the axes of cuts[d], from major to minor.
absl::StatusOr<Tiling> TilingOfAxes(
    const TiledMesh& mesh, absl::Span<const std::vector<AxisPart>> cuts,
    const Shape& shape, int64_t partitions);

// The devices 0, 1, ... reshaped to `dims` and transposed by `order` (none: as
// they are). An error where they aren't as many as there are partitions.
absl::StatusOr<std::vector<int64_t>> IotaMeshDevices(
    absl::Span<const int64_t> dims, absl::Span<const int64_t> order,
    int64_t partitions);

// OK where the devices are 0..partitions-1, each once.
absl::Status CheckDevices(absl::Span<const int64_t> devices,
                          int64_t partitions);

// Sets copy_of by tile_of: devices of a tile count in the order of `devices`,
// the devices of the mesh or the grid.
void CountCopies(absl::Span<const int64_t> devices, Tiling* tiling);

// Each device has a part of a sum, which is Unimplemented.
absl::Status UnreducedError();

}  // namespace indim

#endif  // INDIM_STRUCTURE_TILING_MESH_TILING_H_
