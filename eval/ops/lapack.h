// SPDX-License-Identifier: Apache-2.0
// Custom calls that factor matrices or solve with them.

#ifndef INDIM_EVAL_OPS_LAPACK_H_
#define INDIM_EVAL_OPS_LAPACK_H_

#include <optional>

#include "indim/eval/ops/evaluation.h"

namespace indim {

// Those of factorizations.def: LAPACK's routines that jaxlib's custom calls
// name, and what XLA computes for calls of its own.

// Cholesky's factor in the triangle that is read, what was there in the other.
// Behind the results of this and most others is LAPACK's info for each matrix:
// not 0 where it has no factor, which is NaN then.
std::optional<Value> LapackPotrf(Evaluation& e, Interpreter& machine);
// The solution of a triangular system, and of a tridiagonal one.
std::optional<Value> LapackTrsm(Evaluation& e, Interpreter& machine);
std::optional<Value> LapackGtsv(Evaluation& e, Interpreter& machine);
// LU with pivots: both factors in one matrix, the rows that are swapped.
std::optional<Value> LapackGetrf(Evaluation& e, Interpreter& machine);
// R, with the vectors of the reflections below its diagonal, and their factors;
// without info. Source: qr_expander.cc.
std::optional<Value> LapackGeqrf(Evaluation& e, Interpreter& machine);
// The product of such reflections, alone.
std::optional<Value> LapackOrgqr(Evaluation& e, Interpreter& machine);
// Eigenvectors and eigenvalues of a Hermitian matrix. An eigenvector may be
// another multiple. Source: eigh_expander.cc.
std::optional<Value> LapackSyevd(Evaluation& e, Interpreter& machine);
// Singular values and vectors: (its operand, s, u, v^H). A pair of vectors may
// be another multiple of LAPACK's.
std::optional<Value> LapackGesdd(Evaluation& e, Interpreter& machine);
// Eigenvalues of any square matrix, of a real one in two parts, and its left
// and right eigenvectors, of length 1, whose largest element is real. The order
// may be another one than LAPACK's, and the sign of a vector.
std::optional<Value> LapackGeev(Evaluation& e, Interpreter& machine);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_LAPACK_H_
