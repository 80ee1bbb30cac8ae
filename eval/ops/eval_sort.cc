// SPDX-License-Identifier: Apache-2.0
// Sort and topk.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "indim/eval/ops/element_function.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"

namespace indim {
namespace {

// Sorts the numbers 0..n-1 by `less`, stably, by merging runs. It only requires
// that `less` returns: `less` may contradict itself. Returns false if `less`
// fails.
template <typename Less>
bool MergeSort(std::vector<int64_t>* numbers, const Less& less) {
  const size_t n = numbers->size();
  std::vector<int64_t> merged(n);
  for (size_t run = 1; run < n; run *= 2) {
    for (size_t start = 0; start < n; start += 2 * run) {
      size_t left = start, right = std::min(start + run, n);
      const size_t middle = right, end = std::min(start + 2 * run, n);
      for (size_t to = start; to < end; ++to) {
        bool take_right = left == middle;
        if (left < middle && right < end &&
            !less((*numbers)[right], (*numbers)[left], &take_right)) {
          return false;
        }
        merged[to] = (*numbers)[take_right ? right++ : left++];
      }
    }
    numbers->swap(merged);
  }
  return true;
}

// Calls f(numbers of the elements) for each row along `dim`, until it returns
// false.
template <typename F>
bool ForEachRow(const Sizes& sizes, size_t dim, const F& f) {
  const Sizes strides = StridesOf(sizes);
  Sizes others = sizes;
  others[dim] = 1;
  for (Counter i(others); !i.done(); i.Next()) {
    std::vector<int64_t> row(static_cast<size_t>(sizes[dim]));
    const int64_t first = LinearIndex(i.index(), strides);
    for (size_t k = 0; k < row.size(); ++k) {
      row[k] = first + static_cast<int64_t>(k) * strides[dim];
    }
    if (!f(row)) return false;
  }
  return true;
}

}  // namespace

// Sorts stably, even if is_stable is false.
std::optional<Value> EvalSort(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const DimIndices& dims = e.attributes_as<SortAttributes>().dimensions;
  const Sizes sizes = e.operand(0).sizes();
  if (dims.size() != 1) return e.Fail("it needs one dim to sort along");
  const int64_t along = dims[0] < 0 ? dims[0] + e.operand(0).rank() : dims[0];
  if (!e.ExpectDim(0, along)) return std::nullopt;
  for (const Value& operand : e.operands()) {
    if (operand.sizes() != sizes) return e.Fail("its operands' sizes differ");
  }
  const int n = e.operand_count();
  ElementFunction comparator(&e, 0);
  if (!comparator.Expect(2 * n, 1)) return std::nullopt;
  for (int i = 0; i < 2 * n; ++i) {
    if (!SameTypeIgnoringFloatPrecision(e.operand(i / 2).type(),
                                        comparator.parameter_type(i))) {
      return e.FailType(i / 2);
    }
  }
  std::vector<ArrayMaker> results(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    if (!e.NewArray(e.operand(i).type(), sizes,
                    &results[static_cast<size_t>(i)])) {
      return std::nullopt;
    }
  }
  std::vector<Scalar> arguments(static_cast<size_t>(2 * n));
  const auto less = [&](int64_t a, int64_t b, bool* result) {
    for (int i = 0; i < n; ++i) {
      const size_t s = static_cast<size_t>(2 * i);
      arguments[s] =
          RoundedTo(comparator.parameter_type(2 * i), e.operand(i).At(a));
      arguments[s + 1] =
          RoundedTo(comparator.parameter_type(2 * i + 1), e.operand(i).At(b));
    }
    Scalar answer;
    if (!comparator.Call(arguments, &answer)) return false;
    *result = answer.bits != 0;
    return true;
  };
  const bool ok = ForEachRow(sizes, static_cast<size_t>(along),
                             [&](const std::vector<int64_t>& row) {
                               std::vector<int64_t> sorted = row;
                               if (!MergeSort(&sorted, less)) return false;
                               for (size_t k = 0; k < row.size(); ++k) {
                                 for (int i = 0; i < n; ++i) {
                                   results[static_cast<size_t>(i)].Copy(
                                       row[k], e.operand(i), sorted[k]);
                                 }
                               }
                               return true;
                             });
  if (!ok) return std::nullopt;
  return FinishAll(std::move(results), n > 1);
}

// The first k elements of each row of the last dim in the total order of their
// type, and their positions; of equal elements the earlier first.
std::optional<Value> EvalTopK(Evaluation& e) {
  const auto& a = e.attributes_as<TopKAttributes>();
  if (!e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  Sizes sizes = operand.sizes();
  if (sizes.empty() || a.k < 0 || a.k > sizes.back()) {
    return e.Fail("k must be at most the size of its operand's last dim");
  }
  if (!Accepts(TypeMask::kPredReal, operand.type())) {
    return e.FailType(0);
  }
  sizes.back() = a.k;
  std::vector<ArrayMaker> results(2);
  if (!e.NewArray(operand.type(), sizes, &results[0]) ||
      !e.NewArray(ElementType::kS32, sizes, &results[1])) {
    return std::nullopt;
  }
  CompareAttributes order;
  order.direction =
      a.largest ? ComparisonDirection::kGt : ComparisonDirection::kLt;
  order.type = IsFloat(operand.type()) ? ComparisonType::kFloatTotalOrder
                                       : ComparisonType::kDefault;
  const Attributes attributes = order;
  const ScalarFunction compare = GetEvaluation(Opcode::kCompare).scalar;
  const auto before = [&](int64_t x, int64_t y, bool* result) {
    const Scalar pair[] = {operand.At(x), operand.At(y)};
    *result = compare({operand.type(), ElementType::kPred, &attributes, pair,
                       operand.type()})
                  .bits != 0;
    return e.Charge(1);
  };
  int64_t to = 0;
  const bool ok = ForEachRow(
      operand.sizes(), sizes.size() - 1, [&](const std::vector<int64_t>& row) {
        std::vector<int64_t> sorted = row;
        if (!MergeSort(&sorted, before)) return false;
        for (size_t k = 0; k < static_cast<size_t>(a.k); ++k, ++to) {
          results[0].Copy(to, operand, sorted[k]);
          results[1].Set(
              to, Scalar::Bits(static_cast<uint64_t>(sorted[k] - row[0])));
        }
        return true;
      });
  if (!ok) return std::nullopt;
  return FinishAll(std::move(results), true);
}

}  // namespace indim
