// SPDX-License-Identifier: Apache-2.0
// Tangents of cholesky and triangular-solve, and of LAPACK's calls for these.
// Source: JAX (jax.lax.linalg).

#include "indim/grad/linear_algebra.h"

#include <cstddef>
#include <utility>

#include "absl/strings/string_view.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/shape/ops/lapack.h"

namespace indim::internal {
namespace {

// Swaps the last two dims.
DimIndices MatrixSwap(int rank) {
  DimIndices permutation = Range(0, rank);
  std::swap(permutation[static_cast<size_t>(rank - 1)],
            permutation[static_cast<size_t>(rank - 2)]);
  return permutation;
}

Op Swapped(Tape& tape, Op x) {
  return tape.Record(Opcode::kTranspose, {x},
                     DimensionsAttributes{MatrixSwap(tape.ShapeOf(x).rank())});
}

Op Conjugated(Tape& tape, Op x) {
  if (!IsComplex(tape.ShapeOf(x).element_type())) return x;
  return tape.Record(Opcode::kComplex,
                     {tape.Record(Opcode::kReal, {x}),
                      tape.Negative(tape.Record(Opcode::kImag, {x}))});
}

// a x = b: dx = a^-1 (db - da x), where only the triangle that is read counts.
void SetSolution(Primal& node, const TriangularSolveAttributes& solve) {
  Tape& tape = node.tape();
  Tangent right = node.t(1);
  if (node.t(0)) {
    const int64_t offset = solve.unit_diagonal ? (solve.lower ? -1 : 1) : 0;
    Op t = tape.Negative(
        tape.Where(TriangleMask(node.b(), node.shape(0), solve.lower, offset),
                   *node.t(0)));
    if (solve.transpose_a == TriangularSolveTranspose::kTranspose) {
      t = Swapped(tape, t);
    } else if (solve.transpose_a == TriangularSolveTranspose::kAdjoint) {
      t = Adjoint(tape, t);
    }
    const Op x = tape.In(node.r());
    right = tape.Sum(
        right, solve.left_side ? Product(tape, t, x) : Product(tape, x, t));
  }
  if (right) node.Set(Solve(tape, tape.In(node.x(0)), *right, solve));
}

// dL = L phi(L^-1 dA L^-H), of the factor `r`, where phi is LowerHalf.
Op FactorTangent(const Primal& node, Op r, bool lower) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const Shape shape = node.shape(0).WithoutLayout();
  Op l = b.Select(TriangleMask(b, shape, lower, 0), r, b.Splat(0, shape));
  if (!lower) {
    l = ConjugateOf(b, TransposeBy(b, l, MatrixSwap(shape.rank())));
  }
  const Op l_in = tape.In(l);
  TriangularSolveAttributes by_l = SolveWith(true, true, false);
  TriangularSolveAttributes by_adjoint = SolveWith(false, true, false);
  by_adjoint.transpose_a = TriangularSolveTranspose::kAdjoint;
  const Op right =
      Solve(tape, l_in, HermitianOf(node, *node.t(0), lower), by_adjoint);
  const Op result =
      Product(tape, l_in, LowerHalf(tape, Solve(tape, l_in, right, by_l)));
  return lower ? result : Adjoint(tape, result);
}

}  // namespace

Op Adjoint(Tape& tape, Op x) { return Conjugated(tape, Swapped(tape, x)); }

Op Product(Tape& tape, Op a, Op b) {
  const int rank = tape.ShapeOf(a).rank();
  DotAttributes dot;
  dot.lhs_batch_dims = dot.rhs_batch_dims = Range(0, rank - 2);
  dot.lhs_contracting_dims = {rank - 1};
  dot.rhs_contracting_dims = {rank - 2};
  dot.precision.operand_precision = {Precision::kHighest, Precision::kHighest};
  return tape.Record(Opcode::kDot, {a, b}, dot);
}

Op Solve(Tape& tape, Op a, Op t, const TriangularSolveAttributes& solve) {
  return tape.Record(Opcode::kTriangularSolve, {a, t}, solve);
}

TriangularSolveAttributes SolveWith(bool left, bool lower, bool unit_diagonal) {
  TriangularSolveAttributes solve;
  solve.left_side = left;
  solve.lower = lower;
  solve.unit_diagonal = unit_diagonal;
  solve.transpose_a = TriangularSolveTranspose::kNoTranspose;
  return solve;
}

Op LowerHalf(Tape& tape, Op x) {
  ComputationBuilder& b = tape.primal();
  const Shape shape = tape.ShapeOf(x).WithoutLayout();
  const Op half =
      b.Select(DiagonalMask(b, shape), b.Splat(0.5, shape), b.Splat(1, shape));
  return tape.Times(tape.Where(TriangleMask(b, shape, true, 0), x), half);
}

Op HermitianOf(const Primal& node, Op t, bool lower) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const Shape shape = node.shape(0).WithoutLayout();
  const Op strict = TriangleMask(b, shape, lower, lower ? -1 : 1);
  const Op part =
      tape.Times(tape.Where(TriangleMask(b, shape, lower, 0), t),
                 b.Select(strict, b.Splat(1, shape), b.Splat(0.5, shape)));
  return tape.Record(Opcode::kAdd, {part, Adjoint(tape, part)});
}

char LetterOf(const Primal& node, absl::string_view name) {
  return LapackLetter(As<CustomCallAttributes>(node.node().attributes()), name);
}

// potrf gives the factor in the triangle that it reads, and leaves the other.
absl::Status TangentPotrf(Primal& node) {
  Tape& tape = node.tape();
  const bool lower = LetterOf(node, "uplo") == 'L';
  const Op other =
      TriangleMask(node.b(), node.shape(0), !lower, lower ? 1 : -1);
  node.tangents()[0] = tape.Sum(
      FactorTangent(node, node.b().GetTupleElement(node.r(), 0), lower),
      tape.Where(other, *node.t(0)));
  return absl::OkStatus();
}

absl::Status TangentTrsm(Primal& node) {
  SetSolution(node,
              LapackSolve(As<CustomCallAttributes>(node.node().attributes())));
  return absl::OkStatus();
}

absl::Status TangentTriangularSolve(Primal& node) {
  SetSolution(node, As<TriangularSolveAttributes>(node.node().attributes()));
  return absl::OkStatus();
}

absl::Status TangentCholesky(Primal& node) {
  if (!node.t(0)) return absl::OkStatus();
  node.Set(FactorTangent(
      node, node.r(), As<CholeskyAttributes>(node.node().attributes()).lower));
  return absl::OkStatus();
}

}  // namespace indim::internal
