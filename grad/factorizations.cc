// SPDX-License-Identifier: Apache-2.0
// Tangents of custom calls for LU and QR. Source: JAX (jax.lax.linalg), but for
// the reflections of QR, which JAX differentiates before they are there.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/builder/computation_builder.h"
#include "indim/grad/emit.h"
#include "indim/grad/expand.h"
#include "indim/grad/linear_algebra.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/tape.h"

namespace indim::internal {
namespace {

// The first rows and columns of each matrix.
Op First(Tape& tape, Op x, int64_t rows, int64_t columns) {
  const Shape& shape = tape.ShapeOf(x);
  if (Rows(shape) == rows && Columns(shape) == columns) return x;
  SliceAttributes slice;
  slice.starts.resize(static_cast<size_t>(shape.rank()));
  slice.strides.resize(static_cast<size_t>(shape.rank()), 1);
  const Shape part = Sized(shape, rows, columns);
  for (const Dim dim : part.dims()) slice.limits.push_back(dim.size());
  return tape.Record(Opcode::kSlice, {x}, slice);
}

// With zeros behind the rows and columns that are there.
Op Extended(Tape& tape, Op x, int64_t rows, int64_t columns) {
  const Shape& shape = tape.ShapeOf(x);
  if (Rows(shape) == rows && Columns(shape) == columns) return x;
  PadAttributes pad;
  pad.padding.resize(static_cast<size_t>(shape.rank()));
  pad.padding[pad.padding.size() - 2].high = rows - Rows(shape);
  pad.padding[pad.padding.size() - 1].high = columns - Columns(shape);
  return tape.Record(Opcode::kPad,
                     {x, tape.Zeros(Shape::Scalar(shape.element_type()))}, pad);
}

// --- LU ----------------------------------------------------------------------

// What a tangent says of the factors of x = l u, where l has 1s on its diagonal
// and may have more rows, and u is square: with w = dx u^-1 and y = l^-1 w of
// the rows of u, l' = w - l triu(y) and u' = triu(y) u.
struct FactorTangents {
  Op below;  // y below the diagonal
  Op upper;  // triu(y)
  Op lower;  // l'
};
FactorTangents TangentsOfFactors(Tape& tape, Op l, Op u, Op dx) {
  ComputationBuilder& b = tape.primal();
  const int64_t k = Rows(ShapeIn(b, u));
  const Op w = Solve(tape, tape.In(u), dx, SolveWith(false, false, false));
  Tape values(&b, Tape::Mode::kForward);
  const Op y = Solve(tape, tape.In(First(values, l, k, k)),
                     First(tape, w, k, k), SolveWith(true, true, true));
  const Op mask = TriangleMask(b, ShapeIn(b, u), true, -1);
  FactorTangents tangents;
  tangents.below = tape.Where(mask, y);
  tangents.upper = tape.Where(b.Not(mask), y);
  tangents.lower =
      Difference(tape, w, Product(tape, tape.In(l), tangents.upper));
  return tangents;
}

// Both factors in matrices of the operand's sizes: one below the diagonal.
Op PackedTangent(const Primal& node, Op lower, Op upper) {
  Tape& tape = node.tape();
  const Shape& shape = node.shape(0);
  const int64_t m = Rows(shape), n = Columns(shape);
  const Op below = TriangleMask(node.b(), shape, true, -1);
  return *tape.Sum(
      tape.Where(below, Extended(tape, lower, m, n)),
      tape.Where(node.b().Not(below), Extended(tape, upper, m, n)));
}

// The lower factor of a packed matrix: 1 on its diagonal, min(m, n) columns.
Op UnitLower(Tape& values, Op packed) {
  ComputationBuilder& b = values.primal();
  const Shape& whole = ShapeIn(b, packed);
  const int64_t m = Rows(whole), k = std::min(m, Columns(whole));
  const Shape shape = Sized(whole, m, k);
  return b.Select(TriangleMask(b, shape, true, -1), First(values, packed, m, k),
                  ConvertTo(b, DiagonalMask(b, shape), shape.element_type()));
}
// The upper one, of min(m, n) rows.
Op Upper(Tape& values, Op packed) {
  ComputationBuilder& b = values.primal();
  const Shape& whole = ShapeIn(b, packed);
  const int64_t n = Columns(whole), k = std::min(Rows(whole), n);
  const Shape shape = Sized(whole, k, n);
  return b.Select(TriangleMask(b, shape, false, 0), First(values, packed, k, n),
                  b.Splat(0, shape));
}

// --- QR ----------------------------------------------------------------------

// The reflections I - f v v^H, of the columns v of `vectors` and factors f,
// have the product I - v t v^H, where t is upper triangular: t `right`, that is
// (I + diag(f) triu(v^H v, 1))^-1 diag(f) right. Source: LAPACK (larft).
Op TimesReflections(Tape& values, Op vectors, Op factors, Op right) {
  ComputationBuilder& b = values.primal();
  const Op products = Product(values, Adjoint(values, vectors), vectors);
  const Shape square = ShapeIn(b, products), shape = ShapeIn(b, right);
  const Op matrix = b.Mul(PerRow(b, factors, square), products);
  TriangularSolveAttributes solve = SolveWith(true, false, true);
  return Solve(values, matrix, b.Mul(PerRow(b, factors, shape), right), solve);
}

// The first columns of the product of reflections: I - v t v^H.
absl::StatusOr<Module> ExpandReflections(const Instruction& node) {
  ComputationBuilder b(node.opcode_name());
  Tape values(&b, Tape::Mode::kForward);
  const std::vector<Op> x = Parameters(b, node);
  const Shape shape = node.shape().WithoutLayout();
  const Shape& factors = node.operand(1).shape();
  const int64_t m = Rows(shape), n = Columns(shape);
  const int64_t k = factors.dim(factors.rank() - 1).size();
  const Op v = UnitLower(values, First(values, x[0], m, k));
  const Op right = Adjoint(values, First(values, v, n, k));
  return Finished(
      b, b.Sub(ConvertTo(b, DiagonalMask(b, shape), shape.element_type()),
               Product(values, v, TimesReflections(values, v, x[1], right))));
}

}  // namespace

// --- Tangents ----------------------------------------------------------------

// P a = l u, where u may have more columns than rows; of those that are no part
// of a square, u' = l^-1 (P da) - (l^-1 l') u.
absl::Status TangentGetrf(Primal& node) {
  Factoring of(node);
  auto& [b, tape, values, shape, m, n, k] = of;
  const Op packed = b.GetTupleElement(node.r(), 0);
  const Op l = UnitLower(values, packed), u = Upper(values, packed);
  const Op permutation =
      PermutationOf(b, b.GetTupleElement(node.r(), 1), Sized(shape, m, m));
  const Op rows = Product(tape, tape.In(permutation), *node.t(0));
  const FactorTangents t = TangentsOfFactors(tape, l, First(values, u, k, k),
                                             First(tape, rows, m, k));
  Op upper =
      Product(tape, n == k ? t.upper : tape.Negative(t.below), tape.In(u));
  if (n != k) {
    upper = *tape.Sum(
        upper, Solve(tape, tape.In(l), rows, SolveWith(true, true, true)));
  }
  node.tangents()[0] = PackedTangent(node, t.lower, upper);
  return absl::OkStatus();
}

absl::Status TangentOrgqr(Primal& node) {
  const Shape& shape = node.shape();
  if (Rows(shape) < Columns(shape) ||
      Columns(shape) < node.shape(1).dim(shape.rank() - 2).size()) {
    return node.Refuse(
        "it has more reflections than columns, or more columns than rows");
  }
  return node.SetByExpansion(ExpandReflections(node.node()));
}

// a = q r, where q are the first columns of a product of reflections. Of square
// a, with c = q^H da r^-1 and the skew s = phi(c) - phi(c)^H, phi LowerHalf:
// q' = q (s - c) + da r^-1 and r' = q^H da - s r. I - q = v (t v^H) are factors
// as LU has them, which gives v', and f' = f y of the diagonal.
absl::Status TangentGeqrf(Primal& node) {
  Factoring of(node);
  auto& [b, tape, values, shape, m, n, k] = of;
  const Op packed = b.GetTupleElement(node.r(), 0);
  const Op factors = b.GetTupleElement(node.r(), 1);
  const Op v = UnitLower(values, packed), r = Upper(values, packed);
  const Op product = TimesReflections(values, v, factors,
                                      Adjoint(values, First(values, v, k, k)));
  const Shape thin = Sized(shape, m, k);
  const Op q = b.Sub(ConvertTo(b, DiagonalMask(b, thin), shape.element_type()),
                     Product(values, v, product));
  const Op adjoint = tape.In(Adjoint(values, q));
  const Op w =
      Solve(tape, tape.In(First(values, r, k, k)),
            First(tape, *node.t(0), m, k), SolveWith(false, false, false));
  const Op c = Product(tape, adjoint, w);
  const Op half = LowerHalf(tape, c);
  const Op skew = Difference(tape, half, Adjoint(tape, half));
  const Op upper = Difference(tape, Product(tape, adjoint, *node.t(0)),
                              Product(tape, skew, tape.In(r)));
  const Op less =
      Difference(tape, Product(tape, tape.In(q), Difference(tape, c, skew)), w);
  // A factor of 0 is a reflection of nothing: it stays so.
  const Op none = b.Eq(factors, b.Splat(0, ShapeIn(b, factors)));
  const Shape square = Sized(shape, k, k);
  const Op u = b.Select(b.And(DiagonalMask(b, square), PerRow(b, none, square)),
                        b.Splat(1, square), product);
  const FactorTangents t = TangentsOfFactors(tape, v, u, less);
  node.tangents()[0] = PackedTangent(node, t.lower, upper);
  node.tangents()[1] = tape.Times(Diagonal(tape, t.upper), factors);
  return absl::OkStatus();
}

}  // namespace indim::internal
