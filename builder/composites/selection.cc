// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/selection.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "indim/builder/composites/composite.h"
#include "indim/builder/composites/composite_fixes.h"
#include "indim/builder/composites/slicing.h"
#include "indim/builder/limits.h"
#include "indim/shape/broadcast/broadcast.h"

namespace indim {
namespace {

using internal::Composite;

// The type in which the indices of operand 1 and the size of dim `dim` of
// operand 0 go together; a size at run time is s32.
ElementType TypeOfIndices(const Composite& c, int64_t dim, size_t at = 1) {
  const ElementType own = c.type(at);
  const Dim size = c.shape(0).dim(static_cast<int>(dim));
  const bool wide =
      Info(own).bits > 32 ||
      (size.has_upper() && size.upper() > std::numeric_limits<int32_t>::max());
  if (IsUnsigned(own)) return wide ? ElementType::kU64 : ElementType::kU32;
  return wide ? ElementType::kS64 : ElementType::kS32;
}

Op SizeAs(Composite& c, int64_t dim, ElementType type) {
  const Dim size = c.shape(0).dim(static_cast<int>(dim));
  return size.is_static()
             ? c.Scalar(type, size.size())
             : c.Narrow(c.b().GetDimensionSize(c.operand(0), dim), type);
}

// Operand `at`, the indices along dim `dim` of operand 0, with those below 0
// counted from the end.
Op FromStart(Composite& c, int64_t dim, size_t at = 1) {
  if (IsUnsigned(c.type(at))) return c.operand(at);
  const ElementType type = TypeOfIndices(c, dim, at);
  const Op indices = c.Narrow(c.operand(at), type);
  return c.b().Select(c.b().Lt(indices, c.Scalar(type, 0)),
                      indices + SizeAs(c, dim, type), indices);
}

// What stands for an element that isn't there.
absl::StatusOr<Literal> FillLiteral(ElementType type) {
  if (IsFloat(type)) return internal::NanLiteral(type);
  if (IsComplex(type)) {
    return Literal::Scalar(type, std::numeric_limits<double>::quiet_NaN());
  }
  return type == ElementType::kPred || IsUnsigned(type)
             ? internal::GreatestLiteral(type)
             : internal::LeastLiteral(type);
}

// `taken`, by indices of FromStart, with the fill where these have no element.
// The dims of the indices are dims first, first + 1, ... of `taken`.
Op Filled(Composite& c, Op taken, Op indices, int64_t dim, int64_t first) {
  const absl::StatusOr<Literal> fill = FillLiteral(c.type(0));
  if (!fill.ok()) {
    c.Fail(Code::kLiteralValue, {std::string(fill.status().message())});
    return c.failed();
  }
  ComputationBuilder& b = c.b();
  const ElementType type = TypeOfIndices(c, dim);
  const Op places = c.Narrow(indices, type);
  const Op inside =
      b.Ge(places, c.Scalar(type, 0)) & b.Lt(places, SizeAs(c, dim, type));
  DimIndices dims;
  for (int64_t d = 0; d < c.shape(1).rank(); ++d) dims.push_back(first + d);
  return b.Select(c.BroadcastTo(inside, c.ShapeOf(taken), dims), taken,
                  c.Scalar(*fill));
}

// Whether x and operand `at`, indices, are those of a Take along *dim, which it
// resolves.
bool CanTake(Composite& c, int64_t* dim, size_t at = 1) {
  return c.Ranked(0) && c.Ranked(at, TypeMask::kIntegral) &&
         c.ResolveDim(0, "dim", dim);
}

// Operand i broadcast to `plan`.
Op Grown(Composite& c, size_t i, const BroadcastPlan& plan) {
  const absl::Span<const Dim> dims = c.shape(i).dims();
  // Select takes scalars.
  if (dims.empty() || dims == absl::MakeConstSpan(plan.dims)) {
    return c.operand(i);
  }
  DimIndices places(plan.operands[i].begin(), plan.operands[i].end());
  return c.b().BroadcastInDim(c.operand(i), plan.dims, places);
}

}  // namespace

Op Where(Op condition, Op on_true, Op on_false, Caller caller) {
  Composite c("Where", {condition, on_true, on_false}, caller);
  if (!c.Ranked(0, TypeMask::kPred) || !c.Ranked(1) || !c.Ranked(2)) {
    return c.failed();
  }
  const Shape* const shapes[] = {&c.shape(0), &c.shape(1), &c.shape(2)};
  BroadcastSpec spec;
  spec.rule = BroadcastRule::kNumpy;
  BroadcastPlan plan;
  std::vector<Diagnostic> diagnostics;
  if (!PlanBroadcast(spec, shapes, &plan, &diagnostics)) {
    c.Fail(std::move(diagnostics[0]));
    return c.failed();
  }
  const Op grown[] = {Grown(c, 0, plan), Grown(c, 1, plan), Grown(c, 2, plan)};
  return c.Done(c.b().Select(grown[0], grown[1], grown[2]));
}

Op Take(Op x, Op indices, int64_t dim, bool fill, Caller caller) {
  Composite c("Take", {x, indices}, caller);
  if (!CanTake(c, &dim)) return c.failed();
  const Op places = FromStart(c, dim);
  const Op taken = IndexSelect(x, places, dim);
  return c.Done(fill && c.IsGood(taken) ? Filled(c, taken, places, dim, dim)
                                        : taken);
}

namespace {

// For indices of another rank than x's: with a dim of size 1 at `dim` if their
// others are x's, else x's dims with a vector's size at `dim`.
Shape AlongDim(const Shape& x, const Shape& indices, int64_t dim) {
  Shape all = x.WithoutLayout();
  all.set_element_type(indices.element_type());
  const int at = static_cast<int>(dim);
  if (indices.rank() == 1) all.set_dim(at, indices.dim(0));
  const std::optional<Shape> one = internal::WithOneAt(indices, dim, x.rank());
  if (!one) return all;
  for (int d = 0; d < x.rank(); ++d) {
    if (d != at && !CompatibleDims(one->dim(d), x.dim(d))) return all;
  }
  return *one;
}

}  // namespace

Op TakeAlongDim(Op x, Op indices, int64_t dim, bool fill, Caller caller) {
  Composite c("TakeAlongDim", {x, indices}, caller);
  if (!CanTake(c, &dim)) return c.failed();
  const int rank = c.shape(0).rank();
  Diagnostic diagnostic;
  diagnostic.operand = 1;
  diagnostic.other_operand = 0;
  if (c.shape(1).rank() != rank) {
    diagnostic.code = Code::kOperandRanksDiffer;
    diagnostic.fix_of_call = AlongDim(c.shape(0), c.shape(1), dim);
    c.Fail(std::move(diagnostic));
    return c.failed();
  }
  GatherAttributes gather;
  gather.collapsed_slice_dims = {dim};
  gather.start_index_map = {dim};
  gather.index_vector_dim = rank;
  for (int d = 0; d < rank; ++d) {
    gather.slice_sizes.push_back(1);
    if (d == dim) continue;
    const Dim own = c.shape(0).dim(d), other = c.shape(1).dim(d);
    if (own.is_static() && other.is_static() && own != other) {
      diagnostic.code = Code::kSizesMustMatch;
      diagnostic.dim = diagnostic.other_dim = d;
      c.Fail(std::move(diagnostic));
      return c.failed();
    }
    gather.operand_batching_dims.push_back(d);
    gather.start_indices_batching_dims.push_back(d);
  }
  const Op places = FromStart(c, dim);
  const Op taken = c.b().Gather(x, places, gather);
  return c.Done(fill && c.IsGood(taken) ? Filled(c, taken, places, dim, 0)
                                        : taken);
}

Op UpdateIndex(Op x, Op update, Op index, int64_t dim, Caller caller) {
  Composite c("UpdateIndex", {x, update, index}, caller);
  if (!CanTake(c, &dim, 2) || !c.Ranked(1)) return c.failed();
  const int rank = c.shape(0).rank();
  DimIndices others;
  for (int d = 0; d < rank; ++d) {
    if (d != dim) others.push_back(d);
  }
  if (!c.HasDims(1, 0, others)) return c.failed();
  Shape grown = Shape::Scalar(c.type(1));
  for (int d = 0; d < rank; ++d) {
    grown.add_dim(d == dim ? Dim::Static(1)
                           : c.shape(1).dim(d < dim ? d : d - 1));
  }
  const Op start = FromStart(c, dim, 2);
  const Op zero = c.Scalar(c.ShapeOf(start).element_type(), 0);
  std::vector<Op> starts(static_cast<size_t>(rank), zero);
  starts[static_cast<size_t>(dim)] = start;
  return c.Done(
      c.b().DynamicUpdateSlice(x, c.ReshapeTo(update, grown), starts));
}

}  // namespace indim
