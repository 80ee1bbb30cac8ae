// SPDX-License-Identifier: Apache-2.0
// Tangents of elementwise operations and tuples that have rules of their own.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/grad/bounded_sizes.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/passes/cost/trip_count.h"
#include "indim/proto/codec/literal.h"

namespace indim::internal {
namespace {

absl::Status RefuseSizesAtRunTime(const Primal& node) {
  return node.Refuse("sizes of its result are known at run time only",
                     "give its dims static sizes");
}

// a + sign * b of tangents whose types may differ.
void SetSum(Primal& node, bool negate) {
  Tape& tape = node.tape();
  const ElementType type = node.shape().element_type();
  Tangent terms[2];
  for (int i = 0; i < 2; ++i) {
    if (node.t(i)) terms[i] = tape.ConvertTo(type, *node.t(i));
  }
  if (!IsDifferentiable(node.shape())) return;
  if (negate && terms[1] && !terms[0]) {
    node.Set(tape.Negative(*terms[1]));
  } else if (negate && terms[1]) {
    node.Set(tape.Record(Opcode::kSubtract, {*terms[0], *terms[1]}));
  } else {
    node.Set(tape.Sum(terms[0], terms[1]));
  }
}

bool IsOne(Instruction node) {
  if (node.opcode() == Opcode::kBroadcast) node = node.operand(0);
  if (node.opcode() != Opcode::kConstant || !node.shape().is_scalar()) {
    return false;
  }
  const absl::StatusOr<Literal> literal = node.literal();
  return literal.ok() && literal->AsDouble(0) == 1;
}

// The x of 1 / (1 + exp(-x)), as which JAX lowers the logistic function.
std::optional<Instruction> LogisticArgument(const Primal& primal) {
  const Instruction& quotient = primal.node();
  const Instruction sum = quotient.operand(1);
  if (sum.opcode() != Opcode::kAdd || !IsOne(quotient.operand(0)) ||
      IsComplex(quotient.shape().element_type())) {
    return std::nullopt;
  }
  const bool is_first = IsOne(sum.operand(0));
  const Instruction power = sum.operand(is_first ? 1 : 0);
  if (power.opcode() != Opcode::kExp || !IsOne(sum.operand(is_first ? 0 : 1)) ||
      power.operand(0).opcode() != Opcode::kNegate) {
    return std::nullopt;
  }
  for (const Instruction& node : {sum, power, power.operand(0)}) {
    if (MarkOf(node) != GradientMark::kNone ||
        primal.linearizer().IsIndependent(node) ||
        node.shape().WithoutLayout() != quotient.shape().WithoutLayout()) {
      return std::nullopt;
    }
  }
  return power.operand(0).operand(0);
}

}  // namespace

// Of a logistic function r (1 - r): where exp(-x) is infinite, the product of
// its parts' derivatives is 0 times infinity. Source: jax.lax.logistic.
absl::Status TangentDivide(Primal& node) {
  if (!IsDifferentiable(node.shape())) return absl::OkStatus();
  const std::optional<Instruction> x = LogisticArgument(node);
  if (!x) {
    ApplyPartials(PartialDivide, &node);
    return absl::OkStatus();
  }
  if (const Tangent& t = node.TracedOf(*x).tangents[0]) {
    ComputationBuilder& b = node.b();
    node.Set(node.tape().Times(*t, b.Mul(node.r(), b.Sub(1, node.r()))));
  }
  return absl::OkStatus();
}

absl::Status TangentAdd(Primal& node) {
  SetSum(node, /*negate=*/false);
  return absl::OkStatus();
}

absl::Status TangentSubtract(Primal& node) {
  SetSum(node, /*negate=*/true);
  return absl::OkStatus();
}

// Real: 1 where x >= 0, else -1. Complex: real(t conj(x)) / |x|.
absl::Status TangentAbs(Primal& node) {
  if (!node.t(0)) return absl::OkStatus();
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const Op x = node.x(0);
  if (!IsComplex(node.shape(0).element_type())) {
    const Shape shape = ShapeIn(b, x);
    node.Set(tape.Times(*node.t(0), b.Select(b.Ge(x, 0), b.Splat(1, shape),
                                             b.Splat(-1, shape))));
    return absl::OkStatus();
  }
  const Op ones = b.Splat(1, ShapeIn(b, node.r()));
  const Op length = b.Select(b.Eq(node.r(), 0), ones, node.r());
  const Op zero = b.Splat(0, ShapeIn(b, node.r()));
  const Op unit = b.Div(ConjugateOf(b, x), b.Complex(length, zero));
  node.Set(tape.Record(Opcode::kReal, {tape.Times(*node.t(0), unit)}));
  return absl::OkStatus();
}

// Real: 0. Complex: (t - r real(conj(r) t)) / |x|.
absl::Status TangentSign(Primal& node) {
  if (!node.t(0) || !IsComplex(node.shape().element_type())) {
    return absl::OkStatus();
  }
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const Op length = b.Abs(node.x(0));
  const Op one = b.Splat(1, ShapeIn(b, length));
  const Op zero = b.Splat(0, ShapeIn(b, length));
  const Op safe = b.Select(b.Eq(length, 0), one, length);
  const Op along = tape.Record(
      Opcode::kReal, {tape.Times(*node.t(0), ConjugateOf(b, node.r()))});
  const Op radial = tape.Times(
      tape.Record(Opcode::kComplex, {along, tape.Zeros(tape.ShapeOf(along))}),
      node.r());
  node.Set(tape.Over(tape.Record(Opcode::kSubtract, {*node.t(0), radial}),
                     b.Complex(safe, zero)));
  return absl::OkStatus();
}

// Of a real number it is 0.
absl::Status TangentImag(Primal& node) {
  if (node.t(0) && IsComplex(node.shape(0).element_type())) {
    node.Set(node.tape().Record(Opcode::kImag, {*node.t(0)}));
  }
  return absl::OkStatus();
}

// By shifts whose negatives are numbers.
absl::Status TangentShuffle(Primal& node) {
  auto shuffle = As<ShuffleAttributes>(node.node().attributes());
  for (size_t i = 0; i < shuffle.shifts.size(); ++i) {
    const Dim size = node.shape(0).dim(static_cast<int>(shuffle.dimensions[i]));
    int64_t& shift = shuffle.shifts[i];
    if (size.is_static() && size.size() > 0) shift %= size.size();
    if (shift == std::numeric_limits<int64_t>::min()) {
      return node.Refuse("it shifts by -2^63 along a size that isn't known");
    }
  }
  if (node.t(0)) {
    node.Set(node.tape().Record(Opcode::kShuffle, {*node.t(0)}, shuffle,
                                node.shape().WithoutLayout()));
  }
  return absl::OkStatus();
}

absl::Status TangentStochasticConvert(Primal& node) {
  if (node.t(0) && IsDifferentiable(node.shape())) {
    node.Set(node.tape().ConvertTo(node.shape().element_type(), *node.t(0)));
  }
  return absl::OkStatus();
}

// Any shape: copy, domain.
absl::Status TangentCopy(Primal& node) {
  node.tangents() = node.tangents(0);
  return absl::OkStatus();
}

absl::Status TangentAddDependency(Primal& node) { return TangentCopy(node); }

absl::Status TangentOptimizationBarrier(Primal& node) {
  return TangentCopy(node);
}

absl::Status TangentBitcast(Primal& node) {
  const Shape &from = node.shape(0), &to = node.shape();
  if (!IsDifferentiable(from) || from.element_type() != to.element_type()) {
    return absl::OkStatus();
  }
  if (from.ElementCount() != to.ElementCount()) {
    return node.Refuse("it gives another number of elements",
                       "use a slice or a pad and reshape");
  }
  if (from.has_layout_anywhere() || to.has_layout_anywhere()) {
    const auto row_major = [](const Shape& s) {
      return s.layout() == nullptr ||
             s == s.WithoutLayout().WithDefaultLayout();
    };
    if (!row_major(from) || !row_major(to)) {
      return node.Refuse("its layouts move elements",
                         "use reshape and transpose");
    }
  }
  node.Set(node.tape().Record(Opcode::kReshape, {*node.t(0)},
                              DimensionsAttributes{}, to.WithoutLayout()));
  return absl::OkStatus();
}

absl::Status TangentBroadcast(Primal& node) {
  if (!node.t(0)) return absl::OkStatus();
  DimIndices dims =
      As<DimensionsAttributes>(node.node().attributes()).dimensions;
  const DimIndices permutation = SortingPermutation(dims);
  if (permutation.empty()) {
    node.Set(node.RecordLike({*node.t(0)}));
    return absl::OkStatus();
  }
  const Op t = node.tape().Record(Opcode::kTranspose, {*node.t(0)},
                                  DimensionsAttributes{permutation});
  absl::c_sort(dims);
  node.Set(node.tape().Record(Opcode::kBroadcast, {t},
                              DimensionsAttributes{dims},
                              node.shape().WithoutLayout()));
  return absl::OkStatus();
}

// Between static shapes it is a reshape.
absl::Status TangentDynamicReshape(Primal& node) {
  if (!node.t(0)) return absl::OkStatus();
  if (!node.shape(0).is_static() || !node.shape().is_static()) {
    return RefuseSizesAtRunTime(node);
  }
  node.Set(node.tape().Record(Opcode::kReshape, {*node.t(0)},
                              DimensionsAttributes{},
                              node.shape().WithoutLayout()));
  return absl::OkStatus();
}

// Between static shapes nothing happens: TensorFlow sets the size that is there
// already to say that it is static.
absl::Status TangentSetDimensionSize(Primal& node) {
  if (!node.t(0)) return absl::OkStatus();
  const Shape& shape = node.shape();
  if (!HasBounds(shape) || !HasBounds(node.shape(0))) return node.RefuseSizes();
  const auto dim = static_cast<int>(
      As<DimensionsAttributes>(node.node().attributes()).dimensions.front());
  if (node.shape(0).is_static() && shape.is_static() &&
      ConstantOf(node.node().operand(1), node.linearizer().site()) !=
          shape.dim(dim).size()) {
    return RefuseSizesAtRunTime(node);
  }
  node.Set(Resize(node.tape(), *node.t(0), SizesOf(node.b(), node.x(0)),
                  SizesOf(node.b(), node.r())));
  return absl::OkStatus();
}

absl::Status TangentTuple(Primal& node) {
  TangentLeaves leaves;
  for (int i = 0; i < node.node().operand_count(); ++i) {
    const TangentLeaves& part = node.tangents(i);
    leaves.insert(leaves.end(), part.begin(), part.end());
  }
  node.tangents() = std::move(leaves);
  return absl::OkStatus();
}

// By the parameters of the distribution, from the result.
absl::Status TangentRng(Primal& node) {
  if (!IsDifferentiable(node.shape())) return absl::OkStatus();
  ComputationBuilder& b = node.b();
  Tape& tape = node.tape();
  const bool normal =
      As<RngAttributes>(node.node().attributes()).distribution ==
      RandomDistribution::kNormal;
  const Shape shape = node.shape().WithoutLayout();
  const auto full = [&](Op scalar) { return SpreadTo(b, scalar, {}, shape); };
  const Op first = full(node.x(0)), second = full(node.x(1));
  const Op from_first = b.Sub(node.r(), first);
  const Op width = normal ? second : b.Sub(second, first);
  Tangent sum;
  for (int i = 0; i < 2; ++i) {
    if (!node.t(i)) continue;
    Op t = tape.Record(Opcode::kBroadcast, {*node.t(i)}, DimensionsAttributes{},
                       shape);
    if (!normal && i == 0)
      t = tape.Times(t, b.Div(b.Sub(second, node.r()), width));
    if (i == 1) t = tape.Times(t, b.Div(from_first, width));
    sum = tape.Sum(sum, t);
  }
  node.Set(sum);
  return absl::OkStatus();
}

absl::Status TangentCustomCall(Primal& node) {
  const auto& call = As<CustomCallAttributes>(node.node().attributes());
  if (const TangentRule rule = ManualBorderRule(call.target)) {
    return rule(node);
  }
  if (IsShardingNote(node.node()) && node.node().operand_count() == 1 &&
      SameStructure(node.shape(0), node.shape())) {
    return TangentCopy(node);
  }
  if (IsDerivative(MarkOf(node.node()))) return TangentCustomCallByRule(node);
  if (const TangentRule rule = FactorizationRule(node.node()))
    return rule(node);
  return node.Refuse(
      absl::StrCat("nobody knows what the target \"", call.target,
                   "\" computes"),
      "give it a computation as its derivative (indim.gradient=\"vjp\" or "
      "\"jvp\"), or mark it stop; or replace it by operations");
}

}  // namespace indim::internal
