// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/emit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "indim/builder/inline.h"
#include "indim/grad/scalar_fold.h"
#include "indim/grad/tape.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/dims/free_dims.h"
#include "indim/shape/types/element_type.h"

namespace indim::internal {
namespace {

// A vector of limits, one for each component, as the indices' shape.
Op LimitsAs(ComputationBuilder& b, const std::vector<int64_t>& limits,
            const Shape& indices, int64_t index_vector_dim) {
  // No more than the type holds.
  const ElementTypeInfo& info = Info(indices.element_type());
  const int bits =
      static_cast<int>(info.bits) - (IsSigned(indices.element_type()) ? 1 : 0);
  const int64_t most = bits >= 63 ? std::numeric_limits<int64_t>::max()
                                  : (int64_t{1} << bits) - 1;
  std::vector<int64_t> fitting;
  for (const int64_t limit : limits) fitting.push_back(std::min(limit, most));
  if (absl::c_all_of(fitting, [&](int64_t l) { return l == fitting[0]; })) {
    return b.Splat(fitting[0], indices);
  }
  std::vector<Op> each;
  for (const int64_t limit : fitting) {
    each.push_back(b.Reshape(b.ConstantR0(indices.element_type(), limit), {1}));
  }
  return SpreadTo(b, b.ConcatInDim(each, 0), {index_vector_dim}, indices);
}

// The largest start of each component's dim.
std::vector<int64_t> LargestStarts(const Shape& operand,
                                   const DimIndices& start_index_map,
                                   const DimIndices& slice_sizes) {
  std::vector<int64_t> limits;
  for (const int64_t dim : start_index_map) {
    limits.push_back(operand.dim(static_cast<int>(dim)).size() -
                     slice_sizes[static_cast<size_t>(dim)]);
  }
  return limits;
}

}  // namespace

bool IsA(const ComputationBuilder& b, Op op, Opcode opcode) {
  const absl::StatusOr<Opcode> found = b.opcode(op);
  return found.ok() && *found == opcode;
}

DimIndices Range(int64_t first, int64_t count) {
  DimIndices range(static_cast<size_t>(count));
  std::iota(range.begin(), range.end(), first);
  return range;
}

Op ConvertTo(ComputationBuilder& b, Op x, ElementType type) {
  return ShapeIn(b, x).element_type() == type ? x
                                              : b.ConvertElementType(x, type);
}

Op ElementOf(ComputationBuilder& b, Op tuple, int64_t index) {
  if (!IsA(b, tuple, Opcode::kTuple)) return b.GetTupleElement(tuple, index);
  return (*b.operands(tuple))[static_cast<size_t>(index)];
}

std::optional<double> ScalarConstant(const ComputationBuilder& b, Op op) {
  if (!IsA(b, op, Opcode::kConstant) || !ShapeIn(b, op).is_scalar()) {
    return std::nullopt;
  }
  const absl::StatusOr<Literal> literal = b.literal(op);
  return literal.ok() ? std::optional<double>(literal->AsDouble(0))
                      : std::nullopt;
}

Op SumOver(ComputationBuilder& b, Op x, DimIndices dims,
           const std::function<Op(ElementType)>& zero_of) {
  if (dims.empty()) return x;
  const ElementType type = ShapeIn(b, x).element_type();
  const bool low = IsFloat(type) && Info(type).bits < 32;
  const ElementType wide = low ? ElementType::kF32 : type;
  const Op zero = zero_of ? zero_of(wide) : b.ConstantR0(wide, 0);
  absl::c_sort(dims);
  x = b.Reduce(ConvertTo(b, x, wide), zero, AdderOf(&b, Shape::Scalar(wide)),
               dims);
  return ConvertTo(b, x, type);
}

DimIndices SortingPermutation(const DimIndices& dims) {
  if (absl::c_is_sorted(dims)) return {};
  DimIndices permutation = Range(0, static_cast<int64_t>(dims.size()));
  absl::c_sort(permutation, [&](int64_t a, int64_t b) {
    return dims[static_cast<size_t>(a)] < dims[static_cast<size_t>(b)];
  });
  return permutation;
}

Op SpreadTo(ComputationBuilder& b, Op x, const DimIndices& dims,
            const Shape& shape) {
  Shape result = shape.WithoutLayout();
  result.set_element_type(ShapeIn(b, x).element_type());
  DimIndices sorted = dims;
  if (const DimIndices permutation = SortingPermutation(dims);
      !permutation.empty()) {
    x = TransposeBy(b, x, permutation);
    absl::c_sort(sorted);
  }
  return b.AddInstruction(Opcode::kBroadcast, {x}, DimensionsAttributes{sorted},
                          result);
}

Op ReshapeTo(ComputationBuilder& b, Op x, const Shape& shape) {
  const Shape from = ShapeIn(b, x);
  Shape result = shape.WithoutLayout();
  result.set_element_type(from.element_type());
  if (SameStructure(from, result)) return x;
  return b.AddInstruction(Opcode::kReshape, {x}, DimensionsAttributes{},
                          result);
}

DimIndices Inverse(const DimIndices& permutation) {
  DimIndices inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

Op TransposeBy(ComputationBuilder& b, Op x, const DimIndices& permutation) {
  if (absl::c_is_sorted(permutation)) return x;
  return b.Transpose(x, DimsArg(absl::MakeConstSpan(permutation)));
}

Op ConjugateOf(ComputationBuilder& b, Op x) {
  if (!IsComplex(ShapeIn(b, x).element_type())) return x;
  return b.Complex(b.Real(x), b.Neg(b.Imag(x)));
}

Op TriangleMask(ComputationBuilder& b, const Shape& shape, bool lower,
                int64_t offset) {
  Shape index = shape.WithoutLayout();
  index.set_element_type(ElementType::kS32);
  Op row = b.Iota(index, index.rank() - 2);
  if (offset != 0) row = b.Add(row, offset);
  const Op column = b.Iota(index, index.rank() - 1);
  return lower ? b.Le(column, row) : b.Ge(column, row);
}

Op DiagonalMask(ComputationBuilder& b, const Shape& shape) {
  Shape index = shape.WithoutLayout();
  index.set_element_type(ElementType::kS32);
  return b.Eq(b.Iota(index, index.rank() - 2), b.Iota(index, index.rank() - 1));
}

Op ScatterAdd(ComputationBuilder& b, Op operand, Op indices, Op updates,
              const ScatterAttributes& attributes) {
  return b.Scatter(
      operand, indices, updates, [](Op x, Op y) { return x + y; }, attributes);
}

ScatterAttributes ScatterOf(const GatherAttributes& gather, bool unique) {
  ScatterAttributes scatter;
  scatter.update_window_dims = gather.offset_dims;
  scatter.inserted_window_dims = gather.collapsed_slice_dims;
  scatter.scatter_dims_to_operand_dims = gather.start_index_map;
  scatter.input_batching_dims = gather.operand_batching_dims;
  scatter.scatter_indices_batching_dims = gather.start_indices_batching_dims;
  scatter.index_vector_dim = gather.index_vector_dim;
  scatter.indices_are_sorted = gather.indices_are_sorted;
  scatter.unique_indices = unique;
  return scatter;
}

GatherAttributes GatherOf(const ScatterAttributes& scatter,
                          const Shape& operand, const Shape& updates) {
  GatherAttributes gather;
  gather.offset_dims = scatter.update_window_dims;
  gather.collapsed_slice_dims = scatter.inserted_window_dims;
  gather.start_index_map = scatter.scatter_dims_to_operand_dims;
  gather.operand_batching_dims = scatter.input_batching_dims;
  gather.start_indices_batching_dims = scatter.scatter_indices_batching_dims;
  gather.index_vector_dim = scatter.index_vector_dim;
  gather.indices_are_sorted = scatter.indices_are_sorted;
  size_t next = 0;
  for (int64_t dim = 0; dim < operand.rank(); ++dim) {
    const bool one = absl::c_linear_search(scatter.inserted_window_dims, dim) ||
                     absl::c_linear_search(scatter.input_batching_dims, dim);
    gather.slice_sizes.push_back(
        one ? 1
            : updates.dim(static_cast<int>(scatter.update_window_dims[next++]))
                  .size());
  }
  return gather;
}

Op ClampedIndices(ComputationBuilder& b, Op indices, const Shape& operand,
                  const GatherAttributes& gather) {
  if (gather.start_index_map.empty()) return indices;
  const Shape shape = ShapeIn(b, indices);
  const Op limits = LimitsAs(
      b, LargestStarts(operand, gather.start_index_map, gather.slice_sizes),
      shape, gather.index_vector_dim);
  return b.Clamp(b.Splat(0, shape), indices, limits);
}

Op InsideMask(ComputationBuilder& b, Op indices, const Shape& operand,
              const Shape& updates, const ScatterAttributes& scatter) {
  const Shape shape = ShapeIn(b, indices);
  Shape result = updates.WithoutLayout();
  result.set_element_type(ElementType::kPred);
  if (scatter.scatter_dims_to_operand_dims.empty()) return b.Splat(1, result);
  const GatherAttributes gather = GatherOf(scatter, operand, updates);
  const Op limits = LimitsAs(
      b, LargestStarts(operand, gather.start_index_map, gather.slice_sizes),
      shape, scatter.index_vector_dim);
  Op inside = b.And(b.Ge(indices, b.Splat(0, shape)), b.Le(indices, limits));
  if (scatter.index_vector_dim < shape.rank()) {
    const int64_t dims[] = {scatter.index_vector_dim};
    inside = b.Reduce(inside, ReduceKind::kAnd, DimsArg(dims));
  }
  return SpreadTo(b, inside,
                  FreeDims(updates.rank(), scatter.update_window_dims), result);
}

int64_t SortedDim(const SortAttributes& sort, int rank) {
  return sort.dimensions.empty() ? rank - 1 : sort.dimensions[0];
}

Op SortBeside(ComputationBuilder& b, std::vector<Op> operands, Op beside,
              const Callee& comparator, const SortAttributes& sort,
              const std::function<Op(ComputationBuilder& less, Op before,
                                     Op left, Op right)>& order) {
  ComputationBuilder less = b.SubBuilder("less");
  const auto parameter = [&](Op array) {
    return less.Parameter(Shape::Scalar(ShapeIn(b, array).element_type()));
  };
  std::vector<Op> scalars;
  for (const Op operand : operands) {
    for (int side = 0; side < 2; ++side) scalars.push_back(parameter(operand));
  }
  const Op left = parameter(beside), right = parameter(beside);
  // The comparator is written out: one that a call and another sort share XLA
  // has to copy.
  Op result = InlineCallee(RecorderOf(less), comparator, scalars, 1)[0];
  if (order != nullptr) result = order(less, result, left, right);
  const int rank = ShapeIn(b, beside).rank();
  operands.push_back(beside);
  return b.Sort(operands, less.BuildCallee(result), SortedDim(sort, rank),
                sort.is_stable);
}

}  // namespace indim::internal
