// Tiling: which part of an array each partition has.

#ifndef INDIM_PJRT_COMPILE_TILING_H_
#define INDIM_PJRT_COMPILE_TILING_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/codec/literal.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim {
namespace pjrt {

// The array is cut into a grid of equal tiles; where a size doesn't divide, the
// last tiles are padded.
struct Tiling {
  // Tiles along each dim; empty: every partition has the whole array.
  DimIndices tiles;
  // By partition the number of its tile, row-major. Empty where `tiles` is.
  std::vector<int64_t> tile_of;

  bool is_whole() const { return tiles.empty(); }
};

// The shape of a tile of an array of `shape`, which has static sizes.
Shape TileShape(const Tiling& tiling, const Shape& shape);

// The part of partition `partition`, padded with zeros.
absl::StatusOr<Literal> Cut(const Tiling& tiling, const Literal& array,
                            int64_t partition);

// The array of `shape` whose parts these are, by partition.
absl::StatusOr<Literal> Assemble(const Tiling& tiling, const Shape& shape,
                                 absl::Span<const Literal> parts);

}  // namespace pjrt
}  // namespace indim

#endif  // INDIM_PJRT_COMPILE_TILING_H_
