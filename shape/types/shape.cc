// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/shape.h"

#include <algorithm>
#include <cstddef>

#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_math.h"

namespace indim {
namespace {

// Applies `change` to each array in `shape`; change(array) returns nullopt to
// keep it. Returns nullopt when all arrays stay, so that nothing is copied.
template <typename Change>
std::optional<Shape> MapArrays(const Shape& shape, const Change& change) {
  if (shape.is_array()) return change(shape);
  const absl::Span<const Shape> old = shape.elements();
  std::vector<Shape> changed;
  for (size_t i = 0; i < old.size(); ++i) {
    std::optional<Shape> element = MapArrays(old[i], change);
    if (!element && changed.empty()) continue;
    if (changed.empty()) {
      changed.reserve(old.size());
      changed.assign(old.begin(), old.begin() + i);
      changed.push_back(*std::move(element));
      continue;
    }
    changed.push_back(element ? *std::move(element) : old[i]);
  }
  if (changed.empty()) return std::nullopt;
  if (shape.is_buffer()) return Shape::Buffer(std::move(changed[0]));
  return Shape::Tuple(std::move(changed));
}

// Whether `test` holds for every array in `shape`.
template <typename Test>
bool AllArrays(const Shape& shape, const Test& test) {
  if (shape.is_array()) return test(shape);
  for (const Shape& element : shape.elements()) {
    if (!AllArrays(element, test)) return false;
  }
  return true;
}

// Whether both are one tree, and `same(a, b)` holds for each pair of arrays.
template <typename Same>
bool SameTree(const Shape& a, const Shape& b, const Same& same) {
  if (a.kind() != b.kind()) return false;
  if (a.is_array()) return same(a, b);
  const absl::Span<const Shape> x = a.elements();
  const absl::Span<const Shape> y = b.elements();
  if (x.size() != y.size()) return false;
  if (x.data() == y.data()) return true;  // shared
  for (size_t i = 0; i < x.size(); ++i) {
    if (!SameTree(x[i], y[i], same)) return false;
  }
  return true;
}

bool SameArray(const Shape& a, const Shape& b) {
  return a.element_type() == b.element_type() &&
         a.is_unranked() == b.is_unranked() && a.dims() == b.dims();
}

bool CompatibleArrayDims(const Shape& a, const Shape& b) {
  if (a.is_unranked() || b.is_unranked()) return true;
  return std::equal(
      a.dims().begin(), a.dims().end(), b.dims().begin(), b.dims().end(),
      [](Dim x, Dim y) { return x == y || CompatibleDims(x, y); });
}

}  // namespace

Shape::Shape() = default;

// Assigning dims takes several times as long.
Shape::Shape(Kind kind, ElementType type, absl::Span<const Dim> dims)
    : kind_(kind), type_(type), dims_(dims.begin(), dims.end()) {}

Shape Shape::Array(ElementType type, absl::Span<const Dim> dims) {
  return Shape(Kind::kArray, type, dims);
}

Shape Shape::Of(ElementType type, std::initializer_list<int64_t> sizes) {
  return Of(type, absl::MakeConstSpan(sizes.begin(), sizes.size()));
}

Shape Shape::Of(ElementType type, absl::Span<const int64_t> sizes) {
  Shape shape = Scalar(type);
  shape.dims_.reserve(sizes.size());
  for (int64_t size : sizes) shape.dims_.push_back(Dim::Static(size));
  return shape;
}

Shape Shape::Unranked(ElementType type) {
  Shape shape = Scalar(type);
  shape.unranked_ = true;
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  int depth = 0;
  uint32_t parts = 1;
  for (const Shape& element : elements) {
    if (element.is_none()) return Shape();
    depth = std::max(depth, element.depth());
    parts += element.parts_;  // the sum of two largest values doesn't overflow
    if (parts > kMaxTupleParts) return Shape();
  }
  if (depth >= kMaxTupleDepth) return Shape();
  Shape shape;
  shape.kind_ = Kind::kTuple;
  shape.depth_ = static_cast<uint8_t>(depth + 1);
  shape.parts_ = parts;
  // The empty tuple has no vector, so that it has only one form.
  if (!elements.empty()) {
    shape.rest_ =
        std::make_shared<const std::vector<Shape>>(std::move(elements));
  }
  return shape;
}

Shape Shape::Token() {
  Shape shape;
  shape.kind_ = Kind::kToken;
  return shape;
}

Shape Shape::Opaque() {
  Shape shape;
  shape.kind_ = Kind::kOpaque;
  return shape;
}

Shape Shape::Buffer(Shape array) {
  if (!array.is_array()) return Shape();
  Shape shape;
  shape.kind_ = Kind::kBuffer;
  shape.depth_ = 1;
  shape.parts_ = 2;
  shape.rest_ = std::make_shared<const std::vector<Shape>>(
      std::vector<Shape>{std::move(array)});
  return shape;
}

void Shape::set_layout(Layout layout) {
  if (has_rank()) rest_ = std::make_shared<const Layout>(std::move(layout));
}

Shape Shape::WithoutLayoutOrElements() const {
  Shape bare(kind_, type_, dims_);
  bare.unranked_ = unranked_;
  bare.depth_ = depth_;
  bare.parts_ = parts_;
  return bare;
}

Shape Shape::WithoutLayout() const {
  if (is_array() || rest_ == nullptr) return WithoutLayoutOrElements();
  auto strip = [](const Shape& array) -> std::optional<Shape> {
    if (array.layout() == nullptr) return std::nullopt;
    return array.WithoutLayoutOrElements();
  };
  return MapArrays(*this, strip).value_or(*this);
}

Shape Shape::WithDefaultLayout() const {
  auto fill = [](const Shape& array) -> std::optional<Shape> {
    if (array.layout() != nullptr || !array.has_rank()) return std::nullopt;
    Shape filled = array;
    filled.set_layout(Layout::RowMajor(array.rank()));
    return filled;
  };
  return MapArrays(*this, fill).value_or(*this);
}

Shape Shape::WithScalarLayouts() const {
  auto fill = [](const Shape& array) -> std::optional<Shape> {
    if (array.layout() != nullptr || !array.is_scalar()) return std::nullopt;
    return array.WithDefaultLayout();
  };
  return MapArrays(*this, fill).value_or(*this);
}

bool Shape::has_layout_anywhere() const {
  return !AllArrays(
      *this, [](const Shape& array) { return array.layout() == nullptr; });
}

bool Shape::is_symbolic() const {
  return !AllArrays(*this, [](const Shape& array) {
    return std::none_of(array.dims().begin(), array.dims().end(),
                        [](Dim dim) { return dim.is_symbolic(); });
  });
}

bool Shape::is_static() const {
  return AllArrays(*this, [](const Shape& array) {
    return array.has_rank() &&
           std::all_of(array.dims().begin(), array.dims().end(),
                       [](Dim dim) { return dim.is_static(); });
  });
}

bool Shape::is_unbounded() const {
  return !AllArrays(*this, [](const Shape& array) {
    return std::all_of(array.dims().begin(), array.dims().end(), [](Dim dim) {
      return dim.is_static() || dim.has_upper();
    });
  });
}

std::optional<int64_t> Shape::ElementCount() const {
  if (!has_rank()) return std::nullopt;
  bool empty = false;
  for (Dim dim : dims_) {
    if (!dim.is_static() && !dim.has_upper()) return std::nullopt;
    empty |= dim.upper() == 0;
  }
  if (empty) return 0;  // whatever the other sizes are
  int64_t count = 1;
  for (Dim dim : dims_) {
    if (__builtin_mul_overflow(count, dim.upper(), &count)) return std::nullopt;
  }
  return count;
}

std::optional<Shape> Substitute(const Shape& shape, const SymbolScope& scope) {
  if (scope.empty()) return shape;
  bool ok = true;
  const auto change = [&](const Shape& array) -> std::optional<Shape> {
    Shape changed = array;
    for (int i = 0; i < array.rank(); ++i) {
      if (!array.dim(i).is_symbolic()) continue;
      const std::optional<Dim> dim = scope.Apply(array.dim(i));
      if (dim) changed.set_dim(i, *dim);
      ok = ok && dim.has_value();
    }
    if (changed.dims() == array.dims()) return std::nullopt;
    return changed;
  };
  Shape result = MapArrays(shape, change).value_or(shape);
  if (!ok) return std::nullopt;
  return result;
}

bool operator==(const Shape& a, const Shape& b) {
  return SameTree(a, b, [](const Shape& x, const Shape& y) {
    if (!SameArray(x, y)) return false;
    // Shared, or both null.
    if (x.layout() == y.layout()) return true;
    return x.layout() != nullptr && y.layout() != nullptr &&
           *x.layout() == *y.layout();
  });
}

bool SameStructure(const Shape& a, const Shape& b) {
  return SameTree(a, b, SameArray);
}

bool CompatibleDims(Dim a, Dim b) {
  // Here XLA ignores which dim is dynamic, and compares bounds.
  auto sized = [](Dim d) { return d.is_static() || d.is_bounded(); };
  if (sized(a) && sized(b)) return a.size() == b.size();
  if (a.is_symbolic() || b.is_symbolic()) {
    return DimsEqual(a, b) != Answer::kRefuted;
  }
  return a.lower() <= b.upper() && b.lower() <= a.upper();
}

bool Compatible(const Shape& a, const Shape& b) {
  return SameTree(a, b, [](const Shape& x, const Shape& y) {
    return x.element_type() == y.element_type() && CompatibleArrayDims(x, y);
  });
}

bool CompatibleIgnoringFloatPrecision(const Shape& a, const Shape& b) {
  return SameTree(a, b, [](const Shape& x, const Shape& y) {
    return SameTypeIgnoringFloatPrecision(x.element_type(), y.element_type()) &&
           CompatibleArrayDims(x, y);
  });
}

bool Contains(const Shape& shape, const Shape& concrete) {
  if (shape.is_buffer()) return Contains(shape.elements()[0], concrete);
  if (shape.kind() != concrete.kind()) return false;
  if (shape.is_tuple()) {
    if (shape.tuple_size() != concrete.tuple_size()) return false;
    for (int i = 0; i < shape.tuple_size(); ++i) {
      if (!Contains(shape.elements()[i], concrete.elements()[i])) return false;
    }
    return true;
  }
  if (!shape.is_array()) return true;
  if (shape.element_type() != concrete.element_type()) return false;
  if (shape.is_unranked()) return true;
  if (shape.rank() != concrete.rank()) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!shape.dim(i).Contains(concrete.dim(i).size())) return false;
  }
  return true;
}

}  // namespace indim
