// SPDX-License-Identifier: Apache-2.0
// The parts of a shape, at every depth: leaves, which are what isn't a tuple,
// and sizes.

#ifndef INDIM_SHAPE_TYPES_SHAPE_PARTS_H_
#define INDIM_SHAPE_TYPES_SHAPE_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Calls f(Dim) for each dim, a tuple's elements before the tuple. An unranked
// array has no dims.
template <typename F>
void ForEachDim(const Shape& shape, const F& f) {
  for (const Shape& element : shape.elements()) ForEachDim(element, f);
  for (const Dim dim : shape.dims()) f(dim);
}

// Calls f(leaf) for the leaves in order; an empty tuple has none. If f returns
// a bool, false ends it, and is the result.
template <typename F>
bool ForEachLeaf(const Shape& shape, const F& f) {
  if (!shape.is_tuple()) {
    if constexpr (std::is_void_v<decltype(f(shape))>) {
      f(shape);
      return true;
    } else {
      return f(shape);
    }
  }
  for (const Shape& element : shape.elements()) {
    if (!ForEachLeaf(element, f)) return false;
  }
  return true;
}

inline size_t LeafCount(const Shape& shape) {
  size_t count = 0;
  ForEachLeaf(shape, [&count](const Shape&) { ++count; });
  return count;
}

// The sizes, with bounds as sizes.
inline DimIndices SizesOf(absl::Span<const Dim> dims) {
  DimIndices sizes;
  for (const Dim dim : dims) sizes.push_back(dim.size());
  return sizes;
}
inline DimIndices SizesOf(const Shape& array) { return SizesOf(array.dims()); }

// A part's place in a tuple, or another list, as HLO text writes it: "{1,0}".
inline std::string IndexText(absl::Span<const int64_t> index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_SHAPE_PARTS_H_
