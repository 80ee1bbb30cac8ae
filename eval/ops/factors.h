// SPDX-License-Identifier: Apache-2.0
// What the calls that factor matrices (lapack.h) share.

#ifndef INDIM_EVAL_OPS_FACTORS_H_
#define INDIM_EVAL_OPS_FACTORS_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/numbers.h"

namespace indim {

// The sizes of matrices of floats or complex numbers; rows is -1 after an
// error.
struct Matrices {
  Sizes sizes;
  int64_t rows = -1;
  int64_t columns = 0;
  int64_t count = 0;
};
// Those of operand 0; all of the `operands` have its element type.
Matrices MatricesOf(Evaluation& e, int operands);
// Sizes of what each matrix has `n` of.
Sizes Each(const Matrices& all, int64_t n);

// A matrix of its own numbers.
struct OwnMatrix {
  OwnMatrix(int64_t row_count, int64_t column_count)
      : numbers(static_cast<size_t>(row_count * column_count)),
        matrix(&numbers, 0, column_count),
        rows(row_count),
        columns(column_count) {}
  OwnMatrix(const OwnMatrix&) = delete;
  OwnMatrix& operator=(const OwnMatrix&) = delete;
  Complex& At(int64_t i, int64_t j) const { return matrix.At(i, j); }
  // The product of a column's conjugate and another column.
  Complex Product(int64_t p, int64_t q) const {
    Complex sum = 0;
    for (int64_t i = 0; i < rows; ++i) sum += std::conj(At(i, p)) * At(i, q);
    return sum;
  }

  Numbers numbers;
  const Matrix matrix;
  const int64_t rows;
  const int64_t columns;
};

// Integers, of dims as `sizes` has them without the last two, and then
// `behind`. Where there are none left, 0.
std::optional<Value> IntegersOf(Evaluation& e, Sizes sizes, const Sizes& behind,
                                const std::vector<int64_t>& numbers);
// nullopt: one of the parts is.
std::optional<Value> TupleOf(std::vector<std::optional<Value>> parts);

// Replaces columns x = a_p and y = a_q by rotated ones, such that the new ones
// (or rows and columns of a Hermitian matrix) have nothing in common, where
// `both` is x^H y (the element at p, q) and the others are x^H x and y^H y.
struct Rotation {
  double c = 1;
  Complex s = 0;
};
Rotation RotationOf(double first, Complex both, double second);
void RotateColumns(const Matrix& a, int64_t rows, int64_t p, int64_t q,
                   const Rotation& rotation);
// The same of rows, by the inverse.
void RotateRows(const Matrix& a, int64_t columns, int64_t p, int64_t q,
                const Rotation& rotation);

// Eigenvectors and eigenvalues of the Hermitian matrix that one triangle of
// operand 0 gives. Values ascend. nullopt after an error.
struct EigenSystem {
  Value vectors;
  Value values;
};
std::optional<EigenSystem> EigenSystemOf(Evaluation& e, bool lower);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_FACTORS_H_
