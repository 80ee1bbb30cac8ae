// SPDX-License-Identifier: Apache-2.0
// Shape functions of gather and scatter.
//
// An index vector selects a slice of the operand. It lies along
// index_vector_dim of the indices; if that is one past their last dim, each
// number is an index vector. The result of a gather has the slice's dims at
// offset_dims and the indices' other dims elsewhere; a scatter's updates have
// the same dims.
//
// Source: XLA, InferGatherShape and InferScatterShape.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/reducer.h"
#include "indim/shape/infer/shape_functions.h"

namespace indim {
namespace {

// What an operand is in messages about lists that name its dims.
constexpr absl::string_view kArray = "the operand";

// `list`, the attribute `what`, must name dims of `array`, which has rank
// `rank`, each at most once (else IND0251), ascending if `sorted` (else
// IND0250).
bool ExpectDimList(InferContext* context, const DimIndices& list, int64_t rank,
                   bool sorted, absl::string_view what,
                   absl::string_view array) {
  const auto given = [&] {
    return absl::StrCat(what, "={", ListText(list), "}");
  };
  DimIndices ascending = list;
  std::sort(ascending.begin(), ascending.end());
  if (std::adjacent_find(ascending.begin(), ascending.end()) !=
          ascending.end() ||
      (sorted && ascending != list)) {
    return context->Diagnose(Code::kDimListOrder)
        .Arg(given())
        .Arg(std::string(sorted ? "ascending" : "distinct"));
  }
  if (list.empty() || (ascending.front() >= 0 && ascending.back() < rank)) {
    return true;
  }
  return context->Diagnose(Code::kDimListRange)
      .Arg(given())
      .Arg(std::string(array))
      .Arg(rank);
}

// The dims of the indices, with the implicit index vector of length 1. nullopt
// after an error when index_vector_dim is out of range. `indices` is ranked.
std::optional<DimVector> IndexDims(InferContext* context, const Shape& indices,
                                   int operand, int64_t index_vector_dim) {
  if (index_vector_dim < 0 || index_vector_dim > indices.rank()) {
    context->Diagnose(Code::kIndexVectorDim, operand)
        .Arg(index_vector_dim)
        .Arg(int64_t{indices.rank()});
    return std::nullopt;
  }
  DimVector dims(indices.dims().begin(), indices.dims().end());
  if (index_vector_dim == indices.rank()) dims.push_back(Dim::Static(1));
  return dims;
}

// An index vector must have one number for each dim in `map`, which lists
// distinct dims of an operand of rank `rank`. `is_implicit`: the indices don't
// have the dim.
bool ExpectIndexMap(InferContext* context, const DimVector& index_dims,
                    int64_t index_vector_dim, bool is_implicit,
                    const DimIndices& map, int64_t rank,
                    absl::string_view what) {
  const Dim length = index_dims[index_vector_dim];
  if (!CompatibleDims(length, Dim::Static(Number(map.size())))) {
    return context->Diagnose(Code::kIndexVectorLength)
        .Arg(std::string(what))
        .Arg(Number(map.size()))
        .Arg(length)
        .Arg(absl::StrCat(
            ", as index_vector_dim=", index_vector_dim,
            is_implicit ? " is one past the last dim of the indices"
                        : " is the dim of the indices that holds an index"));
  }
  if (length.is_symbolic()) {
    context->Require(
        {Condition::Kind::kEqual, length, Dim::Static(Number(map.size()))});
  }
  return ExpectDimList(context, map, rank, /*sorted=*/false, what, kArray);
}

// Pairs of batching dims: dims of the operand (ascending) and of the indices.
// XLA doesn't check whether they make sense together; Indim warns.
struct BatchingDims {
  const DimIndices& operand;
  const DimIndices& indices;
  absl::string_view operand_name;
  absl::string_view indices_name;
};

bool ExpectBatchingDims(InferContext* context, const BatchingDims& batching,
                        int64_t operand_rank, int64_t indices_rank) {
  if (batching.operand.size() != batching.indices.size()) {
    return context->Diagnose(Code::kBatchingCounts)
        .Arg(Number(batching.operand.size()))
        .Arg(std::string(batching.operand_name))
        .Arg(Number(batching.indices.size()))
        .Arg(std::string(batching.indices_name));
  }
  return ExpectDimList(context, batching.operand, operand_rank,
                       /*sorted=*/true, batching.operand_name, kArray) &&
         ExpectDimList(context, batching.indices, indices_rank,
                       /*sorted=*/false, batching.indices_name, "the indices");
}

// Adds IND0259 where a batching dim of the operand has another role too, its
// dim of the indices is the index vector, or their sizes differ.
void WarnOddBatching(InferContext* context, const BatchingDims& batching,
                     const DimIndices& dropped, const DimIndices& indexed,
                     int64_t index_vector_dim, const DimVector& operand_dims,
                     const DimVector& index_dims) {
  for (size_t i = 0; i < batching.operand.size(); ++i) {
    const int64_t dim = batching.operand[i], index_dim = batching.indices[i];
    if (!absl::c_linear_search(dropped, dim) &&
        !absl::c_linear_search(indexed, dim) && index_dim != index_vector_dim &&
        CompatibleDims(operand_dims[dim], index_dims[index_dim])) {
      continue;
    }
    context->Diagnose(Code::kBatchingOdd).Arg(dim).Arg(index_dim);
  }
}

// --- Gather -----------------------------------------------------------------

// Each slice size must be within its dim, and dims that the result drops must
// have at most one element. An unknown dim sets no limit.
bool ExpectSliceSizes(InferContext* context, const OpInputs& inputs,
                      const GatherAttributes& gather,
                      const DimVector& operand_dims) {
  for (size_t i = 0; i < operand_dims.size(); ++i) {
    const int64_t size = gather.slice_sizes[i];
    if (size < 0 || size > operand_dims[i].upper()) {
      return context->Diagnose(Code::kSliceSizeRange, 0, static_cast<int>(i))
          .Arg(size);
    }
    if (inputs.operands[0]->has_rank()) {
      AddAtLeastCondition(context, inputs, {0, static_cast<int>(i)}, size);
    }
    const int64_t dim = Number(i);
    const bool is_collapsed =
        absl::c_linear_search(gather.collapsed_slice_dims, dim);
    if (size > 1 && (is_collapsed || absl::c_linear_search(
                                         gather.operand_batching_dims, dim))) {
      return context
          ->Diagnose(Code::kSliceNotCollapsible, 0, static_cast<int>(i))
          .Arg(size)
          .Arg(std::string(is_collapsed ? "collapsed_slice_dims"
                                        : "operand_batching_dims"));
    }
  }
  return true;
}

bool ExpectGather(InferContext* context, const OpInputs& inputs,
                  const GatherAttributes& gather, const DimVector& operand_dims,
                  const DimVector& index_dims) {
  const int64_t rank = Number(operand_dims.size());
  const int64_t result_rank =
      Number(gather.offset_dims.size() + index_dims.size()) - 1;
  const BatchingDims batching = {
      gather.operand_batching_dims, gather.start_indices_batching_dims,
      "operand_batching_dims", "start_indices_batching_dims"};
  if (!ExpectDimList(context, gather.offset_dims, result_rank, /*sorted=*/true,
                     "offset_dims", "the result") ||
      !ExpectIndexMap(context, index_dims, gather.index_vector_dim,
                      gather.index_vector_dim == inputs.operands[1]->rank(),
                      gather.start_index_map, rank, "start_index_map") ||
      !ExpectDimList(context, gather.collapsed_slice_dims, rank,
                     /*sorted=*/true, "collapsed_slice_dims", kArray) ||
      !ExpectBatchingDims(context, batching, rank, Number(index_dims.size()))) {
    return false;
  }
  if (Number(gather.slice_sizes.size()) != rank) {
    return context->Diagnose(Code::kSliceSizesCount, 0)
        .Arg(Number(gather.slice_sizes.size()))
        .Arg(rank);
  }
  const int64_t placed =
      Number(gather.offset_dims.size() + gather.collapsed_slice_dims.size() +
             gather.operand_batching_dims.size());
  if (placed != rank) {
    return context->Diagnose(Code::kWindowRank, 0)
        .Arg(placed)
        .Arg(rank)
        .Arg(std::string("offset_dims, collapsed_slice_dims and "
                         "operand_batching_dims"));
  }
  if (!ExpectSliceSizes(context, inputs, gather, operand_dims)) return false;
  WarnOddBatching(context, batching, gather.collapsed_slice_dims,
                  gather.start_index_map, gather.index_vector_dim, operand_dims,
                  index_dims);
  return true;
}

// The result's dims, after ExpectGather. A slice that takes all of a bounded
// dim stays bounded.
DimVector GatherDims(const GatherAttributes& gather,
                     const DimVector& operand_dims,
                     const DimVector& index_dims) {
  DimVector dims;
  const size_t rank = gather.offset_dims.size() + index_dims.size() - 1;
  size_t next_slice = 0, next_index = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (!absl::c_linear_search(gather.offset_dims, Number(i))) {
      if (Number(next_index) == gather.index_vector_dim) ++next_index;
      dims.push_back(index_dims[next_index++]);
      continue;
    }
    // ExpectGather has made sure that a kept slice remains for each offset dim.
    while (absl::c_linear_search(gather.collapsed_slice_dims,
                                 Number(next_slice)) ||
           absl::c_linear_search(gather.operand_batching_dims,
                                 Number(next_slice))) {
      ++next_slice;
    }
    const Dim whole = operand_dims[next_slice];
    const int64_t size = gather.slice_sizes[next_slice++];
    dims.push_back(whole == Dim::Bounded(size) ? whole : Dim::Static(size));
  }
  return dims;
}

// The operand's dims that a window of updates spans, in order. As XLA does,
// this walks both lists in step: a dim in both lists counts once, and the dims
// after it in the second list are not skipped.
DimVector WindowDims(const ScatterAttributes& scatter, const Shape& operand) {
  DimVector window;
  size_t inserted = 0, batching = 0;
  for (int i = 0; i < operand.rank(); ++i) {
    if (inserted < scatter.inserted_window_dims.size() &&
        scatter.inserted_window_dims[inserted] == i) {
      ++inserted;
    } else if (batching < scatter.input_batching_dims.size() &&
               scatter.input_batching_dims[batching] == i) {
      ++batching;
    } else {
      window.push_back(operand.dim(i));
    }
  }
  return window;
}

bool ExpectScatterLists(InferContext* context, const ScatterAttributes& scatter,
                        int position, const Shape& operand,
                        const DimVector& index_dims, bool is_implicit,
                        int64_t updates_rank) {
  const int64_t rank = operand.rank();
  const BatchingDims batching = {
      scatter.input_batching_dims, scatter.scatter_indices_batching_dims,
      "input_batching_dims", "scatter_indices_batching_dims"};
  if (!ExpectDimList(context, scatter.update_window_dims, updates_rank,
                     /*sorted=*/true, "update_window_dims", "the updates") ||
      !ExpectDimList(context, scatter.inserted_window_dims, rank,
                     /*sorted=*/true, "inserted_window_dims", kArray)) {
    return false;
  }
  const int64_t placed = Number(scatter.update_window_dims.size() +
                                scatter.inserted_window_dims.size() +
                                scatter.input_batching_dims.size());
  if (placed != rank) {
    return context->Diagnose(Code::kWindowRank, position)
        .Arg(placed)
        .Arg(rank)
        .Arg(std::string("update_window_dims, inserted_window_dims and "
                         "input_batching_dims"));
  }
  if (!ExpectIndexMap(context, index_dims, scatter.index_vector_dim,
                      is_implicit, scatter.scatter_dims_to_operand_dims, rank,
                      "scatter_dims_to_operand_dims") ||
      !ExpectBatchingDims(context, batching, rank, Number(index_dims.size()))) {
    return false;
  }
  WarnOddBatching(
      context, batching, scatter.inserted_window_dims,
      scatter.scatter_dims_to_operand_dims, scatter.index_vector_dim,
      DimVector(operand.dims().begin(), operand.dims().end()), index_dims);
  return true;
}

// Whether a window of `size` may lie in a dim of `whole`. Only an unknown size
// fits an unknown whole.
bool WindowFits(Dim whole, Dim size) {
  return whole.is_unknown() ? size.is_unknown() : SizeFits(whole, size);
}

// The windows of the updates must fit into the operand's window dims, and the
// updates' other dims must be the indices'. `operand`, `indices` and `updates`
// are operand numbers.
bool ExpectUpdates(InferContext* context, const OpInputs& inputs,
                   const ScatterAttributes& scatter, int operand, int indices,
                   int updates) {
  const Shape& update = *inputs.operands[updates];
  const DimVector window = WindowDims(scatter, *inputs.operands[operand]);
  size_t next_window = 0, next_index = 0;
  for (int i = 0; i < update.rank(); ++i) {
    if (absl::c_linear_search(scatter.update_window_dims, i)) {
      const Dim whole = window[next_window++];
      if (WindowFits(whole, update.dim(i))) {
        if (whole.is_symbolic() || update.dim(i).is_symbolic()) {
          context->Require({Condition::Kind::kAtMost, update.dim(i), whole});
        }
        continue;
      }
      return context->Diagnose(Code::kUpdateTooLarge, updates, i).Arg(whole);
    }
    if (Number(next_index) == scatter.index_vector_dim) ++next_index;
    const int index_dim = static_cast<int>(next_index++);
    // An implicit index vector comes last, so `index_dim` is a real dim.
    if (!ExpectEqualSizes(context, inputs, {indices, index_dim},
                          {updates, i})) {
      return false;
    }
  }
  return true;
}

// Checks operand `operand` of a scatter of `count` arrays with its updates.
bool ExpectScatter(InferContext* context, const OpInputs& inputs, int operand,
                   int count, const DimVector& index_dims) {
  const ScatterAttributes& scatter = inputs.attributes_as<ScatterAttributes>();
  const int updates = count + 1 + operand;
  const Shape& array = *inputs.operands[operand];
  const Shape& update = *inputs.operands[updates];
  if (!array.has_rank() || !update.has_rank()) return true;
  const int64_t updates_rank =
      Number(index_dims.size() + scatter.update_window_dims.size()) - 1;
  if (update.rank() != updates_rank) {
    return context->Diagnose(Code::kUpdatesRank, updates).Arg(updates_rank);
  }
  const bool is_implicit =
      scatter.index_vector_dim == inputs.operands[count]->rank();
  return ExpectScatterLists(context, scatter, operand, array, index_dims,
                            is_implicit, updates_rank) &&
         ExpectUpdates(context, inputs, scatter, operand, count, updates);
}

// The computation must fold elements of the updates into elements of the
// operands.
bool ExpectScatterReducer(InferContext* context, const OpInputs& inputs,
                          int count) {
  std::vector<Shape> scalars;
  std::vector<ElementType> types;
  for (int i = 0; i < count; ++i) {
    scalars.push_back(Shape::Scalar(inputs.operands[i]->element_type()));
    types.push_back(inputs.operands[count + 1 + i]->element_type());
  }
  std::vector<const Shape*> inits;
  for (const Shape& scalar : scalars) inits.push_back(&scalar);
  // XLA's verifier compares the computation's types with each other, but not
  // with the operands'.
  return ExpectReducer(context, *inputs.callees[0], inits, types);
}

}  // namespace

std::optional<Shape> InferGather(InferContext* context,
                                 const OpInputs& inputs) {
  const GatherAttributes& gather = inputs.attributes_as<GatherAttributes>();
  const Shape& operand = *inputs.operands[0];
  const Shape& indices = *inputs.operands[1];
  if (!indices.has_rank()) return Shape::Unranked(operand.element_type());
  const std::optional<DimVector> index_dims =
      IndexDims(context, indices, 1, gather.index_vector_dim);
  if (!index_dims) return std::nullopt;
  // An unranked operand has as many dims as there are slice sizes.
  DimVector operand_dims(operand.dims().begin(), operand.dims().end());
  if (!operand.has_rank()) {
    operand_dims.assign(gather.slice_sizes.size(), Dim::Unknown());
  }
  if (!ExpectGather(context, inputs, gather, operand_dims, *index_dims)) {
    return std::nullopt;
  }
  return Shape::Array(operand.element_type(),
                      GatherDims(gather, operand_dims, *index_dims));
}

// --- Scatter ----------------------------------------------------------------

// Operands: N arrays, the indices, N updates. The result is the array, or a
// tuple of N arrays. XLA doesn't check that the arrays have equal dims, and
// neither does Indim.
std::optional<Shape> InferScatter(InferContext* context,
                                  const OpInputs& inputs) {
  const int count = static_cast<int>(inputs.operands.size() / 2);
  const Shape& indices = *inputs.operands[count];
  if (indices.has_rank()) {
    const std::optional<DimVector> index_dims =
        IndexDims(context, indices, count,
                  inputs.attributes_as<ScatterAttributes>().index_vector_dim);
    if (!index_dims) return std::nullopt;
    for (int i = 0; i < count; ++i) {
      if (!ExpectScatter(context, inputs, i, count, *index_dims)) {
        return std::nullopt;
      }
    }
  }
  if (!ExpectScatterReducer(context, inputs, count)) return std::nullopt;
  if (count == 1) return inputs.operands[0]->WithoutLayout();
  std::vector<Shape> results;
  for (int i = 0; i < count; ++i) {
    results.push_back(inputs.operands[i]->WithoutLayout());
  }
  return Shape::Tuple(std::move(results));
}

}  // namespace indim
