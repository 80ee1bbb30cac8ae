// SPDX-License-Identifier: Apache-2.0
// What rules for matrices write: products and solves of all matrices of the
// last two dims, on a tape; on a forward tape these are ops of its builder.

#ifndef INDIM_GRAD_LINEAR_ALGEBRA_H_
#define INDIM_GRAD_LINEAR_ALGEBRA_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/tape.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

inline int64_t Rows(const Shape& shape) {
  return shape.dim(shape.rank() - 2).size();
}
inline int64_t Columns(const Shape& shape) {
  return shape.dim(shape.rank() - 1).size();
}
// The same with matrices of other sizes.
Shape Sized(Shape shape, int64_t rows, int64_t columns);
// An element for each row, or each column, of matrices of the sizes of `shape`.
Op PerRow(ComputationBuilder& b, Op x, const Shape& shape);
Op PerColumn(ComputationBuilder& b, Op x, const Shape& shape);
// 1 where the place along the last dim is that of `places`, which lacks it.
Op OneHot(ComputationBuilder& b, Op places, const Shape& shape);
// The matrix that swaps rows 0, 1 ... with the rows `pivots`, which count from
// 1, of matrices with as many rows as `matrix`.
Op PermutationOf(ComputationBuilder& b, Op pivots, const Shape& matrix);

Op Difference(Tape& tape, Op a, Op b);
// The diagonal of each square matrix.
Op Diagonal(Tape& tape, Op x);
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

// What rules for calls that factor the matrices of operand 0 have in common.
struct Factoring {
  explicit Factoring(const Primal& node)
      : b(node.b()),
        tape(node.tape()),
        values(&b, Tape::Mode::kForward),
        shape(node.shape(0).WithoutLayout()),
        m(Rows(shape)),
        n(Columns(shape)),
        k(std::min(m, n)) {}

  ComputationBuilder& b;
  Tape& tape;
  Tape values;  // products and solves of values
  const Shape shape;
  const int64_t m, n, k;
};

// Tangents of custom calls, whose shapes are those of their rows of
// factorizations.def.
#define INDIM_XLA_FACTORIZATION(target, function, signature) \
  absl::Status Tangent##function(Primal& node);
#define INDIM_LAPACK_FACTORIZATION(routine, function, signature) \
  absl::Status Tangent##function(Primal& node);
#include "indim/shape/ops/factorizations.def"

}  // namespace indim::internal

#endif  // INDIM_GRAD_LINEAR_ALGEBRA_H_
