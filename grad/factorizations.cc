// SPDX-License-Identifier: Apache-2.0
// Tangents of custom calls that factor matrices: LAPACK's, as jaxlib names
// them, and XLA's own. Source: JAX (jax.lax.linalg), but for the reflections of
// QR, which JAX differentiates before they are there.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/grad/emit.h"
#include "indim/grad/expand.h"
#include "indim/grad/linear_algebra.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/scalar_fold.h"
#include "indim/grad/tape.h"
#include "indim/shape/dims/free_dims.h"
#include "indim/shape/ops/lapack.h"

namespace indim::internal {
namespace {

int64_t Rows(const Shape& shape) { return shape.dim(shape.rank() - 2).size(); }
int64_t Columns(const Shape& shape) {
  return shape.dim(shape.rank() - 1).size();
}

// The same with matrices of other sizes.
Shape Sized(Shape shape, int64_t rows, int64_t columns) {
  shape = shape.WithoutLayout();
  shape.set_dim(shape.rank() - 2, Dim::Static(rows));
  shape.set_dim(shape.rank() - 1, Dim::Static(columns));
  return shape;
}

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

// An element for each row, or each column, of matrices of the sizes of `shape`.
Op Along(ComputationBuilder& b, Op x, Shape shape, int dim) {
  shape.set_element_type(ShapeIn(b, x).element_type());
  return SpreadTo(b, x, FreeDims(shape.rank(), {dim}), shape);
}
Op PerRow(ComputationBuilder& b, Op x, const Shape& shape) {
  return Along(b, x, shape, shape.rank() - 1);
}
Op PerColumn(ComputationBuilder& b, Op x, const Shape& shape) {
  return Along(b, x, shape, shape.rank() - 2);
}

Op Difference(Tape& tape, Op a, Op b) { return *tape.Sum(a, tape.Negative(b)); }

// The diagonal of each square matrix.
Op Diagonal(Tape& tape, Op x) {
  ComputationBuilder& b = tape.primal();
  const Shape shape = tape.ShapeOf(x).WithoutLayout();
  const int last = shape.rank() - 1;
  const Shape scalar = Shape::Scalar(shape.element_type());
  Shape result = scalar;
  for (int i = 0; i < last; ++i) result.add_dim(shape.dim(i));
  return tape.Record(
      Opcode::kReduce,
      {tape.Where(DiagonalMask(b, shape), x), tape.Zeros(scalar)},
      DimensionsAttributes{{last}}, result, AddersOf(tape, shape));
}

// Of real numbers w, one for each row and each column of `shape`: 1/(w_j - w_i)
// beside the diagonal, or 1/(w_j^2 - w_i^2), and 0 on it.
Op ReciprocalGaps(ComputationBuilder& b, Op w, const Shape& shape,
                  bool squares) {
  const Op row = PerRow(b, w, shape), column = PerColumn(b, w, shape);
  Op gaps = b.Sub(column, row);
  if (squares) gaps = b.Mul(gaps, b.Add(column, row));
  const Shape real = ShapeIn(b, gaps);
  const Op unit = ConvertTo(b, DiagonalMask(b, real), real.element_type());
  return ConvertTo(b, b.Sub(b.Div(b.Splat(1, real), b.Add(gaps, unit)), unit),
                   shape.element_type());
}

// --- LU ----------------------------------------------------------------------

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
// 1, of matrices with `rows` rows.
Op PermutationOf(ComputationBuilder& b, Op pivots, const Shape& matrix) {
  const ElementType type = ShapeIn(b, pivots).element_type();
  Shape row = ShapeIn(b, pivots);
  const int64_t last = row.rank() - 1;
  const int64_t count = row.dim(static_cast<int>(last)).size();
  row.set_element_type(matrix.element_type());
  row.set_dim(static_cast<int>(last), Dim::Static(Rows(matrix)));
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

// --- Eigenvectors, singular vectors ------------------------------------------

Op RealPartOf(Tape& tape, Op x) {
  return IsComplex(tape.ShapeOf(x).element_type())
             ? tape.Record(Opcode::kReal, {x})
             : x;
}

// a v = v diag(w): with x = v^H da v, w' = diag(x) and v' = v (f x), where f is
// 1/(w_j - w_i) beside the diagonal.
void SetEigenvectors(Primal& node, bool lower) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  Tape values(&b, Tape::Mode::kForward);
  const Op v = b.GetTupleElement(node.r(), 0);
  const Op w = b.GetTupleElement(node.r(), 1);
  const Op f =
      ReciprocalGaps(b, w, node.shape(0).WithoutLayout(), /*squares=*/false);
  const Op t = HermitianOf(node, *node.t(0), lower);
  const Op x =
      Product(tape, Product(tape, tape.In(Adjoint(values, v)), t), tape.In(v));
  node.tangents()[0] = Product(tape, tape.In(v), tape.Times(x, f));
  node.tangents()[1] = Diagonal(tape, RealPartOf(tape, x));
}

// A call of gesdd once more, with as many vectors as values.
Op WithVectors(const Primal& node) {
  auto call = As<CustomCallAttributes>(node.node().attributes());
  absl::StrReplaceAll({{"mode = 78", "mode = 83"}, {"mode = 65", "mode = 83"}},
                      &call.opaque);
  std::vector<Shape> results(node.shape().elements().begin(),
                             node.shape().elements().end());
  const Shape& operand = node.shape(0);
  const int64_t k = std::min(Rows(operand), Columns(operand));
  for (const int i : {2, 3}) {
    Shape& vectors = results[static_cast<size_t>(i)];
    vectors.set_dim(operand.rank() - (i == 2 ? 1 : 2), Dim::Static(k));
  }
  return node.b().CustomCall(call.target, {node.x(0)},
                             Shape::Tuple(std::move(results)), call);
}

}  // namespace

// --- Tangents ----------------------------------------------------------------

// P a = l u, where u may have more columns than rows; of those that are no part
// of a square, u' = l^-1 (P da) - (l^-1 l') u.
absl::Status TangentGetrf(Primal& node) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  Tape values(&b, Tape::Mode::kForward);
  const Shape& shape = node.shape(0);
  const int64_t m = Rows(shape), n = Columns(shape), k = std::min(m, n);
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

absl::Status TangentReflections(Primal& node) {
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
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  Tape values(&b, Tape::Mode::kForward);
  const Shape shape = node.shape(0).WithoutLayout();
  const int64_t m = Rows(shape), k = std::min(m, Columns(shape));
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

absl::Status TangentSyevd(Primal& node) {
  if (LetterOf(node, "mode") != 'V') {
    return node.Refuse("it gives no eigenvectors", "ask for them");
  }
  SetEigenvectors(node, LetterOf(node, "uplo") == 'L');
  return absl::OkStatus();
}

// XLA's own, whose configuration begins with 1 for the lower triangle.
absl::Status TangentEigh(Primal& node) {
  SetEigenvectors(
      node,
      absl::StartsWith(
          As<CustomCallAttributes>(node.node().attributes()).opaque, "1"));
  return absl::OkStatus();
}

// a = u diag(s) v^H: with p = u^H da v and f = 1/(s_j^2 - s_i^2) beside the
// diagonal, s' = diag(p), u' = u f(p s + (p s)^H) and v' = v f(s p + (s p)^H),
// and what is outside of the space of u, or of v.
absl::Status TangentGesdd(Primal& node) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  Tape values(&b, Tape::Mode::kForward);
  const Shape& shape = node.shape(0);
  const int64_t m = Rows(shape), n = Columns(shape), k = std::min(m, n);
  const bool values_alone = !node.wanted()[2] && !node.wanted()[3];
  if (node.wanted()[0]) {
    return node.Refuse("result 0 is what it leaves of its operand");
  }
  const char mode = LetterOf(node, "mode");
  const bool has_them = mode == 'S' || (mode == 'A' && m == n);
  if (!has_them && !values_alone) {
    return node.Refuse(
        "it gives no singular vectors, or more than singular values",
        "ask for as many (JAX: full_matrices=False)");
  }
  const Op call = has_them ? node.r() : WithVectors(node);
  const Op s = b.GetTupleElement(call, 1), u = b.GetTupleElement(call, 2);
  const Op vh = b.GetTupleElement(call, 3);
  const Op uh = tape.In(Adjoint(values, u)), v = tape.In(Adjoint(values, vh));
  const Op av = Product(tape, *node.t(0), v);
  const Op p = Product(tape, uh, av);
  node.tangents()[1] = Diagonal(tape, RealPartOf(tape, p));
  if (values_alone) return absl::OkStatus();
  const Shape square = Sized(shape, k, k);
  const Op f = ReciprocalGaps(b, s, square, /*squares=*/true);
  const Op numbers = ConvertTo(b, s, shape.element_type());
  const Op row = PerRow(b, numbers, square),
           column = PerColumn(b, numbers, square);
  // f (p scale + (p scale)^H).
  const auto turned = [&](Op scale) {
    const Op scaled = tape.Times(p, scale);
    return tape.Times(*tape.Sum(scaled, Adjoint(tape, scaled)), f);
  };
  Op left = turned(column);
  if (IsComplex(shape.element_type())) {
    // How much the phase of each u turns; v keeps its own.
    const Op zero = b.Eq(numbers, b.Splat(0, ShapeIn(b, numbers)));
    const Op twice = b.Add(row, row);
    left = *tape.Sum(
        left, tape.Over(tape.Where(b.And(DiagonalMask(b, square),
                                         b.Not(PerRow(b, zero, square))),
                                   Difference(tape, p, Adjoint(tape, p))),
                        b.Select(PerRow(b, zero, square), b.Splat(1, square),
                                 twice)));
  }
  Op du = Product(tape, tape.In(u), left);
  if (m > k) {
    const Op outside = Difference(tape, av, Product(tape, tape.In(u), p));
    du = *tape.Sum(
        du, tape.Over(outside, PerColumn(b, numbers, Sized(shape, m, k))));
  }
  // f is skew, so v'^H = -f(s p + (s p)^H) v^H.
  Op dvh = tape.Negative(Product(tape, turned(row), tape.In(vh)));
  if (n > k) {
    const Op outside = Difference(tape, Product(tape, uh, *node.t(0)),
                                  Product(tape, p, tape.In(vh)));
    dvh = *tape.Sum(dvh,
                    tape.Over(outside, PerRow(b, numbers, Sized(shape, k, n))));
  }
  node.tangents()[2] = du;
  node.tangents()[3] = dvh;
  return absl::OkStatus();
}

}  // namespace indim::internal
