// SPDX-License-Identifier: Apache-2.0
// Helpers of many evaluation functions: moving elements, lists of dims, tuples.

#ifndef INDIM_EVAL_OPS_EVAL_UTIL_H_
#define INDIM_EVAL_OPS_EVAL_UTIL_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "indim/eval/ops/evaluation.h"

namespace indim {

// An array of `sizes`. The element at each position is element source(position)
// of `from`; where that is negative, it is `fill` (null: 0). nullopt after an
// error.
template <typename Source>
std::optional<Value> MoveElements(Evaluation& e, const Value& from,
                                  const Sizes& sizes, const Value* fill,
                                  const Source& source) {
  ArrayMaker result;
  if (!e.NewArray(from.type(), sizes, &result)) return std::nullopt;
  int64_t at = 0;
  for (Counter i(sizes); !i.done(); i.Next(), ++at) {
    const int64_t number = source(i.index());
    if (number >= 0) {
      result.Copy(at, from, number);
    } else if (fill != nullptr) {
      result.Copy(at, *fill, 0);
    }
  }
  return std::move(result).Finish();
}

// The product of `sizes`, 0 if one is 0; nullopt: it doesn't fit.
std::optional<int64_t> CountOf(const Sizes& sizes);
// values[dims[0]], values[dims[1]], ...
Sizes Selected(const Sizes& values, const DimIndices& dims);

// Whether the numbers of `list` are distinct dims of an array of this rank.
bool AreDims(const DimIndices& list, int rank);

std::vector<Value> AllOperands(const Evaluation& e);
// A tuple; nullopt after an error: it nests too deep.
std::optional<Value> TupleOf(Evaluation& e, std::vector<Value> elements);
// A single array bare, unless `tuple`; several in a tuple.
Value FinishAll(std::vector<ArrayMaker> arrays, bool tuple);
// Zeros of a shape of known sizes; nullopt after an error.
std::optional<Value> Zeros(Evaluation& e, const Shape& shape);
// The result of a -start: (read, written, contexts...), with zeros for the
// recorded contexts.
std::optional<Value> Started(Evaluation& e, Value read, Value written);

// An integer of any type as a position; one that doesn't fit becomes the
// largest.
int64_t Position(ElementType type, const Scalar& value);
// The start indices in operand `first` and the following ones, a scalar each,
// or in one vector. Each is clamped so that a slice of `slice` elements lies
// inside `whole`. nullopt after an error.
std::optional<Sizes> ClampedStarts(Evaluation& e, int first, const Sizes& whole,
                                   const Sizes& slice);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_EVAL_UTIL_H_
