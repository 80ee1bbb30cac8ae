// SPDX-License-Identifier: Apache-2.0
// Tangents of custom calls that give eigenvectors or singular vectors. Source:
// JAX (jax.lax.linalg).

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/computation_builder.h"
#include "indim/grad/emit.h"
#include "indim/grad/linear_algebra.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/tape.h"
#include "indim/shape/ops/lapack.h"

namespace indim::internal {
namespace {

// Of numbers w, one for each row and each column of `shape`: 1/(w_j - w_i)
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

Op RealPartOf(Tape& tape, Op x) {
  return IsComplex(tape.ShapeOf(x).element_type())
             ? tape.Record(Opcode::kReal, {x})
             : x;
}

// The call once more, with other letters in its configuration.
Op Again(const Primal& node, Shape result,
         std::initializer_list<std::pair<const char*, const char*>> letters) {
  auto call = As<CustomCallAttributes>(node.node().attributes());
  for (const auto& [from, to] : letters) {
    absl::StrReplaceAll({{from, to}}, &call.opaque);
  }
  return node.b().CustomCall(call.target, {node.x(0)}, result, call);
}

// A call of gesdd with as many vectors as values.
Op WithVectors(const Primal& node, int64_t k) {
  std::vector<Shape> results(node.shape().elements().begin(),
                             node.shape().elements().end());
  results[2].set_dim(results[2].rank() - 1, Dim::Static(k));
  results[3].set_dim(results[3].rank() - 2, Dim::Static(k));
  return Again(node, Shape::Tuple(std::move(results)),
               {{"mode = 78", "mode = 83"}, {"mode = 65", "mode = 83"}});
}

// v^-1 t, by LU of v, of `shape` with the layout that LAPACK's calls demand.
Op SolveByLu(const Primal& node, Op v, const Shape& shape, Op t) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  auto call = As<CustomCallAttributes>(node.node().attributes());
  call.target = absl::StrCat(
      "lapack_", shape.element_type() == ElementType::kC64 ? "c" : "z",
      "getrf_ffi");
  call.opaque = "{}";
  if (!call.operand_shapes_with_layout.empty()) {
    call.operand_shapes_with_layout = {shape};
  }
  const Shape& info = node.shape().elements().back();
  Shape pivots = info.WithoutLayout();
  pivots.add_dim(Dim::Static(Rows(shape)));
  if (call.constrain_layout) pivots = pivots.WithDefaultLayout();
  const Op lu =
      b.CustomCall(call.target, {v}, Shape::Tuple({shape, pivots, info}), call);
  const Op packed = tape.In(b.GetTupleElement(lu, 0));
  const Op permutation =
      PermutationOf(b, b.GetTupleElement(lu, 1), shape.WithoutLayout());
  const Op rows = Product(tape, tape.In(permutation), t);
  return Solve(tape, packed,
               Solve(tape, packed, rows, SolveWith(true, true, true)),
               SolveWith(true, false, false));
}

// a v = v diag(w): with x = v^-1 da v and e = x / (w_j - w_i) beside the
// diagonal, v' = v e + v diag(c). c is what LAPACK's choice leaves: vectors
// have the length 1, and their largest element, of which h has the row, is
// real.
Op VectorsTangent(Factoring& of, Op v, Op w, Op x) {
  auto& [b, tape, values, real_shape, m, n, k] = of;
  const Shape shape = ShapeIn(b, v).WithoutLayout();
  const Op e = tape.Times(x, ReciprocalGaps(b, w, shape, /*squares=*/false));
  const Op largest = ArgMax(b.Abs(v), shape.rank() - 2);
  const Op h = Product(values, OneHot(b, largest, shape), v);
  const Op element =
      ConvertTo(b, b.Real(Diagonal(values, h)), shape.element_type());
  const Op length =
      Product(tape, tape.In(Product(values, Adjoint(values, v), v)), e);
  const Op turn =
      Product(tape, tape.In(b.Div(h, PerRow(b, element, shape))), e);
  const Op c = tape.Where(
      DiagonalMask(b, shape),
      tape.Record(Opcode::kComplex, {tape.Record(Opcode::kReal, {length}),
                                     tape.Record(Opcode::kImag, {turn})}));
  return Product(tape, tape.In(v), Difference(tape, e, c));
}

}  // namespace

// a v = v diag(w): with x = v^H da v, w' = diag(x) and v' = v (f x), where f is
// 1/(w_j - w_i) beside the diagonal.
absl::Status TangentSyevd(Primal& node) {
  if (LetterOf(node, "mode") == 'N') {
    return node.Refuse("it gives no eigenvectors", "ask for them");
  }
  Factoring of(node);
  auto& [b, tape, values, shape, m, n, k] = of;
  const Op v = b.GetTupleElement(node.r(), 0);
  const Op w = b.GetTupleElement(node.r(), 1);
  const Op f = ReciprocalGaps(b, w, shape, /*squares=*/false);
  const Op t = HermitianOf(
      node, *node.t(0),
      ReadsLower(As<CustomCallAttributes>(node.node().attributes())));
  const Op x =
      Product(tape, Product(tape, tape.In(Adjoint(values, v)), t), tape.In(v));
  node.tangents()[0] = Product(tape, tape.In(v), tape.Times(x, f));
  node.tangents()[1] = Diagonal(tape, RealPartOf(tape, x));
  return absl::OkStatus();
}

// a = u diag(s) v^H: with p = u^H da v and f = 1/(s_j^2 - s_i^2) beside the
// diagonal, s' = diag(p), u' = u f(p s + (p s)^H) and v' = v f(s p + (s p)^H),
// and what is outside of the space of u, or of v.
absl::Status TangentGesdd(Primal& node) {
  Factoring of(node);
  auto& [b, tape, values, shape, m, n, k] = of;
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
  const Op call = has_them ? node.r() : WithVectors(node, k);
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
  const auto turned = [&, &tape = tape](Op scale) {
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

// (w, left vectors, right vectors, info), where w are two results if a is real.
// Left vectors are those of a^H, whose eigenvalues are conj(w).
absl::Status TangentGeev(Primal& node) {
  Factoring of(node);
  auto& [b, tape, values, shape, m, n, k] = of;
  const absl::Span<const Shape> results = node.shape().elements();
  const size_t left = results.size() - 3, right = results.size() - 2;
  const bool has_right = LetterOf(node, "compute_right") == 'V';
  if ((node.wanted()[left] && LetterOf(node, "compute_left") != 'V') ||
      (node.wanted()[right] && !has_right)) {
    return node.Refuse("it gives no eigenvectors", "ask for them");
  }
  const Op call = has_right
                      ? node.r()
                      : Again(node, node.shape(),
                              {{"compute_right = 78", "compute_right = 86"}});
  const auto result = [&, &b = b](size_t i) {
    return b.GetTupleElement(call, static_cast<int64_t>(i));
  };
  const Op w = left == 2 ? b.Complex(result(0), result(1)) : result(0);
  const Op t = tape.ConvertTo(results[left].element_type(), *node.t(0));
  for (const size_t side : {left, right}) {
    if (side == left && !node.wanted()[left]) continue;
    const bool is_left = side == left;
    const Op v = result(side);
    const Op x =
        SolveByLu(node, v, results[side],
                  Product(tape, is_left ? Adjoint(tape, t) : t, tape.In(v)));
    if (node.wanted()[side]) {
      node.tangents()[side] =
          VectorsTangent(of, v, is_left ? ConjugateOf(b, w) : w, x);
    }
    if (is_left) continue;
    const Op dw = Diagonal(tape, x);
    node.tangents()[0] = left == 2 ? tape.Record(Opcode::kReal, {dw}) : dw;
    if (left == 2) node.tangents()[1] = tape.Record(Opcode::kImag, {dw});
  }
  return absl::OkStatus();
}

}  // namespace indim::internal
