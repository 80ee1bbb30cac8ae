// SPDX-License-Identifier: Apache-2.0
// LAPACK's routines that jaxlib's custom calls name.

#ifndef INDIM_EVAL_OPS_LAPACK_H_
#define INDIM_EVAL_OPS_LAPACK_H_

#include <optional>

#include "indim/eval/ops/evaluation.h"

namespace indim {

// Cholesky's factor in the triangle that is read, what was there in the other.
// Behind the results of this and the others is LAPACK's info for each matrix:
// not 0 where it has no factor, which is NaN then.
std::optional<Value> LapackPotrf(Evaluation& e, Interpreter& machine);
// The solution of a triangular system.
std::optional<Value> LapackTrsm(Evaluation& e, Interpreter& machine);
// LU with pivots: both factors in one matrix, the rows that are swapped.
std::optional<Value> LapackGetrf(Evaluation& e, Interpreter& machine);
// Eigenvectors and eigenvalues of a Hermitian matrix, as Eigenvectors().
std::optional<Value> LapackSyevd(Evaluation& e, Interpreter& machine);
// Singular values and vectors: (its operand, s, u, v^H). A pair of vectors may
// be another multiple of LAPACK's.
std::optional<Value> LapackGesdd(Evaluation& e, Interpreter& machine);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_LAPACK_H_
