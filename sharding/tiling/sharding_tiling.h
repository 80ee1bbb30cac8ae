// SPDX-License-Identifier: Apache-2.0
// From a sharding to the tiling that it means.

#ifndef INDIM_SHARDING_TILING_SHARDING_TILING_H_
#define INDIM_SHARDING_TILING_SHARDING_TILING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/types/shape.h"
#include "indim/sharding/tiling/tiling.h"

namespace indim {

// Of an array of `shape` by a canonical OpSharding of it, in any form. A
// sharding that leaves the array to the program (manual) means the whole array,
// since the shape is then that of a part. Of named axes only those in `axes`
// cut, as ManualAxesOfSharding names them; null: all do. Errors:
// InvalidArgument for a sharding of other devices than 0..partitions-1, of
// another rank, or that isn't valid; Unimplemented where each device holds a
// part of a sum (unreduced).
absl::StatusOr<Tiling> TilingOfSharding(
    absl::string_view sharding, const Shape& shape, int64_t partitions,
    const std::vector<std::string>* axes = nullptr);

// The axes of `mesh['a'=2,'b'=2], [...], manual={'a'}` that a region has for
// itself ("a"; "a:(1)2" for a factor). None: of another form, all are.
std::vector<std::string> ManualAxesOfSharding(absl::string_view sharding);

// By Shardy's texts: `#sdy.sharding<@mesh, [{"x"}, {"y", ?}]>` with the meshes
// of the module, `{mesh = #sdy.mesh<["x"=2, "y"=4]>}`. Only the axes in `axes`
// cut; null: all do. Errors as above.
absl::StatusOr<Tiling> TilingOfShardy(
    absl::string_view sharding, absl::string_view meshes, const Shape& shape,
    int64_t partitions, const std::vector<std::string>* axes = nullptr);

}  // namespace indim

#endif  // INDIM_SHARDING_TILING_SHARDING_TILING_H_
