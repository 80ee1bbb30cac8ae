// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/bounded_sizes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim::internal {
namespace {

bool AreStatic(const DimSizes& sizes) {
  return std::all_of(sizes.begin(), sizes.end(),
                     [](const auto& size) { return !size.has_value(); });
}

Op Resized(ComputationBuilder& b, Op x, const DimSizes& from,
           const DimSizes& to) {
  return WithSizes(b, AtBounds(b, x, from), to);
}

}  // namespace

Op WithSizes(ComputationBuilder& b, Op x, const DimSizes& sizes) {
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d]) x = b.SetDimensionSize(x, *sizes[d], static_cast<int64_t>(d));
  }
  return x;
}

Op AtBounds(ComputationBuilder& b, Op x, const DimSizes& sizes, Op fill) {
  if (AreStatic(sizes)) return x;
  Shape shape = ShapeIn(b, x).WithoutLayout();
  for (int d = 0; d < shape.rank(); ++d) {
    const std::optional<Op>& size = sizes[static_cast<size_t>(d)];
    if (!size) continue;
    const int64_t bound = shape.dim(d).upper();
    shape.set_dim(d, Dim::Static(bound));
    x = b.AddInstruction(Opcode::kSetDimensionSize,
                         {x, b.ConstantR0(ElementType::kS32, bound)},
                         DimensionsAttributes{{d}}, shape);
  }
  Shape places = shape;
  places.set_element_type(ElementType::kS32);
  Op is_there;
  for (int d = 0; d < shape.rank(); ++d) {
    const std::optional<Op>& size = sizes[static_cast<size_t>(d)];
    if (!size) continue;
    const Op before = b.Lt(b.Iota(places, d), *size);
    is_there = is_there == Op() ? before : b.And(is_there, before);
  }
  return b.Select(is_there, x,
                  fill == Op() ? b.Splat(0, shape)
                               : b.BroadcastInDim(fill, shape.dims(), {}));
}

DimSizes SizesOf(ComputationBuilder& b, Op x) {
  const Shape shape = ShapeIn(b, x);
  DimSizes sizes;
  for (int d = 0; d < shape.rank(); ++d) {
    sizes.emplace_back();
    if (!shape.dim(d).is_static()) sizes.back() = b.GetDimensionSize(x, d);
  }
  return sizes;
}

Shape ShapeOfBounds(const Shape& shape) {
  Shape bounds = shape.WithoutLayout();
  for (int d = 0; d < bounds.rank(); ++d) {
    bounds.set_dim(d, Dim::Static(bounds.dim(d).upper()));
  }
  return bounds;
}

bool HasBounds(const Shape& shape) {
  if (!shape.is_array() || shape.is_unranked()) return false;
  for (int d = 0; d < shape.rank(); ++d) {
    if (!shape.dim(d).is_static() && !shape.dim(d).is_bounded()) return false;
  }
  return true;
}

Op Resize(Tape& tape, Op tangent, const DimSizes& from, const DimSizes& to) {
  if (AreStatic(from) && AreStatic(to)) return tangent;
  Shape shape = ShapeOfBounds(tape.ShapeOf(tangent));
  for (int d = 0; d < shape.rank(); ++d) {
    if (!to[static_cast<size_t>(d)]) continue;
    shape.set_dim(d, Dim::Bounded(shape.dim(d).size()));
  }
  LinearFunction resize;
  ComputationBuilder& primal = tape.primal();
  resize.apply = [&primal, from, to](absl::Span<const Tangent> tangents) {
    return std::vector<Tangent>{Resized(primal, *tangents[0], from, to)};
  };
  resize.transpose = [from, to](ComputationBuilder* out,
                                const std::function<Op(Op)>& value_of,
                                absl::Span<const Tangent> cotangents) {
    const auto there = [&value_of](DimSizes sizes) {
      for (std::optional<Op>& size : sizes) {
        if (size) size = value_of(*size);
      }
      return sizes;
    };
    std::vector<Tangent> given(1);
    if (cotangents[0]) {
      given[0] = Resized(*out, *cotangents[0], there(to), there(from));
    }
    return given;
  };
  return *tape.Apply(std::move(resize), {Tangent(tangent)}, {shape})[0];
}

}  // namespace indim::internal
