// What many evaluation functions need: elements moved from place to place,
// lists of dims, tuples.

#ifndef INDIM_EVAL_OPS_EVAL_UTIL_H_
#define INDIM_EVAL_OPS_EVAL_UTIL_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "indim/eval/ops/evaluation.h"

namespace indim {

// An array of `sizes` whose element at each position is that of `from` with the
// number source(position), or where that is negative the one of `fill` (null:
// 0). nullopt with an error.
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

// The product of sizes, 0 with a 0 among them; nullopt: it doesn't fit.
std::optional<int64_t> CountOf(const Sizes& sizes);
// values[dims[0]], values[dims[1]], ...
Sizes Selected(const Sizes& values, const DimIndices& dims);

bool ListContains(const DimIndices& list, int64_t value);
// Whether every number of `list` is a dim of an array of this rank, and none is
// there twice.
bool AreDims(const DimIndices& list, int rank);

std::vector<Value> AllOperands(const Evaluation& e);
// nullopt with an error: it nests too deep.
std::optional<Value> TupleOf(Evaluation& e, std::vector<Value> elements);
// One array bare unless `tuple`, several as a tuple.
Value FinishAll(std::vector<ArrayMaker> arrays, bool tuple);
// Zeros of a shape whose sizes are known; nullopt with an error.
std::optional<Value> Zeros(Evaluation& e, const Shape& shape);
// What an op in two halves starts with: (read, written, contexts...), zeros for
// the contexts that are recorded.
std::optional<Value> Started(Evaluation& e, Value read, Value written);

// An integer of any type as a position: what doesn't fit is the largest.
int64_t Position(ElementType type, const Scalar& value);
// The start indices that operands `first` and after hold: a scalar each, or one
// vector; each moved so that a slice of `slice` elements lies inside `whole`.
// nullopt with an error.
std::optional<Sizes> ClampedStarts(Evaluation& e, int first, const Sizes& whole,
                                   const Sizes& slice);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_EVAL_UTIL_H_
