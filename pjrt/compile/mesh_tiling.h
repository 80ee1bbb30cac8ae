// Tilings by the axes of a mesh of devices.

#ifndef INDIM_PJRT_COMPILE_MESH_TILING_H_
#define INDIM_PJRT_COMPILE_MESH_TILING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/pjrt/compile/tiling.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"

namespace indim {
namespace pjrt {

// Devices as an array with an axis for each name.
struct Mesh {
  std::vector<std::string> names;
  DimIndices sizes;
  // The device at each place, row-major.
  std::vector<int64_t> devices;
};

// An axis, or a factor of one: of size `size`, with `pre_size` parts of the
// axis more major than it.
struct AxisPart {
  size_t axis = 0;
  int64_t pre_size = 1;
  int64_t size = 0;
};

// The array whose dim d is cut by the axes of cuts[d], from major to minor.
absl::StatusOr<Tiling> TilingOfAxes(
    const Mesh& mesh, absl::Span<const std::vector<AxisPart>> cuts,
    const Shape& shape, int64_t partitions);

// The devices 0, 1, ... reshaped to `dims` and transposed by `order`.
std::vector<int64_t> IotaDevices(absl::Span<const int64_t> dims,
                                 absl::Span<const int64_t> order);

// OK where the devices are 0..partitions-1, each once.
absl::Status CheckDevices(absl::Span<const int64_t> devices,
                          int64_t partitions);

// An error of a sharding, IND1108.
absl::Status ShardingError(absl::StatusCode kind, absl::string_view message);

}  // namespace pjrt
}  // namespace indim

#endif  // INDIM_PJRT_COMPILE_MESH_TILING_H_
