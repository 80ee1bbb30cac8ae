// SPDX-License-Identifier: Apache-2.0
// Tangents of reductions, windows, sorts and scatters.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/grad/bounded_sizes.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/scalar_fold.h"
#include "indim/shape/dims/free_dims.h"

namespace indim::internal {
namespace {

// The same operation on tangents.
void SetSumOfElements(Primal& node) {
  const Op t = node.tape().ConvertTo(node.shape().element_type(),
                                     node.TangentOrZeros(0));
  node.Set(node.RecordLike({t, node.TangentOrZeros(1)}));
}

// The sum of a tangent of the operand's sizes, which may be bounded, added to
// the tangent `init`, as the reduction `node` goes.
Op SumOfTangents(Primal& node, Op t, Op init) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const DimSizes sizes = SizesOf(b, node.r());
  t = Resize(tape, t, SizesOf(b, node.x(0)),
             DimSizes(static_cast<size_t>(node.shape(0).rank())));
  const Op sum =
      tape.Record(Opcode::kReduce, {t, init}, node.node().attributes(),
                  ShapeOfBounds(node.shape()), AddersOf(tape, node.shape()));
  return Resize(tape, sum, DimSizes(sizes.size()), sizes);
}

// The tangent of the largest (or smallest) elements, shared among equal ones.
void SetExtremum(Primal& node) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const DimIndices& reduced =
      As<DimensionsAttributes>(node.node().attributes()).dimensions;
  const Shape shape = ShapeIn(b, node.x(0));
  const Op chosen = b.Eq(
      node.x(0), SpreadTo(b, node.r(), FreeDims(shape.rank(), reduced), shape));
  Op count = SumOver(
      b, ConvertTo(b, chosen, shape.element_type()), reduced,
      [&](ElementType type) { return tape.PrimalZeros(Shape::Scalar(type)); });
  Tangent sum;
  if (node.t(0)) {
    sum = SumOfTangents(node, tape.Where(chosen, *node.t(0)),
                        tape.Zeros(Shape::Scalar(shape.element_type())));
  }
  const Op init = SpreadTo(b, node.x(1), {}, ShapeIn(b, node.r()));
  const Op init_chosen = b.Eq(init, node.r());
  if (node.t(1)) {
    count = b.Add(count, ConvertTo(b, init_chosen, shape.element_type()));
    const Op t =
        tape.Record(Opcode::kBroadcast, {*node.t(1)}, DimensionsAttributes{},
                    node.shape().WithoutLayout());
    sum = tape.Sum(sum, tape.Where(init_chosen, t));
  }
  // The initial value alone may be the result.
  if (!node.t(1)) count = b.Max(count, 1);
  if (sum) node.Set(tape.Over(*sum, count));
}

// Whether select-and-scatter has such windows.
bool CanScatterInto(const Primal& node) {
  for (const WindowDim& w :
       As<WindowAttributes>(node.node().attributes()).window) {
    if (w.window_dilation != 1 || w.base_dilation != 1 || w.padding_low < 0 ||
        w.padding_high < 0) {
      return false;
    }
  }
  return true;
}

// A gather along one dim: element [.., indices[.., i, ..], ..].
GatherAttributes AlongDim(int rank, int64_t dim) {
  GatherAttributes gather;
  gather.slice_sizes = DimIndices(static_cast<size_t>(rank), 1);
  gather.operand_batching_dims = FreeDims(rank, {dim});
  gather.start_indices_batching_dims = gather.operand_batching_dims;
  gather.collapsed_slice_dims = {dim};
  gather.start_index_map = {dim};
  gather.index_vector_dim = rank;
  return gather;
}

}  // namespace

absl::Status TangentReduce(Primal& node) {
  const ScalarFold fold = ScalarFoldOf(node.node().callee(0));
  const bool is_static = node.shape(0).is_static();
  const bool keeps_sizes = fold == ScalarFold::kAdd ||
                           fold == ScalarFold::kMaximum ||
                           fold == ScalarFold::kMinimum;
  if (!is_static && !(keeps_sizes && HasBounds(node.shape(0)))) {
    return node.RefuseSizes();
  }
  // A computation that returns a tuple of one gives one.
  if (node.node().operand_count() != 2 || node.shape().is_tuple()) {
    return node.SetByExpansion(ExpandReduce(node.node()));
  }
  if (!IsDifferentiable(node.shape())) return absl::OkStatus();
  switch (fold) {
    case ScalarFold::kAdd:
      if (is_static) {
        SetSumOfElements(node);
      } else {
        node.Set(
            SumOfTangents(node,
                          node.tape().ConvertTo(node.shape().element_type(),
                                                node.TangentOrZeros(0)),
                          node.TangentOrZeros(1)));
      }
      return absl::OkStatus();
    case ScalarFold::kMaximum:
    case ScalarFold::kMinimum:
      SetExtremum(node);
      return absl::OkStatus();
    default:
      return node.SetByExpansion(ExpandReduce(node.node()));
  }
}

absl::Status TangentReduceWindow(Primal& node) {
  if (node.node().operand_count() != 2 || node.shape().is_tuple()) {
    return node.SetByExpansion(ExpandReduceWindow(node.node()));
  }
  if (!IsDifferentiable(node.shape())) return absl::OkStatus();
  switch (ScalarFoldOf(node.node().callee(0))) {
    case ScalarFold::kAdd:
      SetSumOfElements(node);
      return absl::OkStatus();
    case ScalarFold::kMaximum:
    case ScalarFold::kMinimum:
      if (node.t(0) && !node.t(1) && CanScatterInto(node)) {
        return TangentOfWindowExtremum(
            node, ScalarFoldOf(node.node().callee(0)) == ScalarFold::kMaximum);
      }
      return node.SetByExpansion(ExpandReduceWindow(node.node()));
    default:
      return node.SetByExpansion(ExpandReduceWindow(node.node()));
  }
}

absl::Status TangentSort(Primal& node) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const Instruction& sort = node.node();
  const auto& attributes = As<SortAttributes>(sort.attributes());
  const Shape shape = node.shape(0).WithoutLayout();
  const int64_t dim = SortedDim(attributes, shape.rank());
  // The same sort with the places as one more operand.
  Shape places = shape;
  places.set_element_type(ElementType::kS32);
  std::vector<Op> operands;
  for (int i = 0; i < sort.operand_count(); ++i) operands.push_back(node.x(i));
  const Op sorted =
      SortBeside(b, operands, b.Iota(places, dim),
                 node.context().copies.CalleeOf(sort.callee(0)), attributes);
  const Op order = b.GetTupleElement(sorted, sort.operand_count());
  const GatherAttributes gather = AlongDim(shape.rank(), dim);
  Traced traced;
  std::vector<Op> values;
  for (int i = 0; i < sort.operand_count(); ++i) {
    values.push_back(b.GetTupleElement(sorted, i));
    Tangent t;
    if (node.t(i)) {
      t = tape.Record(Opcode::kGather, {*node.t(i), tape.In(order)}, gather);
    }
    traced.tangents.push_back(t);
  }
  traced.value = sort.operand_count() == 1 ? values[0] : b.Tuple(values);
  node.Set(std::move(traced));
  return absl::OkStatus();
}

absl::Status TangentTopK(Primal& node) {
  if (!node.t(0)) return absl::OkStatus();
  const Op order = node.b().GetTupleElement(node.r(), 1);
  const int rank = node.shape(0).rank();
  node.tangents()[0] =
      node.tape().Record(Opcode::kGather, {*node.t(0), node.tape().In(order)},
                         AlongDim(rank, rank - 1));
  return absl::OkStatus();
}

}  // namespace indim::internal
