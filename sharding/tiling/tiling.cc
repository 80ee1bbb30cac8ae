// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/tiling/tiling.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/tiling/array_box.h"

namespace indim {
namespace {

ArrayBox BoxOf(const Tiling& tiling, const Shape& shape, const Shape& tile,
               int64_t number) {
  ArrayBox box;
  box.start.resize(static_cast<size_t>(shape.rank()));
  box.size.resize(static_cast<size_t>(shape.rank()));
  for (int d = shape.rank(); d-- > 0;) {
    const size_t at = static_cast<size_t>(d);
    const int64_t index = number % tiling.tiles[at];
    number /= tiling.tiles[at];
    const int64_t whole = shape.dim(d).size(), part = tile.dim(d).size();
    box.start[at] = std::min(index * part, whole);
    box.size[at] = std::min(part, whole - box.start[at]);
  }
  return box;
}

}  // namespace

Shape TileShape(const Tiling& tiling, const Shape& shape) {
  Shape tile = shape;
  for (int d = 0; d < shape.rank() && !tiling.is_whole(); ++d) {
    const int64_t tiles = tiling.tiles[static_cast<size_t>(d)];
    const int64_t size = shape.dim(d).size();
    tile.set_dim(d, Dim::Static(size / tiles + (size % tiles != 0 ? 1 : 0)));
  }
  return tile;
}

void ForEachTileRun(const Tiling& tiling, const Shape& shape, int64_t tile,
                    absl::FunctionRef<void(size_t, size_t, size_t)> run) {
  const size_t width = static_cast<size_t>(ElementBytes(shape.element_type()));
  const Shape tile_shape = TileShape(tiling, shape);
  ForEachRow(BoxOf(tiling, shape, tile_shape, tile), SizesOf(shape),
             SizesOf(tile_shape), width, run);
}

absl::StatusOr<Literal> CutTile(const Tiling& tiling, const Literal& array,
                                int64_t device) {
  if (tiling.is_whole()) return array;
  const absl::StatusOr<Literal> dense = array.Expanded();
  if (!dense.ok()) return dense.status();
  const Shape& shape = array.shape();
  const Shape tile = TileShape(tiling, shape);
  const size_t width = static_cast<size_t>(ElementBytes(shape.element_type()));
  std::string bytes(
      static_cast<size_t>(tile.ElementCount().value_or(0)) * width, '\0');
  ForEachTileRun(tiling, shape, tiling.tile_of[static_cast<size_t>(device)],
                 [&](size_t in_array, size_t in_tile, size_t size) {
                   std::memcpy(&bytes[in_tile],
                               dense->bytes().data() + in_array, size);
                 });
  return Literal::FromBytes(tile, bytes);
}

absl::StatusOr<Literal> AssembleTiles(const Tiling& tiling, const Shape& shape,
                                      absl::Span<const Literal> parts) {
  if (tiling.is_whole()) return parts[static_cast<size_t>(tiling.owner)];
  const size_t width = static_cast<size_t>(ElementBytes(shape.element_type()));
  std::string bytes(
      static_cast<size_t>(shape.ElementCount().value_or(0)) * width, '\0');
  for (size_t p = 0; p < parts.size(); ++p) {
    const absl::StatusOr<Literal> part = parts[p].Expanded();
    if (!part.ok()) return part.status();
    ForEachTileRun(tiling, shape, tiling.tile_of[p],
                   [&](size_t in_array, size_t in_tile, size_t size) {
                     std::memcpy(&bytes[in_array],
                                 part->bytes().data() + in_tile, size);
                   });
  }
  return Literal::FromBytes(shape, bytes);
}

}  // namespace indim
