// SPDX-License-Identifier: Apache-2.0
// Partial derivatives of elementwise operations. Where a formula can use the
// result r, it does: it is there already. Source: JAX (jax.lax), whose choices
// at ties and kinks these are.

#include <cmath>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"

namespace indim::internal {
namespace {

constexpr double kTwoOverSqrtPi = 1.1283791670955126;

// rsqrt(1 - x*x).
Op RsqrtOfOneMinusSquare(ComputationBuilder& b, Op x) {
  return b.Rsqrt(b.Sub(1, b.Mul(x, x)));
}

// XLA's CPU can't run cosh and sinh: (e^x + e^-x) / 2, (e^x - e^-x) / 2.
Op CoshByExp(ComputationBuilder& b, Op x) {
  return b.Mul(b.Add(b.Exp(x), b.Exp(b.Neg(x))), 0.5);
}
Op SinhByExp(ComputationBuilder& b, Op x) {
  return b.Mul(b.Sub(b.Exp(x), b.Exp(b.Neg(x))), 0.5);
}

// 1 where the operand is the result alone, 1/2 where both operands are.
PartialFactor ChosenFactor(const Primal& node, int i) {
  ComputationBuilder& b = node.b();
  const Shape shape = ShapeIn(b, node.r());
  const Op share = b.Select(b.Eq(node.x(1 - i), node.r()), b.Splat(0.5, shape),
                            b.Splat(1, shape));
  return TimesFactor(
      b.Select(b.Eq(node.x(i), node.r()), share, b.Splat(0, shape)));
}

}  // namespace

PartialFactor PartialAcos(const Primal& node, int) {
  ComputationBuilder& b = node.b();
  return TimesFactor(b.Neg(RsqrtOfOneMinusSquare(b, node.x(0))));
}
PartialFactor PartialAcosh(const Primal& node, int) {
  ComputationBuilder& b = node.b();
  const Op x = node.x(0);
  if (!IsComplex(ShapeIn(b, x).element_type())) {
    return TimesFactor(b.Rsqrt(b.Sub(b.Mul(x, x), 1)));
  }
  // Left of 0 rsqrt(x²-1) has the other sign.
  return TimesFactor(b.Mul(b.Rsqrt(b.Sub(x, 1)), b.Rsqrt(b.Add(x, 1))));
}
PartialFactor PartialAsin(const Primal& node, int) {
  return TimesFactor(RsqrtOfOneMinusSquare(node.b(), node.x(0)));
}
PartialFactor PartialAsinh(const Primal& node, int) {
  ComputationBuilder& b = node.b();
  const Op x = node.x(0);
  return TimesFactor(b.Rsqrt(b.Add(b.Mul(x, x), 1)));
}
PartialFactor PartialAtanh(const Primal& node, int) {
  ComputationBuilder& b = node.b();
  const Op x = node.x(0);
  return OverFactor(b.Mul(b.Add(x, 1), b.Sub(1, x)));
}
PartialFactor PartialCbrt(const Primal& node, int) {
  ComputationBuilder& b = node.b();
  return OverFactor(b.Mul(b.Mul(node.r(), node.r()), 3));
}
PartialFactor PartialCosh(const Primal& node, int) {
  return TimesFactor(SinhByExp(node.b(), node.x(0)));
}
PartialFactor PartialCos(const Primal& node, int) {
  return TimesFactor(node.b().Neg(node.b().Sin(node.x(0))));
}
PartialFactor PartialErf(const Primal& node, int) {
  ComputationBuilder& b = node.b();
  const Op x = node.x(0);
  return TimesFactor(b.Mul(b.Exp(b.Neg(b.Mul(x, x))), kTwoOverSqrtPi));
}
PartialFactor PartialExp(const Primal& node, int) {
  return TimesFactor(node.r());
}
PartialFactor PartialExp2(const Primal& node, int) {
  return TimesFactor(node.b().Mul(node.r(), std::log(2.0)));
}
PartialFactor PartialExpm1(const Primal& node, int) {
  return TimesFactor(node.b().Add(node.r(), 1));
}
PartialFactor PartialLog(const Primal& node, int) {
  return OverFactor(node.x(0));
}
PartialFactor PartialLog2(const Primal& node, int) {
  return OverFactor(node.b().Mul(node.x(0), std::log(2.0)));
}
PartialFactor PartialLog1p(const Primal& node, int) {
  return OverFactor(node.b().Add(node.x(0), 1));
}
PartialFactor PartialLogistic(const Primal& node, int) {
  ComputationBuilder& b = node.b();
  return TimesFactor(b.Mul(node.r(), b.Logistic(b.Neg(node.x(0)))));
}
PartialFactor PartialRsqrt(const Primal& node, int) {
  ComputationBuilder& b = node.b();
  return TimesFactor(b.Mul(b.Div(node.r(), node.x(0)), -0.5));
}
PartialFactor PartialSin(const Primal& node, int) {
  return TimesFactor(node.b().Cos(node.x(0)));
}
PartialFactor PartialSinh(const Primal& node, int) {
  return TimesFactor(CoshByExp(node.b(), node.x(0)));
}
PartialFactor PartialSqrt(const Primal& node, int) {
  return TimesFactor(node.b().Div(0.5, node.r()));
}
PartialFactor PartialTan(const Primal& node, int) {
  ComputationBuilder& b = node.b();
  return TimesFactor(b.Add(b.Mul(node.r(), node.r()), 1));
}
// (1 + r) (1 - r) is exact near saturation, where 1 - r*r isn't.
PartialFactor PartialTanh(const Primal& node, int) {
  ComputationBuilder& b = node.b();
  return TimesFactor(b.Mul(b.Add(node.r(), 1), b.Sub(1, node.r())));
}

PartialFactor PartialMultiply(const Primal& node, int i) {
  return TimesFactor(node.x(1 - i));
}
PartialFactor PartialDivide(const Primal& node, int i) {
  ComputationBuilder& b = node.b();
  if (i == 0) return OverFactor(node.x(1));
  return TimesFactor(b.Neg(b.Div(node.r(), node.x(1))));
}
PartialFactor PartialMaximum(const Primal& node, int i) {
  return ChosenFactor(node, i);
}
PartialFactor PartialMinimum(const Primal& node, int i) {
  return ChosenFactor(node, i);
}
PartialFactor PartialRemainder(const Primal& node, int i) {
  if (i == 0) return OneFactor();
  ComputationBuilder& b = node.b();
  const Op quotient = b.Div(node.x(0), node.x(1));
  return TimesFactor(b.Neg(b.Mul(b.Sign(quotient), b.Floor(b.Abs(quotient)))));
}
// By the base: y x^(y-1), 0 where y is 0. By the exponent: log(x) r, 0 where x
// is 0; NaN for x < 0, where no derivative exists.
PartialFactor PartialPower(const Primal& node, int i) {
  ComputationBuilder& b = node.b();
  const Op x = node.x(0), y = node.x(1);
  const Op zeros = b.Splat(0, ShapeIn(b, node.r()));
  if (i == 0) {
    const Op slope = b.Mul(y, b.Pow(x, b.Sub(y, 1)));
    return TimesFactor(b.Select(b.Eq(y, 0), zeros, slope));
  }
  const Op ones = b.Splat(1, ShapeIn(b, node.r()));
  const Op base = b.Select(b.Eq(x, 0), ones, x);
  return TimesFactor(b.Mul(b.Log(base), node.r()));
}
PartialFactor PartialAtan2(const Primal& node, int i) {
  ComputationBuilder& b = node.b();
  const Op y = node.x(0), x = node.x(1);
  const Op square = b.Add(b.Mul(x, x), b.Mul(y, y));
  return TimesFactor(b.Div(i == 0 ? x : b.Neg(y), square));
}
// Strict comparisons: at a bound the derivative is 0 by all three.
PartialFactor PartialClamp(const Primal& node, int i) {
  ComputationBuilder& b = node.b();
  const Shape shape = ShapeIn(b, node.r());
  const auto full = [&](int k) {
    const Op op = node.x(k);
    return ShapeIn(b, op).rank() == shape.rank() ? op
                                                 : SpreadTo(b, op, {}, shape);
  };
  const Op low = full(0), x = full(1), high = full(2);
  if (i == 1) return WhereFactor(b.And(b.Gt(x, low), b.Lt(x, high)));
  if (i == 0) return WhereFactor(b.And(b.Gt(low, x), b.Lt(low, high)));
  return WhereFactor(b.And(b.Gt(x, high), b.Lt(low, high)));
}

}  // namespace indim::internal
