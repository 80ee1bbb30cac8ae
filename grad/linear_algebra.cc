// SPDX-License-Identifier: Apache-2.0
// Tangents of cholesky and of systems of equations, and of LAPACK's calls for
// these.
// Source: JAX (jax.lax.linalg).

#include "indim/grad/linear_algebra.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/scalar_fold.h"
#include "indim/grad/tape.h"
#include "indim/shape/dims/free_dims.h"
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

// An element for each row, or each column, of matrices of the sizes of `shape`.
Op Along(ComputationBuilder& b, Op x, Shape shape, int dim) {
  shape.set_element_type(ShapeIn(b, x).element_type());
  return SpreadTo(b, x, FreeDims(shape.rank(), {dim}), shape);
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

// With each element `count` places further along `dim`, and zeros before them.
Op Shifted(ComputationBuilder& b, Op x, int dim, int64_t count) {
  std::vector<PaddingDim> padding(static_cast<size_t>(ShapeIn(b, x).rank()));
  padding[static_cast<size_t>(dim)].low = count;
  padding[static_cast<size_t>(dim)].high = -count;
  return count == 0
             ? x
             : b.Pad(x, b.Splat(0, Shape::Scalar(ShapeIn(b, x).element_type())),
                     padding);
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

Shape Sized(Shape shape, int64_t rows, int64_t columns) {
  shape = shape.WithoutLayout();
  shape.set_dim(shape.rank() - 2, Dim::Static(rows));
  shape.set_dim(shape.rank() - 1, Dim::Static(columns));
  return shape;
}

Op PerRow(ComputationBuilder& b, Op x, const Shape& shape) {
  return Along(b, x, shape, shape.rank() - 1);
}
Op PerColumn(ComputationBuilder& b, Op x, const Shape& shape) {
  return Along(b, x, shape, shape.rank() - 2);
}

Op Difference(Tape& tape, Op a, Op b) { return *tape.Sum(a, tape.Negative(b)); }

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

Op OneHot(ComputationBuilder& b, Op places, const Shape& shape) {
  Shape index = shape;
  index.set_element_type(ShapeIn(b, places).element_type());
  const DimIndices dims = Range(0, ShapeIn(b, places).rank());
  return ConvertTo(
      b,
      b.Eq(b.Iota(index, index.rank() - 1), SpreadTo(b, places, dims, index)),
      shape.element_type());
}

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

// t x = b, where t has the three diagonals dl, d and du, as long as x has rows:
// x' = t^-1 (b' - t' x). The transpose of t has dl and du in each other's
// place, one row further up or down.
absl::Status TangentGtsv(Primal& node) {
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  for (size_t i = 0; i < 3; ++i) {
    if (node.wanted()[i]) {
      return node.Refuse(
          absl::StrCat("result ", i, " is what it leaves of its operand"));
    }
  }
  const Shape shape = node.shape(3).WithoutLayout();
  const int dim = shape.rank() - 2;
  const Op x = b.GetTupleElement(node.r(), 3);
  Tangent right = node.t(3);
  for (int i = 0; i < 3; ++i) {
    if (!node.t(i)) continue;
    const Op wide = tape.Record(Opcode::kBroadcast, {*node.t(i)},
                                DimensionsAttributes{Range(0, dim + 1)}, shape);
    right = tape.Sum(
        right, tape.Negative(tape.Times(wide, Shifted(b, x, dim, 1 - i))));
  }
  if (!right) return absl::OkStatus();
  const auto solve = [call = As<CustomCallAttributes>(node.node().attributes()),
                      result = node.shape()](ComputationBuilder& builder, Op dl,
                                             Op d, Op du, Op rows) {
    return builder.GetTupleElement(
        builder.CustomCall(call.target, {dl, d, du, rows}, result, call), 3);
  };
  const Op dl = node.x(0), d = node.x(1), du = node.x(2);
  LinearFunction function;
  function.apply = [&](absl::Span<const Tangent> t) {
    return std::vector<Tangent>{solve(b, dl, d, du, *t[0])};
  };
  function.transpose = [=](ComputationBuilder* builder,
                           const std::function<Op(Op)>& value_of,
                           absl::Span<const Tangent> t) {
    return std::vector<Tangent>{
        solve(*builder, Shifted(*builder, value_of(du), dim, 1), value_of(d),
              Shifted(*builder, value_of(dl), dim, -1), *t[0])};
  };
  node.tangents()[3] = tape.Apply(std::move(function), {right}, {shape})[0];
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

// --- The table ---------------------------------------------------------------

TangentRule FactorizationRule(const Instruction& call) {
  struct Row {
    bool is_lapack;
    absl::string_view name, signature;
    TangentRule rule;
  };
  static constexpr Row kRows[] = {
#define INDIM_XLA_FACTORIZATION(target, function, signature) \
  {false, target, signature, Tangent##function},
#define INDIM_LAPACK_FACTORIZATION(routine, function, signature) \
  {true, routine, signature, Tangent##function},
#include "indim/shape/ops/factorizations.def"
  };
  const absl::string_view target =
      As<CustomCallAttributes>(call.attributes()).target;
  const absl::string_view routine = LapackRoutine(target);
  std::vector<const Shape*> operands;
  for (const Instruction operand : call.operands()) {
    operands.push_back(&operand.shape());
  }
  TangentRule found = nullptr;
  for (const Row& row : kRows) {
    if (row.is_lapack == routine.empty() ||
        row.name != (routine.empty() ? target : routine)) {
      continue;
    }
    if (FitsSignature(operands, call.shape(), row.signature)) return row.rule;
    found = [](Primal& node) {
      return node.Refuse("its operands and results aren't those of its target");
    };
  }
  return found;
}

}  // namespace indim::internal
