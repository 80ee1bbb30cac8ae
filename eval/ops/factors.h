// SPDX-License-Identifier: Apache-2.0
// Factors of matrices that XLA computes for custom calls of its own, and what
// LAPACK's calls (lapack.h) share with them.

#ifndef INDIM_EVAL_OPS_FACTORS_H_
#define INDIM_EVAL_OPS_FACTORS_H_

#include <optional>

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

// Eigenvectors and eigenvalues of the Hermitian matrix that one triangle of
// operand 0 gives. Values ascend. nullopt after an error.
struct EigenSystem {
  Value vectors;
  Value values;
};
std::optional<EigenSystem> EigenSystemOf(Evaluation& e, bool lower);

// "Qr": R, with the vectors of the reflections below its diagonal, and their
// factors, as LAPACK's geqrf. Source: qr_expander.cc.
std::optional<Value> PackedQr(Evaluation& e, Interpreter& machine);
// "ProductOfElementaryHouseholderReflectors": the product of such reflections,
// as LAPACK's orgqr.
std::optional<Value> ProductOfReflections(Evaluation& e, Interpreter& machine);
// "Eigh": an EigenSystem. An eigenvector may be another multiple of XLA's.
// Source: eigh_expander.cc.
std::optional<Value> Eigenvectors(Evaluation& e, Interpreter& machine);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_FACTORS_H_
