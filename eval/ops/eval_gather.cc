// SPDX-License-Identifier: Apache-2.0
// Gather and scatter.
//
// Source of the clamping and of the rules for indices outside: XLA's operation
// semantics.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/ops/element_function.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"

namespace indim {

// --- Gather ------------------------------------------------------------------

namespace {

// An array of index vectors. The dim that holds a vector may be missing; then
// vectors have one element.
struct IndexVectors {
  const Value* array;
  int64_t vector_dim;
  Sizes strides;
  Sizes batch_sizes;  // without the vector dim

  IndexVectors(const Value& indices, int64_t dim)
      : array(&indices), vector_dim(dim), strides(StridesOf(indices.sizes())) {
    for (int i = 0; i < indices.rank(); ++i) {
      if (i != dim) batch_sizes.push_back(indices.size(i));
    }
  }
  int64_t length() const {
    return vector_dim < array->rank()
               ? array->size(static_cast<int>(vector_dim))
               : 1;
  }
  // Element `k` of the vector at `batch`.
  int64_t At(const Sizes& batch, int64_t k) const {
    int64_t number = 0;
    size_t next = 0;
    for (int i = 0; i < array->rank(); ++i) {
      const int64_t place = i == vector_dim ? k : batch[next];
      if (i != vector_dim) ++next;
      number += place * strides[static_cast<size_t>(i)];
    }
    return Position(array->type(), array->At(number));
  }
};

// The position of dim `dim` of the indices among the batch dims.
size_t BatchPlace(int64_t dim, int64_t vector_dim) {
  return static_cast<size_t>(dim > vector_dim ? dim - 1 : dim);
}

// The attributes that say how indices address an operand must be consistent.
bool ExpectIndexing(Evaluation& e, const Value& operand, const Value& indices,
                    const DimIndices& index_map, const DimIndices& batching,
                    const DimIndices& indices_batching, int64_t vector_dim) {
  const bool ok = IsIntegral(indices.type()) && vector_dim >= 0 &&
                  vector_dim <= indices.rank() &&
                  AreDims(index_map, operand.rank()) &&
                  AreDims(batching, operand.rank()) &&
                  AreDims(indices_batching, indices.rank()) &&
                  !absl::c_linear_search(indices_batching, vector_dim) &&
                  batching.size() == indices_batching.size() &&
                  IndexVectors(indices, vector_dim).length() ==
                      static_cast<int64_t>(index_map.size());
  if (!ok) e.Fail("its indices don't fit its operand");
  return ok;
}

struct Scatter {
  const ScatterAttributes& a;
  Sizes own, strides;
  DimIndices window;  // operand dims that the updates have
  IndexVectors vectors;

  // The target of the element at `index` of the updates; -1: outside.
  int64_t TargetOf(const Sizes& index) const {
    Sizes batch, place(own.size(), 0);
    size_t w = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      if (absl::c_linear_search(a.update_window_dims,
                                static_cast<int64_t>(i))) {
        place[static_cast<size_t>(window[w++])] = index[i];
      } else {
        batch.push_back(index[i]);
      }
    }
    for (size_t k = 0; k < a.input_batching_dims.size(); ++k) {
      place[static_cast<size_t>(a.input_batching_dims[k])] = batch[BatchPlace(
          a.scatter_indices_batching_dims[k], a.index_vector_dim)];
    }
    for (size_t k = 0; k < a.scatter_dims_to_operand_dims.size(); ++k) {
      const size_t d = static_cast<size_t>(a.scatter_dims_to_operand_dims[k]);
      const int64_t start = vectors.At(batch, static_cast<int64_t>(k));
      if (start < 0 || start >= own[d]) return -1;
      place[d] += start;
    }
    for (size_t d = 0; d < own.size(); ++d) {
      if (place[d] >= own[d]) return -1;
    }
    return LinearIndex(place, strides);
  }
};

// The updates' dims must range over windows and index vectors.
bool ExpectUpdates(Evaluation& e, const Scatter& s, const Value& updates) {
  const int rank = updates.rank();
  bool ok = s.a.update_window_dims.size() == s.window.size() &&
            AreDims(s.a.update_window_dims, rank) &&
            static_cast<size_t>(rank) ==
                s.window.size() + s.vectors.batch_sizes.size();
  size_t next_window = 0, next_batch = 0;
  for (int i = 0; ok && i < rank; ++i) {
    if (absl::c_linear_search(s.a.update_window_dims, i)) {
      ok = updates.size(i) <=
           s.own[static_cast<size_t>(s.window[next_window++])];
    } else {
      ok = updates.size(i) == s.vectors.batch_sizes[next_batch++];
    }
  }
  if (!ok) e.Fail("its updates don't fit its indices");
  return ok;
}

// Initializes the results with copies of the arrays.
bool StartResults(Evaluation& e, const Sizes& sizes,
                  std::vector<ArrayMaker>* results) {
  const int n = static_cast<int>(results->size());
  for (int i = 0; i < n; ++i) {
    const Value& operand = e.operand(i);
    const Value& updates = e.operand(n + 1 + i);
    if (operand.sizes() != sizes ||
        updates.sizes() != e.operand(n + 1).sizes()) {
      e.Fail("its arrays, or its updates, have different sizes");
      return false;
    }
    if (!SameTypeIgnoringFloatPrecision(operand.type(), updates.type())) {
      e.FailType(n + 1 + i);
      return false;
    }
    ArrayMaker& result = (*results)[static_cast<size_t>(i)];
    if (!e.NewArray(operand.type(), sizes, &result)) return false;
    result.CopyAll(operand);
  }
  return true;
}

// Folds all updates into the results. The window of an index vector is inside
// or outside as a whole: its last element decides, because a start below 0 is
// outside anyway.
bool FoldUpdates(Evaluation& e, const Scatter& scatter,
                 ElementFunction* combine, std::vector<ArrayMaker>* results) {
  const size_t n = results->size();
  const Value& updates = e.operand(static_cast<int>(n) + 1);
  std::vector<Scalar> arguments(2 * n);
  std::vector<Scalar> combined(n);
  int64_t number = 0;
  for (Counter i(updates.sizes()); !i.done(); i.Next(), ++number) {
    if (!e.Charge(1)) return false;
    Sizes last = i.index();
    for (int64_t dim : scatter.a.update_window_dims) {
      last[static_cast<size_t>(dim)] = updates.size(static_cast<int>(dim)) - 1;
    }
    if (scatter.TargetOf(last) < 0) continue;
    const int64_t target = scatter.TargetOf(i.index());
    for (size_t k = 0; k < n; ++k) {
      const int position = static_cast<int>(k);
      const int update = static_cast<int>(n + k);
      arguments[k] = RoundedTo(combine->parameter_type(position),
                               (*results)[k].At(target));
      arguments[n + k] = RoundedTo(combine->parameter_type(update),
                                   e.operand(update + 1).At(number));
    }
    if (!combine->Call(arguments, combined.data())) return false;
    for (size_t k = 0; k < n; ++k) (*results)[k].Set(target, combined[k]);
  }
  return true;
}

// The operand's dims that the result keeps, and whether a slice is empty along
// one that it lacks. nullopt: the slices are wrong, and `e` has failed.
struct Window {
  DimIndices dims;
  bool is_empty = false;
};
std::optional<Window> WindowOf(Evaluation& e, const GatherAttributes& a,
                               const Sizes& own) {
  if (a.slice_sizes.size() != own.size()) {
    return e.Fail("it needs a slice size for each dim of its operand");
  }
  Window window;
  for (size_t i = 0; i < own.size(); ++i) {
    if (a.slice_sizes[i] < 0 || a.slice_sizes[i] > own[i]) {
      return e.Fail(absl::StrCat("a slice of ", a.slice_sizes[i],
                                 " elements of ", own[i], " along dim ", i));
    }
    const int64_t dim = static_cast<int64_t>(i);
    if (!absl::c_linear_search(a.collapsed_slice_dims, dim) &&
        !absl::c_linear_search(a.operand_batching_dims, dim)) {
      window.dims.push_back(dim);
    } else if (a.slice_sizes[i] == 0) {
      window.is_empty = true;
    } else if (a.slice_sizes[i] != 1) {
      return e.Fail(absl::StrCat("a dim that the result lacks has ",
                                 a.slice_sizes[i], " elements, not one"));
    }
  }
  return window;
}

// Where the slices of the index vector at `batch` start in the operand.
Sizes SliceStarts(const GatherAttributes& a, const IndexVectors& vectors,
                  const Sizes& batch, const Sizes& own) {
  Sizes starts(own.size(), 0);
  for (size_t k = 0; k < a.start_index_map.size(); ++k) {
    const size_t d = static_cast<size_t>(a.start_index_map[k]);
    const int64_t start = vectors.At(batch, static_cast<int64_t>(k));
    starts[d] =
        std::min(std::max<int64_t>(start, 0), own[d] - a.slice_sizes[d]);
  }
  // Inference doesn't check that both sides have as many batches. A batch index
  // is clamped like a start, so that the slice fits.
  for (size_t k = 0; k < a.operand_batching_dims.size(); ++k) {
    const size_t d = static_cast<size_t>(a.operand_batching_dims[k]);
    const int64_t start =
        batch[BatchPlace(a.start_indices_batching_dims[k], a.index_vector_dim)];
    starts[d] = std::min(start, own[d] - a.slice_sizes[d]);
  }
  return starts;
}

}  // namespace

// The result's dims: offset_dims range over a slice, the others over the index
// vectors.
std::optional<Value> EvalGather(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const auto& a = e.attributes_as<GatherAttributes>();
  const Value& operand = e.operand(0);
  const Value& indices = e.operand(1);
  if (!ExpectIndexing(e, operand, indices, a.start_index_map,
                      a.operand_batching_dims, a.start_indices_batching_dims,
                      a.index_vector_dim)) {
    return std::nullopt;
  }
  const Sizes own = operand.sizes(), strides = StridesOf(own);
  const IndexVectors vectors(indices, a.index_vector_dim);
  const std::optional<Window> found = WindowOf(e, a, own);
  if (!found) return std::nullopt;
  const DimIndices& window = found->dims;
  const int rank = static_cast<int>(window.size() + vectors.batch_sizes.size());
  if (window.size() != a.offset_dims.size() || !AreDims(a.offset_dims, rank)) {
    return e.Fail("its offset_dims don't fit its slices");
  }
  Sizes sizes;
  size_t next_window = 0, next_batch = 0;
  for (int i = 0; i < rank; ++i) {
    sizes.push_back(
        absl::c_linear_search(a.offset_dims, i)
            ? a.slice_sizes[static_cast<size_t>(window[next_window++])]
            : vectors.batch_sizes[next_batch++]);
  }
  if (found->is_empty && !absl::c_linear_search(sizes, 0)) {
    return e.Fail("a dim that the result lacks has 0 elements, not one");
  }
  return MoveElements(e, operand, sizes, nullptr, [&](const Sizes& index) {
    Sizes batch, offset(own.size(), 0);
    size_t w = 0;
    for (int i = 0; i < rank; ++i) {
      const int64_t at = index[static_cast<size_t>(i)];
      if (absl::c_linear_search(a.offset_dims, i)) {
        offset[static_cast<size_t>(window[w++])] = at;
      } else {
        batch.push_back(at);
      }
    }
    return LinearIndex(SliceStarts(a, vectors, batch, own), strides) +
           LinearIndex(offset, strides);
  });
}

// --- Scatter -----------------------------------------------------------------

// Operands: N arrays, indices, N updates. Updates outside the array are
// skipped; a window that lies partly outside is skipped as a whole.
std::optional<Value> EvalScatter(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const auto& a = e.attributes_as<ScatterAttributes>();
  const int n = e.operand_count() / 2;
  if (e.operand_count() != 2 * n + 1) {
    return e.Fail("it needs as many updates as arrays");
  }
  const Value& first = e.operand(0);
  const Value& indices = e.operand(n);
  if (!ExpectIndexing(e, first, indices, a.scatter_dims_to_operand_dims,
                      a.input_batching_dims, a.scatter_indices_batching_dims,
                      a.index_vector_dim)) {
    return std::nullopt;
  }
  Scatter scatter = {a,
                     first.sizes(),
                     StridesOf(first.sizes()),
                     {},
                     IndexVectors(indices, a.index_vector_dim)};
  for (int i = 0; i < first.rank(); ++i) {
    if (!absl::c_linear_search(a.inserted_window_dims, i) &&
        !absl::c_linear_search(a.input_batching_dims, i)) {
      scatter.window.push_back(i);
    }
  }
  std::vector<ArrayMaker> results(static_cast<size_t>(n));
  ElementFunction combine(&e, 0);
  if (!combine.Expect(2 * n, n) || !StartResults(e, scatter.own, &results) ||
      !ExpectUpdates(e, scatter, e.operand(n + 1)) ||
      !FoldUpdates(e, scatter, &combine, &results)) {
    return std::nullopt;
  }
  if (n == 1) return std::move(results[0]).Finish();
  std::vector<Value> elements;
  for (ArrayMaker& result : results) {
    elements.push_back(std::move(result).Finish());
  }
  return Value::Tuple(std::move(elements));
}

}  // namespace indim
