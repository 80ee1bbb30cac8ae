// SPDX-License-Identifier: Apache-2.0
// Tangents of cholesky, triangular-solve, and LAPACK's custom calls, as jaxlib
// names them. Source: JAX (jax.lax.linalg).

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/scalar_fold.h"
#include "indim/shape/dims/free_dims.h"

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

// The product of matrices with equal batch dims.
Op Product(Tape& tape, Op a, Op b) {
  const Shape shape = tape.ShapeOf(a);
  DotAttributes dot;
  dot.lhs_batch_dims = dot.rhs_batch_dims = Range(0, shape.rank() - 2);
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

// `t` of a matrix of which one triangle is read: what it says of the whole,
// which is Hermitian.
Op HermitianOf(const Primal& node, Op t, bool lower) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const Shape shape = node.shape(0).WithoutLayout();
  const Op strict = TriangleMask(b, shape, lower, lower ? -1 : 1);
  const Op part =
      tape.Times(tape.Where(TriangleMask(b, shape, lower, 0), t),
                 b.Select(strict, b.Splat(1, shape), b.Splat(0.5, shape)));
  return tape.Record(Opcode::kAdd,
                     {part, Conjugated(tape, Swapped(tape, part))});
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
}

// dL = L phi(L^-1 dA L^-H), of the factor `r`: phi takes the lower triangle,
// half of the diagonal.
Op FactorTangent(const Primal& node, Op r, bool lower) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const Shape shape = node.shape(0).WithoutLayout();
  Op l = b.Select(TriangleMask(b, shape, lower, 0), r, b.Splat(0, shape));
  if (!lower) {
    l = ConjugateOf(b, TransposeBy(b, l, MatrixSwap(shape.rank())));
  }
  const Op l_in = tape.In(l);
  const Op right = Solve(tape, l_in, HermitianOf(node, *node.t(0), lower),
                         /*left=*/false, /*lower=*/true,
                         TriangularSolveTranspose::kAdjoint, false);
  const Op inner = Solve(tape, l_in, right, /*left=*/true, /*lower=*/true,
                         TriangularSolveTranspose::kNoTranspose, false);
  const Op half =
      b.Select(DiagonalMask(b, shape), b.Splat(0.5, shape), b.Splat(1, shape));
  const Op phi =
      tape.Times(tape.Where(TriangleMask(b, shape, true, 0), inner), half);
  const Op result = Product(tape, l_in, phi);
  return lower ? result : Conjugated(tape, Swapped(tape, result));
}

// --- LAPACK ------------------------------------------------------------------

// A letter of a call's backend_config, such as "uplo = 76 : ui8"; 0: it has
// none.
char LetterOf(const Primal& node, absl::string_view name) {
  absl::string_view config =
      As<CustomCallAttributes>(node.node().attributes()).opaque;
  const std::string key = absl::StrCat(name, " = ");
  const size_t at = config.find(key);
  if (at == absl::string_view::npos) return 0;
  config.remove_prefix(at + key.size());
  int64_t letter = 0;
  return absl::SimpleAtoi(
             config.substr(0, config.find_first_not_of("0123456789")), &letter)
             ? static_cast<char>(letter)
             : 0;
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
  TriangularSolveAttributes solve;
  solve.left_side = LetterOf(node, "side") == 'L';
  solve.lower = LetterOf(node, "uplo") == 'L';
  solve.unit_diagonal = LetterOf(node, "diag") == 'U';
  const char transpose = LetterOf(node, "trans_x");
  solve.transpose_a = transpose == 'T' ? TriangularSolveTranspose::kTranspose
                      : transpose == 'C'
                          ? TriangularSolveTranspose::kAdjoint
                          : TriangularSolveTranspose::kNoTranspose;
  SetSolution(node, solve);
  return absl::OkStatus();
}

// 1 where the place along the last dim is that of `places`, which lacks it.
Op OneHot(ComputationBuilder& b, Op places, const Shape& shape) {
  Shape index = shape;
  index.set_element_type(ShapeIn(b, places).element_type());
  const DimIndices dims = Range(0, ShapeIn(b, places).rank());
  return ConvertTo(
      b,
      b.Eq(b.Iota(index, index.rank() - 1), SpreadTo(b, places, dims, index)),
      shape.element_type());
}

// The matrix that swaps rows 0, 1 ... with the rows `pivots`, which count from
// 1, of a square matrix.
Op PermutationOf(ComputationBuilder& b, Op pivots, const Shape& matrix) {
  const ElementType type = ShapeIn(b, pivots).element_type();
  Shape row = ShapeIn(b, pivots);
  const int64_t last = row.rank() - 1;
  const int64_t count = row.dim(static_cast<int>(last)).size();
  row.set_element_type(matrix.element_type());
  Shape batch = Shape::Scalar(type);
  DotAttributes product, outer;
  for (int i = 0; i < last; ++i) batch.add_dim(row.dim(i));
  outer.lhs_batch_dims = outer.rhs_batch_dims = Range(0, last);
  product = outer;
  product.lhs_contracting_dims = product.rhs_contracting_dims = {last};
  const Op start = ConvertTo(b, DiagonalMask(b, matrix), matrix.element_type());
  return b.ForLoop(b.ConstantR0(type, count), start, [&](Op i, Op permutation) {
    std::vector<Op> starts(static_cast<size_t>(last) + 1,
                           b.ConstantR0(type, 0));
    starts.back() = i;
    Shape one = batch;
    one.add_dim(Dim::Static(1));
    const Op pivot = ReshapeTo(
        b, b.DynamicSlice(pivots, starts, SizesArg(one.dims())), batch);
    // 1 - d d^T swaps two rows, where d has 1 at one and -1 at the other.
    const Op d = b.Sub(OneHot(b, SpreadTo(b, i, {}, batch), row),
                       OneHot(b, b.Sub(pivot, b.Splat(1, batch)), row));
    return b.Sub(permutation,
                 b.DotGeneral(d, b.DotGeneral(d, permutation, product), outer));
  });
}

// P a = L U: with x = L^-1 P da U^-1, L' = L tril(x, -1) and U' = triu(x) U.
absl::Status TangentGetrf(Primal& node) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const Shape shape = node.shape(0).WithoutLayout();
  const int rank = shape.rank();
  if (shape.dim(rank - 1) != shape.dim(rank - 2)) {
    return node.Refuse("the matrix isn't square");
  }
  const Op lu = b.GetTupleElement(node.r(), 0), zeros = b.Splat(0, shape);
  const Op below = TriangleMask(b, shape, true, -1);
  const Op l = b.Select(
      below, lu, b.Select(DiagonalMask(b, shape), b.Splat(1, shape), zeros));
  const Op u = b.Select(below, zeros, lu);
  const Op permutation =
      PermutationOf(b, b.GetTupleElement(node.r(), 1), shape);
  const Op rows = Product(tape, tape.In(permutation), *node.t(0));
  const Op left = Solve(tape, tape.In(lu), rows, /*left=*/true, /*lower=*/true,
                        TriangularSolveTranspose::kNoTranspose, /*unit=*/true);
  const Op x = Solve(tape, tape.In(lu), left, /*left=*/false, /*lower=*/false,
                     TriangularSolveTranspose::kNoTranspose, /*unit=*/false);
  node.tangents()[0] =
      tape.Sum(Product(tape, tape.In(l), tape.Where(below, x)),
               Product(tape, tape.Where(b.Not(below), x), tape.In(u)));
  return absl::OkStatus();
}

// a v = v diag(w): with x = v^H da v, w' = diag(x) and v' = v (f x), where f is
// 1/(w_j - w_i) beside the diagonal.
absl::Status SetEigenvectors(Primal& node, bool lower) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const Shape shape = node.shape(0).WithoutLayout();
  const int rank = shape.rank();
  const Op v = b.GetTupleElement(node.r(), 0);
  const Op w = b.GetTupleElement(node.r(), 1);
  Shape real = shape;
  real.set_element_type(ShapeIn(b, w).element_type());
  const Op diagonal = DiagonalMask(b, real);
  const Op unit = ConvertTo(b, diagonal, real.element_type());
  const Op gaps = b.Sub(SpreadTo(b, w, FreeDims(rank, {rank - 2}), real),
                        SpreadTo(b, w, FreeDims(rank, {rank - 1}), real));
  const Op f = b.Sub(b.Div(b.Splat(1, real), b.Add(gaps, unit)), unit);
  const Op adjoint = ConjugateOf(b, TransposeBy(b, v, MatrixSwap(rank)));
  const Op t = HermitianOf(node, *node.t(0), lower);
  const Op x = Product(tape, Product(tape, tape.In(adjoint), t), tape.In(v));
  node.tangents()[0] = Product(
      tape, tape.In(v), tape.Times(x, ConvertTo(b, f, shape.element_type())));
  Op part = tape.Where(diagonal, x);
  if (IsComplex(shape.element_type())) {
    part = tape.Record(Opcode::kReal, {part});
  }
  node.tangents()[1] = tape.Record(
      Opcode::kReduce, {part, tape.Zeros(Shape::Scalar(real.element_type()))},
      DimensionsAttributes{{rank - 1}}, ShapeIn(b, w), AddersOf(tape, real));
  return absl::OkStatus();
}

absl::Status TangentSyevd(Primal& node) {
  if (LetterOf(node, "mode") != 'V') {
    return node.Refuse("it gives no eigenvectors", "ask for them");
  }
  return SetEigenvectors(node, LetterOf(node, "uplo") == 'L');
}

// XLA's own, whose configuration begins with 1 for the lower triangle.
absl::Status TangentEigh(Primal& node) {
  return SetEigenvectors(
      node,
      absl::StartsWith(
          As<CustomCallAttributes>(node.node().attributes()).opaque, "1"));
}

}  // namespace

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

TangentRule LapackRule(absl::string_view target) {
  struct Row {
    absl::string_view name;  // behind "lapack_" and the letter of the type
    TangentRule rule;
  };
  constexpr Row kRows[] = {{"potrf_ffi", TangentPotrf},
                           {"trsm_ffi", TangentTrsm},
                           {"getrf_ffi", TangentGetrf},
                           {"syevd_ffi", TangentSyevd},
                           {"heevd_ffi", TangentSyevd}};
  if (target == "Eigh") return TangentEigh;
  if (!absl::ConsumePrefix(&target, "lapack_") || target.empty())
    return nullptr;
  for (const Row& row : kRows) {
    if (target.substr(1) == row.name) return row.rule;
  }
  return nullptr;
}

}  // namespace indim::internal
