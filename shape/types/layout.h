// SPDX-License-Identifier: Apache-2.0
// Layout: the order of an array's elements in memory. Inference ignores it;
// readers and writers preserve it.

#ifndef INDIM_SHAPE_TYPES_LAYOUT_H_
#define INDIM_SHAPE_TYPES_LAYOUT_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace indim {

struct Layout {
  // A tile size that merges the dimension with the next more minor one ("*").
  static constexpr int64_t kCombine = INT64_MIN;

  using Tile = std::vector<int64_t>;
  struct Split {
    int64_t dimension = 0;
    std::vector<int64_t> indices;
    friend bool operator==(const Split& a, const Split& b) {
      return a.dimension == b.dimension && a.indices == b.indices;
    }
    template <typename H>
    friend H AbslHashValue(H h, const Split& s) {
      return H::combine(std::move(h), s.dimension, s.indices);
    }
  };

  // Dimension numbers, the most minor first: {1,0} is row-major for rank 2. A
  // permutation of 0..rank-1.
  absl::InlinedVector<int64_t, 6> minor_to_major;
  std::vector<Tile> tiles;  // outermost first
  // Pad the element count to this multiple; 1: none.
  int64_t tail_padding_alignment_in_elements = 1;
  int64_t element_size_in_bits = 0;  // 0: natural
  int64_t memory_space = 0;          // 0: default
  std::vector<Split> splits;
  // Bytes before the data that hold run-time sizes; 0: none.
  int64_t dynamic_shape_metadata_prefix_bytes = 0;

  // {rank-1, ..., 0}, with defaults for everything else.
  static Layout RowMajor(int rank);

  friend bool operator==(const Layout& a, const Layout& b) {
    return a.minor_to_major == b.minor_to_major && a.tiles == b.tiles &&
           a.tail_padding_alignment_in_elements ==
               b.tail_padding_alignment_in_elements &&
           a.element_size_in_bits == b.element_size_in_bits &&
           a.memory_space == b.memory_space && a.splits == b.splits &&
           a.dynamic_shape_metadata_prefix_bytes ==
               b.dynamic_shape_metadata_prefix_bytes;
  }
  friend bool operator!=(const Layout& a, const Layout& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const Layout& l) {
    return H::combine(std::move(h), l.minor_to_major, l.tiles,
                      l.tail_padding_alignment_in_elements,
                      l.element_size_in_bits, l.memory_space, l.splits,
                      l.dynamic_shape_metadata_prefix_bytes);
  }
};

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_LAYOUT_H_
