// SPDX-License-Identifier: Apache-2.0
// Arrays of floats or complex numbers as numbers, for linear algebra: one kind
// of number serves all of their types.

#ifndef INDIM_EVAL_OPS_NUMBERS_H_
#define INDIM_EVAL_OPS_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "indim/eval/ops/evaluation.h"
#include "indim/eval/values/complex_functions.h"

namespace indim {

using Numbers = std::vector<Complex>;

Numbers ReadNumbers(const Value& array);
// Charges memory for several copies of the operands' elements as numbers.
// Returns false after an error.
bool ExpectNumbers(Evaluation& e);
// An array of them, rounded to `type`; nullopt after an error.
std::optional<Value> WriteNumbers(Evaluation& e, ElementType type,
                                  const Sizes& sizes, const Numbers& numbers);

// One matrix in the last two dims of an array.
class Matrix {
 public:
  Matrix(Numbers* numbers, int64_t first, int64_t columns)
      : numbers_(*numbers), first_(first), columns_(columns) {}
  Complex& At(int64_t row, int64_t column) const {
    return numbers_[static_cast<size_t>(first_ + row * columns_ + column)];
  }

 private:
  Numbers& numbers_;
  int64_t first_;
  int64_t columns_;
};

}  // namespace indim

#endif  // INDIM_EVAL_OPS_NUMBERS_H_
