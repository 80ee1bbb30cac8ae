// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/slicing.h"

#include <string>
#include <vector>

#include "indim/builder/composites/composite.h"
#include "indim/builder/composites/composite_fixes.h"

namespace indim {
namespace {

using internal::Composite;

Op Update(Composite& c, Op x, Op update, absl::Span<const int64_t> start) {
  std::vector<Op> starts(c.shape(0).rank() - start.size(),
                         c.Scalar(ElementType::kS64, 0));
  for (const int64_t at : start) {
    starts.push_back(c.Scalar(ElementType::kS64, at));
  }
  return c.Done(c.b().DynamicUpdateSlice(x, update, starts));
}

// Zeros before `starts`, to have one for each dim of operand 0.
std::vector<Op> StartsOfAll(Composite& c, absl::Span<const Op> starts) {
  std::vector<Op> all;
  const ElementType type =
      starts.empty() ? ElementType::kS32 : c.ShapeOf(starts[0]).element_type();
  const size_t rank = static_cast<size_t>(c.shape(0).rank());
  while (all.size() < rank - starts.size()) all.push_back(c.Scalar(type, 0));
  all.insert(all.end(), starts.begin(), starts.end());
  return all;
}

}  // namespace

Op Index(Op x, int64_t index, int64_t dim, Caller caller) {
  Composite c("Index", {x}, caller);
  if (!c.Ranked(0) || !c.ResolveDim(0, "dim", &dim)) return c.failed();
  const Dim size = c.shape(0).dim(static_cast<int>(dim));
  const bool from_end = index < 0 && size.is_static();
  if (index >= size.upper() || (from_end ? index < -size.upper() : index < 0)) {
    c.Fail(Code::kIndexRange, {index}, 0, dim);
    return c.failed();
  }
  if (from_end) index += size.upper();
  Shape result = Shape::Scalar(c.type(0));
  for (int d = 0; d < c.shape(0).rank(); ++d) {
    if (d != dim) result.add_dim(c.shape(0).dim(d));
  }
  return c.Done(
      c.ReshapeTo(c.b().SliceInDim(x, index, index + 1, 1, dim), result));
}

Op SliceInMinorDims(Op x, absl::Span<const int64_t> start,
                    absl::Span<const int64_t> end, Caller caller) {
  Composite c("SliceInMinorDims", {x}, caller);
  if (!c.RankedAtLeast(0, start.size())) return c.failed();
  const size_t whole = static_cast<size_t>(c.shape(0).rank()) - start.size();
  std::vector<int64_t> starts(whole, 0);
  std::vector<int64_t> ends(whole, kWhole);
  starts.insert(starts.end(), start.begin(), start.end());
  ends.insert(ends.end(), end.begin(), end.end());
  return c.Done(c.b().Slice(x, starts, ends, {}));
}

Op UpdateSlice(Op x, Op update, absl::Span<const int64_t> start,
               Caller caller) {
  Composite c("UpdateSlice", {x, update}, caller);
  if (!c.Ranked(0)) return c.failed();
  if (static_cast<int>(start.size()) != c.shape(0).rank()) {
    c.Fail(Code::kStartIndexCount,
           {static_cast<int64_t>(start.size()), int64_t{c.shape(0).rank()}}, 0);
    return c.failed();
  }
  return Update(c, x, update, start);
}

Op UpdateSliceInMinorDims(Op x, Op update, absl::Span<const int64_t> start,
                          Caller caller) {
  Composite c("UpdateSliceInMinorDims", {x, update}, caller);
  if (!c.RankedAtLeast(0, start.size())) return c.failed();
  return Update(c, x, update, start);
}

Op DynamicSliceInMinorDims(Op x, absl::Span<const Op> starts,
                           absl::Span<const int64_t> sizes, Caller caller) {
  std::vector<Op> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  Composite c("DynamicSliceInMinorDims", operands, caller);
  if (!c.RankedAtLeast(0, starts.size())) return c.failed();
  std::vector<int64_t> all_sizes;
  for (int d = 0; d < c.shape(0).rank() - static_cast<int>(starts.size());
       ++d) {
    all_sizes.emplace_back();
    if (!c.SizeOf(0, d, "the sizes of a dynamic slice", &all_sizes.back())) {
      return c.failed();
    }
  }
  all_sizes.insert(all_sizes.end(), sizes.begin(), sizes.end());
  return c.Done(c.b().DynamicSlice(x, StartsOfAll(c, starts), all_sizes));
}

Op DynamicUpdateSliceInMinorDims(Op x, Op update, absl::Span<const Op> starts,
                                 Caller caller) {
  std::vector<Op> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  Composite c("DynamicUpdateSliceInMinorDims", operands, caller);
  if (!c.RankedAtLeast(0, starts.size())) return c.failed();
  return c.Done(c.b().DynamicUpdateSlice(x, update, StartsOfAll(c, starts)));
}

// --- By indices --------------------------------------------------------------

Op IndexSelect(Op x, Op indices, int64_t dim, int64_t batch_dims,
               Caller caller) {
  Composite c("IndexSelect", {x, indices}, caller);
  if (!c.Ranked(0) || !c.Ranked(1, TypeMask::kIntegral) ||
      !c.ResolveDim(0, "dim", &dim)) {
    return c.failed();
  }
  const int64_t index_rank = c.shape(1).rank();
  if (batch_dims < 0) {
    c.Fail(Code::kAttributeRange,
           {std::string("batch_dims"), batch_dims, int64_t{0}});
    return c.failed();
  }
  if (batch_dims > index_rank || batch_dims > dim) {
    const int operand = batch_dims > index_rank ? 1 : 0;
    c.Fail(Code::kDimIndexRange,
           {std::string("batch_dims"), batch_dims,
            operand == 1 ? index_rank : int64_t{c.shape(0).rank()}},
           operand);
    return c.failed();
  }
  GatherAttributes gather;
  for (int64_t d = 0; d < c.shape(0).rank(); ++d) {
    if (d < batch_dims) {
      gather.operand_batching_dims.push_back(d);
      gather.start_indices_batching_dims.push_back(d);
    }
    if (d < batch_dims || d == dim) {
      gather.slice_sizes.push_back(1);
      continue;
    }
    gather.slice_sizes.emplace_back();
    if (!c.SizeOf(0, d, "the sizes of a gather's slices",
                  &gather.slice_sizes.back())) {
      return c.failed();
    }
    // The dims of the indices are inserted at `dim`.
    gather.offset_dims.push_back(d < dim ? d : d + index_rank - batch_dims - 1);
  }
  gather.collapsed_slice_dims = {dim};
  gather.start_index_map = {dim};
  gather.index_vector_dim = index_rank;
  return c.Done(c.b().Gather(x, indices, gather));
}

Op TorchGather(Op x, Op index, int64_t dim, Caller caller) {
  Composite c("TorchGather", {x, index}, caller);
  if (!c.Ranked(0) || !c.Ranked(1, TypeMask::kIntegral) ||
      !c.ResolveDim(0, "dim", &dim)) {
    return c.failed();
  }
  const int rank = c.shape(0).rank();
  if (c.shape(1).rank() != rank) {
    Diagnostic diagnostic;
    diagnostic.code = Code::kOperandRanksDiffer;
    diagnostic.operand = 1;
    diagnostic.other_operand = 0;
    diagnostic.fix_of_call = internal::WithOneAt(c.shape(1), dim, rank);
    c.Fail(std::move(diagnostic));
    return c.failed();
  }
  for (int d = 0; d < rank; ++d) {
    if (c.shape(1).dim(d).is_static()) continue;
    c.Fail(Code::kStaticNeeded, {}, 1, d);
    return c.failed();
  }
  // An index vector for each element: its own position, except along `dim`,
  // where `index` gives it. 64 bits hold every position.
  const ElementType type =
      IsUnsigned(c.type(1)) ? ElementType::kU64 : ElementType::kS64;
  Shape column = c.shape(1);
  column.clear_layout();
  column.set_element_type(type);
  const Shape places = column;
  column.add_dim(Dim::Static(1));
  std::vector<Op> columns;
  GatherAttributes gather;
  for (int d = 0; d < rank; ++d) {
    const Op place = d == dim ? c.Narrow(index, type) : c.b().Iota(places, d);
    columns.push_back(c.ReshapeTo(place, column));
    gather.collapsed_slice_dims.push_back(d);
    gather.start_index_map.push_back(d);
    gather.slice_sizes.push_back(1);
  }
  gather.index_vector_dim = rank;
  return c.Done(c.b().Gather(x, c.b().ConcatInDim(columns, rank), gather));
}

}  // namespace indim
