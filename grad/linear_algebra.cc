// SPDX-License-Identifier: Apache-2.0
// Tangents of cholesky and triangular-solve. Source: JAX (jax.lax.linalg).

#include <cstdint>
#include <utility>
#include <vector>

#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"

namespace indim::internal {
namespace {

// Swaps the last two dims.
DimIndices MatrixSwap(int rank) {
  DimIndices permutation;
  for (int64_t i = 0; i < rank; ++i) permutation.push_back(i);
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

// The product of matrices with equal batch dims.
Op Product(Tape& tape, Op a, Op b) {
  const Shape shape = tape.ShapeOf(a);
  DotAttributes dot;
  for (int64_t i = 0; i < shape.rank() - 2; ++i) {
    dot.lhs_batch_dims.push_back(i);
    dot.rhs_batch_dims.push_back(i);
  }
  dot.lhs_contracting_dims = {shape.rank() - 1};
  dot.rhs_contracting_dims = {shape.rank() - 2};
  dot.precision.operand_precision = {Precision::kHighest, Precision::kHighest};
  return tape.Record(Opcode::kDot, {a, b}, dot);
}

Op Solve(Tape& tape, Op a, Op t, bool left, bool lower,
         TriangularSolveTranspose transpose, bool unit) {
  TriangularSolveAttributes solve;
  solve.left_side = left;
  solve.lower = lower;
  solve.unit_diagonal = unit;
  solve.transpose_a = transpose;
  return tape.Record(Opcode::kTriangularSolve, {a, t}, solve);
}

}  // namespace

// a x = b: dx = a^-1 (db - da x), where only the triangle that is read counts.
absl::Status TangentTriangularSolve(Primal& node) {
  Tape& tape = node.tape();
  const auto& solve = As<TriangularSolveAttributes>(node.node().attributes());
  Tangent right = node.t(1);
  if (node.t(0)) {
    const int64_t offset = solve.unit_diagonal ? (solve.lower ? -1 : 1) : 0;
    Op t = tape.Negative(
        tape.Where(TriangleMask(node.b(), node.shape(0), solve.lower, offset),
                   *node.t(0)));
    if (solve.transpose_a == TriangularSolveTranspose::kTranspose ||
        solve.transpose_a == TriangularSolveTranspose::kAdjoint) {
      t = Swapped(tape, t);
    }
    if (solve.transpose_a == TriangularSolveTranspose::kAdjoint) {
      t = Conjugated(tape, t);
    }
    const Op x = tape.In(node.r());
    right = tape.Sum(
        right, solve.left_side ? Product(tape, t, x) : Product(tape, x, t));
  }
  if (right) {
    node.Set(Solve(tape, tape.In(node.x(0)), *right, solve.left_side,
                   solve.lower, solve.transpose_a, solve.unit_diagonal));
  }
  return absl::OkStatus();
}

// dL = L phi(L^-1 dA L^-H): phi takes the lower triangle, half of the diagonal.
absl::Status TangentCholesky(Primal& node) {
  if (!node.t(0)) return absl::OkStatus();
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const bool lower = As<CholeskyAttributes>(node.node().attributes()).lower;
  const Shape shape = node.shape().WithoutLayout();
  const Op zeros = b.Splat(0, shape);
  const Op triangle = TriangleMask(b, shape, lower, 0);
  Op l = b.Select(triangle, node.r(), zeros);
  // Only one triangle of A is read: it stands for a Hermitian matrix.
  Op t = tape.Where(triangle, *node.t(0));
  const Op strict =
      tape.Where(TriangleMask(b, shape, lower, lower ? -1 : 1), *node.t(0));
  if (!lower) {
    l = ConjugateOf(b, TransposeBy(b, l, MatrixSwap(shape.rank())));
  }
  t = tape.Record(Opcode::kAdd, {t, Conjugated(tape, Swapped(tape, strict))});
  const Op l_in = tape.In(l);
  const Op right = Solve(tape, l_in, t, /*left=*/false, /*lower=*/true,
                         TriangularSolveTranspose::kAdjoint, false);
  const Op inner = Solve(tape, l_in, right, /*left=*/true, /*lower=*/true,
                         TriangularSolveTranspose::kNoTranspose, false);
  const Op diagonal =
      b.And(TriangleMask(b, shape, true, 0), TriangleMask(b, shape, false, 0));
  const Op half = b.Select(diagonal, b.Splat(0.5, shape), b.Splat(1, shape));
  const Op phi =
      tape.Times(tape.Where(TriangleMask(b, shape, true, 0), inner), half);
  Op result = Product(tape, l_in, phi);
  if (!lower) result = Conjugated(tape, Swapped(tape, result));
  node.Set(result);
  return absl::OkStatus();
}

}  // namespace indim::internal
