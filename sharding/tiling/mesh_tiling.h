// Tilings by the axes of a mesh of devices.

#ifndef INDIM_SHARDING_TILING_MESH_TILING_H_
#define INDIM_SHARDING_TILING_MESH_TILING_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/shape/types/shape.h"
#include "indim/sharding/mesh.h"
#include "indim/sharding/tiling/tiling.h"

namespace indim {

// The array whose dim d is cut by the axes of cuts[d], from major to minor.
// The devices of `mesh` are listed, or 0, 1, ...: it has no `order`.
absl::StatusOr<Tiling> TilingOfAxes(const Mesh& mesh,
                                    absl::Span<const AxisRefs> cuts,
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

#endif  // INDIM_SHARDING_TILING_MESH_TILING_H_
