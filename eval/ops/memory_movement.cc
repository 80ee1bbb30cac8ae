// SPDX-License-Identifier: Apache-2.0
// The effect on memory of operations that move elements (memory.h).

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/memory.h"
#include "indim/shape/dims/checked_math.h"
#include "indim/shape/ops/attributes.h"

namespace indim {
namespace {

// All operands as large as their bounds; nullopt: the memory of one is unknown.
std::optional<std::vector<Value>> Wholes(const Evaluation& e) {
  std::vector<Value> wholes;
  for (int i = 0; i < e.operand_count(); ++i) {
    const Value* whole = WholeOperand(e, i);
    if (!e.operand(i).is_array() || whole == nullptr) return std::nullopt;
    wholes.push_back(*whole);
  }
  return wholes;
}

bool IsBoundedResult(const Evaluation& e, size_t d) {
  const Shape* declared = e.declared();
  return declared != nullptr && declared->has_rank() &&
         static_cast<int>(d) < declared->rank() &&
         declared->dim(static_cast<int>(d)).is_bounded();
}

}  // namespace

std::optional<Value> SliceMemory(Evaluation& e) {
  const std::optional<std::vector<Value>> wholes = Wholes(e);
  if (!wholes) return WithoutMemory(e);
  const std::optional<Value> whole = e.Again(*wholes, e.declared());
  if (!whole) return std::nullopt;
  const auto& slice = e.attributes_as<SliceAttributes>();
  Sizes sizes = whole->sizes();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!IsBoundedResult(e, d)) continue;
    const int64_t size = e.operand(0).size(static_cast<int>(d));
    const int64_t stride = slice.strides.empty() ? 1 : slice.strides[d];
    const int64_t left = std::max<int64_t>(size - slice.starts[d], 0);
    sizes[d] = std::min(sizes[d], left / stride + (left % stride != 0));
  }
  return LiveOf(e, *whole, sizes, e.declared());
}

// A slice of all of a bounded dim has as many elements as the dim; a slice of
// one element may lie in memory. XLA compiles no other slices of bounded dims.
std::optional<Value> DynamicSliceMemory(Evaluation& e) {
  const std::optional<std::vector<Value>> wholes = Wholes(e);
  const DimIndices& slice =
      e.attributes_as<DynamicSliceAttributes>().slice_sizes;
  if (!wholes || slice.size() != (*wholes)[0].sizes().size()) {
    return WithoutMemory(e);
  }
  Sizes sizes = slice;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int dim = static_cast<int>(d);
    if (!e.operand(0).is_given(dim) || sizes[d] == 1) continue;
    if (sizes[d] != (*wholes)[0].size(dim)) return WithoutMemory(e);
    sizes[d] = e.operand(0).size(dim);
  }
  const std::optional<Value> whole = e.Again(*wholes, e.declared());
  if (!whole) return std::nullopt;
  return LiveOf(e, *whole, sizes, e.declared());
}

// Starts are clamped so that the update's bounds fit, even if the update is
// smaller. Only the update's visible elements are written. Where its bound
// equals the operand's, all is written, and the result has the update's size.
std::optional<Value> DynamicUpdateSliceMemory(Evaluation& e) {
  const Value* base = WholeOperand(e, 0);
  const Value* update = WholeOperand(e, 1);
  if (base == nullptr || update == nullptr || !base->is_array() ||
      !update->is_array() || base->type() != update->type() ||
      base->rank() != update->rank()) {
    return WithoutMemory(e);
  }
  Sizes part = e.operand(1).sizes(), sizes = e.operand(0).sizes();
  for (size_t d = 0; d < part.size(); ++d) {
    const int dim = static_cast<int>(d);
    if (update->size(dim) > base->size(dim)) {
      return e.Fail(absl::StrCat("the update is larger along dim ", d));
    }
    if (update->size(dim) != base->size(dim)) continue;
    if (e.operand(1).is_given(dim) && IsBoundedResult(e, d)) {
      sizes[d] = part[d];
    }
    part[d] = update->size(dim);
  }
  const auto starts = ClampedStarts(e, 2, base->sizes(), update->sizes());
  if (!starts) return std::nullopt;
  const std::optional<Value> written = FirstOf(e, *update, part);
  const std::optional<Value> whole =
      written ? Pasted(e, *base, *written, *starts) : std::nullopt;
  if (!whole) return std::nullopt;
  return LiveOf(e, *whole, sizes, e.declared());
}

std::optional<Value> GatherMemory(Evaluation& e) {
  const std::optional<std::vector<Value>> wholes = Wholes(e);
  if (!wholes) return WithoutMemory(e);
  const std::optional<Value> whole = e.Again(*wholes, e.declared());
  if (!whole) return std::nullopt;
  const auto& a = e.attributes_as<GatherAttributes>();
  Sizes windows, batches;  // the visible sizes along the result's dims
  for (size_t d = 0; d < a.slice_sizes.size(); ++d) {
    const int64_t dim = static_cast<int64_t>(d);
    if (absl::c_linear_search(a.collapsed_slice_dims, dim) ||
        absl::c_linear_search(a.operand_batching_dims, dim)) {
      continue;
    }
    const bool all = a.slice_sizes[d] == (*wholes)[0].size(static_cast<int>(d));
    windows.push_back(all ? e.operand(0).size(static_cast<int>(d))
                          : a.slice_sizes[d]);
  }
  for (int d = 0; d < e.operand(1).rank(); ++d) {
    if (d != a.index_vector_dim) batches.push_back(e.operand(1).size(d));
  }
  Sizes sizes;
  size_t window = 0, batch = 0;
  for (int d = 0; d < whole->rank(); ++d) {
    sizes.push_back(absl::c_linear_search(a.offset_dims, d) ? windows[window++]
                                                            : batches[batch++]);
  }
  return LiveOf(e, *whole, sizes, e.declared());
}

// Sorts as many elements as the first operand with a run-time size has. The
// memory after them stays.
std::optional<Value> SortMemory(Evaluation& e) {
  const std::optional<std::vector<Value>> wholes = Wholes(e);
  const DimIndices& dims = e.attributes_as<SortAttributes>().dimensions;
  if (!wholes || dims.size() != 1) return WithoutMemory(e);
  const int rank = e.operand(0).rank();
  const int64_t along = dims[0] < 0 ? dims[0] + rank : dims[0];
  if (along < 0 || along >= rank) return WithoutMemory(e);
  const int dim = static_cast<int>(along);
  int64_t live = (*wholes)[0].size(dim);
  for (int i = e.operand_count() - 1; i >= 0; --i) {
    if (e.operand(i).is_given(dim)) live = e.operand(i).size(dim);
  }
  std::vector<Value> sorted;
  for (const Value& whole : *wholes) {
    Sizes sizes = whole.sizes();
    if (dim >= whole.rank() || sizes[static_cast<size_t>(dim)] < live) {
      return WithoutMemory(e);
    }
    sizes[static_cast<size_t>(dim)] = live;
    std::optional<Value> part = FirstOf(e, whole, sizes);
    if (!part) return std::nullopt;
    sorted.push_back(*std::move(part));
  }
  const std::optional<Value> result = e.Again(sorted, nullptr);
  if (!result) return std::nullopt;
  std::vector<Value> elements;
  for (size_t i = 0; i < wholes->size(); ++i) {
    const Value& part = result->is_tuple() ? result->elements()[i] : *result;
    const std::optional<Value> whole = Pasted(
        e, (*wholes)[i], part, Sizes(static_cast<size_t>(part.rank()), 0));
    if (!whole) return std::nullopt;
    const Value& operand = e.operand(static_cast<int>(i));
    std::vector<bool> given;
    for (int d = 0; d < operand.rank(); ++d) {
      given.push_back(operand.is_given(d));
    }
    const std::optional<Value> first = FirstOf(e, *whole, operand.sizes());
    if (!first) return std::nullopt;
    elements.push_back(first->WithMemory(*whole, given));
  }
  if (!result->is_tuple()) return elements[0];
  return TupleOf(e, std::move(elements));
}

// Places each operand's memory after the visible elements of the one before,
// and zeros after the last. For the other dims the last operand with a run-time
// size decides.
std::optional<Value> ConcatenateMemory(Evaluation& e) {
  const std::optional<std::vector<Value>> wholes = Wholes(e);
  const DimIndices& dims = e.attributes_as<DimensionsAttributes>().dimensions;
  if (!wholes || dims.size() != 1 || !e.ExpectDim(0, dims[0])) {
    return WithoutMemory(e);
  }
  const size_t along = static_cast<size_t>(dims[0]);
  Sizes bounds = (*wholes)[0].sizes(), sizes = e.operand(0).sizes();
  bounds[along] = sizes[along] = 0;
  for (int i = 0; i < e.operand_count(); ++i) {
    const Value& whole = (*wholes)[static_cast<size_t>(i)];
    Sizes own = whole.sizes();
    if (own.size() != bounds.size() || whole.type() != (*wholes)[0].type()) {
      return WithoutMemory(e);
    }
    const std::optional<int64_t> sum = CheckedAdd(bounds[along], own[along]);
    if (!sum) return e.Fail("its result has too many elements");
    own[along] = bounds[along] = *sum;
    if (own != bounds) return e.Fail("its operands' sizes differ");
    sizes[along] += e.operand(i).size(static_cast<int>(along));
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int dim = static_cast<int>(d);
      if (d != along && e.operand(i).is_given(dim)) {
        sizes[d] = e.operand(i).size(dim);
      }
    }
  }
  ArrayMaker zeros;
  if (!e.NewArray((*wholes)[0].type(), bounds, &zeros)) return std::nullopt;
  std::optional<Value> whole = std::move(zeros).Finish();
  Sizes starts(bounds.size(), 0);
  for (int i = 0; i < e.operand_count(); ++i) {
    whole = Pasted(e, *whole, (*wholes)[static_cast<size_t>(i)], starts);
    if (!whole) return std::nullopt;
    starts[along] += e.operand(i).size(static_cast<int>(along));
  }
  return LiveOf(e, *whole, sizes, e.declared());
}

// Zeros follow the reversed elements.
std::optional<Value> ReverseMemory(Evaluation& e) {
  const std::optional<std::vector<Value>> wholes = Wholes(e);
  if (!wholes) return WithoutMemory(e);
  const Value& operand = e.operand(0);
  const Value& from = (*wholes)[0];
  const DimIndices& dimensions =
      e.attributes_as<DimensionsAttributes>().dimensions;
  for (int64_t dim : dimensions) {
    if (!e.ExpectDim(0, dim)) return std::nullopt;
  }
  const Sizes strides = StridesOf(from.sizes());
  const std::optional<Value> whole = MoveElements(
      e, from, from.sizes(), nullptr, [&](const Sizes& index) -> int64_t {
        int64_t source = LinearIndex(index, strides);
        for (int64_t dim : dimensions) {
          const size_t d = static_cast<size_t>(dim);
          const int64_t size = operand.size(static_cast<int>(dim));
          if (index[d] >= size) return -1;
          source += (size - 1 - 2 * index[d]) * strides[d];
        }
        return source;
      });
  if (!whole) return std::nullopt;
  return LiveOf(e, *whole, operand.sizes(), e.declared());
}

// The padding value follows the padded array.
std::optional<Value> PadMemory(Evaluation& e) {
  const std::optional<Value> live = WithoutMemory(e);
  const Shape* declared = e.declared();
  if (!live || declared == nullptr || !declared->has_rank() ||
      declared->rank() != live->rank()) {
    return live;
  }
  Sizes bounds;
  std::vector<bool> given;
  for (int d = 0; d < live->rank(); ++d) {
    given.push_back(declared->dim(d).is_bounded());
    bounds.push_back(given.back() ? declared->dim(d).size() : live->size(d));
    if (bounds.back() < live->size(d)) return live;
  }
  if (live->type() != e.operand(1).type()) return live;
  const std::optional<Value> fill =
      MoveElements(e, *live, bounds, &e.operand(1),
                   [](const Sizes&) -> int64_t { return -1; });
  if (!fill) return std::nullopt;
  const std::optional<Value> whole =
      Pasted(e, *fill, *live, Sizes(bounds.size(), 0));
  if (!whole) return std::nullopt;
  return live->WithMemory(*whole, given);
}

}  // namespace indim
