// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/proof/small_shapes.h"

#include <algorithm>
#include <utility>

namespace indim {
namespace proof {
namespace {

using documents::Sizes;

// All lists of `rank` numbers below `count`.
std::vector<std::vector<int>> Lists(int count, int rank) {
  std::vector<std::vector<int>> lists = {{}};
  for (int r = 0; r < rank; ++r) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& list : lists) {
      for (int i = 0; i < count; ++i) {
        longer.push_back(list);
        longer.back().push_back(i);
      }
    }
    lists = std::move(longer);
  }
  return lists;
}

bool StandsFor(const SmallShape& shape, const Sizes& sizes) {
  if (sizes.size() != shape.dims.size()) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < shape.dims[i].lower || sizes[i] > shape.dims[i].upper) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool SmallDim::is_unknown() const { return lower == 0 && upper == kCap; }

bool SmallDim::is_bounded() const {
  return lower == 0 && upper > 0 && upper < kCap;
}

const std::vector<SmallDim>& SmallDims() {
  static const auto* const dims = new std::vector<SmallDim>{
      {"?", 0, kCap}, {"0", 0, 0},   {"1", 1, 1},   {"2", 2, 2},
      {"3", 3, 3},    {"<=1", 0, 1}, {"<=2", 0, 2}, {"2..3", 2, 3}};
  return *dims;
}

ConcreteShapes::ConcreteShapes() {
  for (int rank = 0; rank <= 3; ++rank) {
    for (const std::vector<int>& list : Lists(kCap + 1, rank)) {
      sizes_.emplace_back(list.begin(), list.end());
    }
  }
}

int ConcreteShapes::IdOf(const Sizes& sizes) const {
  static constexpr int kFirst[] = {0, 1, 1 + 5, 1 + 5 + 25};
  static_assert(kCap == 4, "the numbers above");
  if (sizes.size() > 3) return -1;
  int id = 0;
  for (const int64_t size : sizes) {
    if (size < 0 || size > kCap) return -1;
    id = id * static_cast<int>(kCap + 1) + static_cast<int>(size);
  }
  return kFirst[sizes.size()] + id;
}

bool SmallShape::is_mlir() const {
  return std::all_of(dims.begin(), dims.end(), [](const SmallDim& dim) {
    return dim.is_static() || dim.is_unknown();
  });
}

documents::Type SmallShape::mlir() const {
  if (unranked) return std::nullopt;
  Sizes sizes;
  for (const SmallDim& dim : dims) {
    sizes.push_back(dim.is_unknown() ? documents::kDynamic : dim.lower);
  }
  return sizes;
}

bool SmallShape::is_static() const {
  return !unranked &&
         std::all_of(dims.begin(), dims.end(),
                     [](const SmallDim& dim) { return dim.is_static(); });
}

std::vector<SmallShape> AllShapes(const std::vector<SmallDim>& dims, int rank,
                                  const ConcreteShapes& concrete) {
  std::vector<SmallShape> shapes;
  for (int r = 0; r <= rank; ++r) {
    for (const std::vector<int>& list :
         Lists(static_cast<int>(dims.size()), r)) {
      SmallShape shape;
      DimVector indim_dims;
      for (const int i : list) {
        shape.dims.push_back(dims[i]);
        indim_dims.push_back(Dim::Parse(dims[i].text).value());
      }
      shape.shape = Shape::Array(ElementType::kF32, indim_dims);
      for (int id = 0; id < concrete.count(); ++id) {
        if (StandsFor(shape, concrete.sizes(id))) shape.concrete.push_back(id);
      }
      shapes.push_back(std::move(shape));
    }
  }
  SmallShape unranked;
  unranked.unranked = true;
  unranked.shape = Shape::Unranked(ElementType::kF32);
  shapes.push_back(std::move(unranked));
  return shapes;
}

}  // namespace proof
}  // namespace indim
