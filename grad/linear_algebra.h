// SPDX-License-Identifier: Apache-2.0
// What rules for matrices write: products and solves of all matrices of the
// last two dims, on a tape; on a forward tape these are ops of its builder.

#ifndef INDIM_GRAD_LINEAR_ALGEBRA_H_
#define INDIM_GRAD_LINEAR_ALGEBRA_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/builder/op.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/tape.h"
#include "indim/shape/ops/attributes.h"

namespace indim::internal {

// The conjugate transpose of each matrix.
Op Adjoint(Tape& tape, Op x);
// The product of matrices with equal batch dims.
Op Product(Tape& tape, Op a, Op b);
// The solution x of a x = t (left) or x a = t, where `a` is the triangle of a
// matrix that the attributes name.
Op Solve(Tape& tape, Op a, Op t, const TriangularSolveAttributes& solve);
TriangularSolveAttributes SolveWith(bool left, bool lower, bool unit_diagonal);
// The part of each matrix below the diagonal, with half of the diagonal.
Op LowerHalf(Tape& tape, Op x);
// `t` of a matrix of which one triangle is read: what it says of the whole,
// which is Hermitian.
Op HermitianOf(const Primal& node, Op t, bool lower);

// A letter of a custom call's backend_config, such as "uplo = 76 : ui8"; 0: it
// has none.
char LetterOf(const Primal& node, absl::string_view name);

// Tangents of custom calls, by the names of LAPACK's routines; their shapes are
// those that factorization_rules.cc says.
absl::Status TangentPotrf(Primal& node);
absl::Status TangentTrsm(Primal& node);
absl::Status TangentGetrf(Primal& node);
absl::Status TangentGeqrf(Primal& node);
absl::Status TangentReflections(Primal& node);
absl::Status TangentSyevd(Primal& node);
absl::Status TangentEigh(Primal& node);
absl::Status TangentGesdd(Primal& node);

}  // namespace indim::internal

#endif  // INDIM_GRAD_LINEAR_ALGEBRA_H_
