// SPDX-License-Identifier: Apache-2.0
// Tiling: which part of an array each device has.

#ifndef INDIM_SHARDING_TILING_TILING_H_
#define INDIM_SHARDING_TILING_TILING_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim {

// The array is cut into a grid of equal tiles; where a size doesn't divide, the
// last tiles are padded. Devices are those of one replica, 0, 1, ...
struct Tiling {
  // Tiles along each dim; empty: every device has the whole array.
  DimIndices tiles;
  // By device the number of its tile, row-major. Empty where `tiles` is.
  std::vector<int64_t> tile_of;
  // By device, which of the devices with its tile it is: 0, 1, ... Devices of
  // one number have one array among them. Empty where `tiles` is.
  std::vector<int64_t> copy_of = {};
  // A device that has the array, where the others may lack it.
  int64_t owner = 0;

  bool is_whole() const { return tiles.empty(); }
};

// The shape of a tile of an array of `shape`, which has static sizes.
Shape TileShape(const Tiling& tiling, const Shape& shape);

// Calls run(in_array, in_tile, bytes) for each run of bytes of tile `tile` that
// is in one piece in the array and in the tile: where it begins in each of
// them. Both are dense and row-major, as in a Literal.
void ForEachTileRun(const Tiling& tiling, const Shape& shape, int64_t tile,
                    absl::FunctionRef<void(size_t, size_t, size_t)> run);

// The part of device `device`, padded with zeros.
absl::StatusOr<Literal> CutTile(const Tiling& tiling, const Literal& array,
                                int64_t device);

// The array of `shape` whose parts these are, by device.
absl::StatusOr<Literal> AssembleTiles(const Tiling& tiling, const Shape& shape,
                                      absl::Span<const Literal> parts);

}  // namespace indim

#endif  // INDIM_SHARDING_TILING_TILING_H_
