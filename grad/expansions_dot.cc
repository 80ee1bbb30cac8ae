// SPDX-License-Identifier: Apache-2.0
// scaled-dot and ragged-dot as dots.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/grad/emit.h"
#include "indim/grad/expand.h"
#include "indim/grad/rules.h"
#include "indim/grad/tape.h"
#include "indim/shape/dims/free_dims.h"

namespace indim::internal {
namespace {

// `x` times its scale, which has a number for each block of each dim; a scalar
// stands for none.
Op ScaledOperand(ComputationBuilder& b, Op x, Op scale, ElementType type) {
  const Shape shape = ShapeIn(b, x), blocks = ShapeIn(b, scale);
  x = ConvertTo(b, x, type);
  if (blocks.is_scalar()) return x;
  Shape cut = Shape::Scalar(type);
  DimIndices places;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t count = blocks.dim(i).size();
    places.push_back(cut.rank());
    cut.add_dim(Dim::Static(count));
    cut.add_dim(Dim::Static(count == 0 ? 0 : shape.dim(i).size() / count));
  }
  return b.Mul(
      x,
      ReshapeTo(b, SpreadTo(b, ConvertTo(b, scale, type), places, cut), shape));
}

// The dims of lhs, in their order, for whose places the sizes of groups may be
// given one by one.
DimIndices DimsOfGroups(const DotAttributes& dot, int rank, int64_t ragged) {
  const auto until_ragged = [&](const DimIndices& dims) {
    return DimIndices(dims.begin(),
                      std::find(dims.begin(), dims.end(), ragged));
  };
  DimIndices prefix = until_ragged(dot.lhs_batch_dims);
  const DimIndices own = until_ragged(
      absl::c_linear_search(dot.lhs_contracting_dims, ragged)
          ? dot.lhs_contracting_dims
          : FreeDims(rank, dot.lhs_batch_dims, dot.lhs_contracting_dims));
  prefix.insert(prefix.end(), own.begin(), own.end());
  return prefix;
}

// pred of lhs's dims and one more, the group: whether a place along the ragged
// dim is in the group.
Op GroupMask(ComputationBuilder& b, Op sizes, const Shape& lhs,
             const DimIndices& prefix, int64_t ragged) {
  sizes = ConvertTo(b, sizes, ElementType::kS32);
  const Shape shape = ShapeIn(b, sizes);
  const int last = shape.rank() - 1;
  const int64_t count = shape.dim(last).size();
  // Where each group ends: the sum of the sizes up to it.
  Shape square = shape;
  square.add_dim(Dim::Static(count));
  const Op is_before = b.Le(b.Iota(square, last), b.Iota(square, last + 1));
  const Op spread = SpreadTo(b, sizes, Range(0, shape.rank()), square);
  const Op ends =
      SumOver(b, b.Select(is_before, spread, b.Splat(0, square)), {last});
  Shape all = lhs.WithoutLayout();
  all.set_element_type(ElementType::kS32);
  all.add_dim(Dim::Static(count));
  DimIndices places = last == 0 ? DimIndices() : prefix;
  places.push_back(lhs.rank());
  const Op place = b.Iota(all, ragged);
  return b.And(b.Ge(place, SpreadTo(b, b.Sub(ends, sizes), places, all)),
               b.Lt(place, SpreadTo(b, ends, places, all)));
}

}  // namespace

absl::StatusOr<Module> ExpandScaledDot(const Instruction& node) {
  ComputationBuilder b("scaled_dot");
  const std::vector<Op> x = Parameters(b, node);
  const ElementType type = node.shape().element_type();
  return Finished(b, b.DotGeneral(ScaledOperand(b, x[0], x[2], type),
                                  ScaledOperand(b, x[1], x[3], type),
                                  As<DotAttributes>(node.attributes()), type));
}

// A dot of lhs, whose rows stand once for each group and are 0 in the others. A
// free ragged dim: groups are contracted with those of rhs. A contracted one:
// the groups are a dim of the result, the first. A batch dim: the groups change
// nothing.
absl::StatusOr<Module> ExpandRaggedDot(const Instruction& node) {
  ComputationBuilder b("ragged_dot");
  const std::vector<Op> x = Parameters(b, node);
  DotAttributes dot = As<DotAttributes>(node.attributes());
  const int64_t ragged = dot.lhs_ragged_dims[0];
  const ElementType type = node.shape().element_type();
  dot.lhs_ragged_dims.clear();
  if (absl::c_linear_search(dot.lhs_batch_dims, ragged)) {
    return Finished(b, b.DotGeneral(x[0], x[1], dot, type));
  }
  Shape rows = ShapeIn(b, x[0]);
  const int rank = rows.rank();
  const Op mask =
      GroupMask(b, x[2], rows, DimsOfGroups(dot, rank, ragged), ragged);
  rows.add_dim(Dim::Static(
      node.operand(2).shape().dim(node.operand(2).shape().rank() - 1).size()));
  const Op lhs =
      b.Select(mask, SpreadTo(b, x[0], Range(0, rank), rows), b.Splat(0, rows));
  if (!dot.rhs_group_dims.empty()) {
    dot.lhs_contracting_dims.push_back(rank);
    dot.rhs_contracting_dims.push_back(dot.rhs_group_dims[0]);
  }
  dot.rhs_group_dims.clear();
  Op result = b.DotGeneral(lhs, x[1], dot, type);
  if (absl::c_linear_search(dot.lhs_contracting_dims, ragged)) {
    // The groups stand behind lhs's own dims.
    const int64_t place =
        rank - static_cast<int64_t>(dot.lhs_contracting_dims.size());
    DimIndices permutation = {place};
    absl::c_copy(FreeDims(ShapeIn(b, result).rank(), {place}),
                 std::back_inserter(permutation));
    result = TransposeBy(b, result, permutation);
  }
  return Finished(b, result);
}

}  // namespace indim::internal
