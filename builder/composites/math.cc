// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/math.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "indim/builder/composites/composite.h"

namespace indim {
namespace {

using internal::Composite;
using internal::kInfinity;

// A function of one array of `allowed` elements.
Op Unary(const char* name, Op x, TypeMask allowed, Caller caller,
         absl::FunctionRef<Op(Composite&)> body) {
  Composite c(name, {x}, caller);
  if (!c.Elements(0, allowed)) return c.failed();
  return c.Done(body(c));
}

// A function of floats; `body` gets them with at least 32 bits, and their type.
Op Wide(const char* name, Op x, Caller caller,
        absl::FunctionRef<Op(Composite&, Op, ElementType)> body) {
  return Unary(name, x, TypeMask::kFloat, caller, [&](Composite& c) {
    const Op wide = c.Widen(x);
    return c.Narrow(body(c, wide, c.ShapeOf(wide).element_type()), c.type(0));
  });
}

// 0 in x's sizes, which a broadcast would have to know; 1 where x is NaN.
Op ZerosBeside(ComputationBuilder& b, Op x, ElementType type) {
  return b.ConvertElementType(b.Ne(x, x), type);
}

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)). At 0 the maximum has the
// derivative that abs has, 1, so that those of the sum are right in all orders.
Op SoftplusOf(Composite& c, Op x, ElementType type) {
  ComputationBuilder& b = c.b();
  const Op larger =
      b.Select(b.Ge(x, c.Scalar(type, 0)), x, ZerosBeside(b, x, type));
  return larger + b.Log1p(b.Exp(-b.Abs(x)));
}

// Compares in a type that has infinities.
Op IsValue(const char* name, Op x, bool magnitude, double value,
           Caller caller) {
  return Unary(name, x, TypeMask::kFloat, caller, [&](Composite& c) {
    Op wide = c.Widen(x);
    if (magnitude) wide = c.b().Abs(wide);
    return c.b().Eq(wide, c.Scalar(c.ShapeOf(wide).element_type(), value));
  });
}

// The remainder of x / y with the sign of y, of operands that were checked.
Op ModOf(Composite& c, Op x, Op y) {
  ComputationBuilder& b = c.b();
  const ElementType type = c.ShapeOf(y).element_type();
  if (IsIntegral(type)) {  // 0, as the remainder by 1
    y = b.Select(b.Eq(y, c.Scalar(type, 0)), c.Scalar(type, 1), y);
  }
  const Op truncated = b.Rem(x, y);
  const Op zero = c.Scalar(c.ShapeOf(truncated).element_type(), 0);
  const Op others = b.Ne(b.Lt(truncated, zero), b.Lt(y, zero));
  return b.Select(others & b.Ne(truncated, zero), truncated + y, truncated);
}

// `op`, a scalar or an array of the rank of `shape`, stretched to its dims.
Op Grown(Composite& c, Op op, const Shape& shape) {
  const Shape own = c.ShapeOf(op);
  if (!own.has_rank() || !shape.has_rank() || own.dims() == shape.dims()) {
    return op;
  }
  DimIndices places;
  for (int d = 0; d < own.rank(); ++d) places.push_back(d);
  return c.b().BroadcastInDim(op, shape.dims(), places);
}

// floor(x / y).
Op FloorDivOf(Composite& c, Op x, Op y, ElementType type) {
  ComputationBuilder& b = c.b();
  const Op rest = b.Rem(x, y);
  const Op zero = c.Scalar(type, 0), one = c.Scalar(type, 1);
  if (IsUnsigned(type)) return b.Div(x, y);
  if (IsIntegral(type)) {
    const Op quotient = b.Div(x, y);
    const Op others = b.Ne(b.Sign(x), b.Sign(y)) & b.Ne(rest, zero);
    return b.Select(others, quotient - one, quotient);
  }
  // Without its remainder x is a multiple of y; x / 0 is an infinity.
  const Shape shape = c.ShapeOf(rest);
  const Op divisor = Grown(c, y, shape);
  const Op whole =
      b.Select(b.Eq(divisor, zero), Grown(c, x, shape), x - rest) / divisor;
  const Op others = b.Ne(rest, zero) & b.Ne(b.Sign(divisor), b.Sign(rest));
  return b.Round(b.Select(others, whole - one, whole));
}

Op Division(const char* name, Op x, Op y, bool quotient, Caller caller) {
  Composite c(name, {x, y}, caller);
  if (!c.Elements(0, TypeMask::kReal) || !c.Elements(1, TypeMask::kReal)) {
    return c.failed();
  }
  const Op wide_x = c.Widen(x), wide_y = c.Widen(y);
  const Op made =
      quotient ? FloorDivOf(c, wide_x, wide_y, c.ShapeOf(wide_x).element_type())
               : ModOf(c, wide_x, wide_y);
  return c.Done(c.Narrow(
      made, HigherPrecision(c.type(0), c.type(1)).value_or(c.type(0))));
}

// The parts of a softmax: x minus its greatest along dims, the exponentials,
// their sum.
struct Exponentials {
  Op shifted, each, sum;
  DimIndices kept;  // the dims of the sum
};

Exponentials ExponentialsOf(Composite& c, Op x,
                            const std::vector<int64_t>& dims) {
  ComputationBuilder& b = c.b();
  const ElementType type = c.ShapeOf(x).element_type();
  Exponentials e;
  for (const int64_t d : c.OtherDims(0, dims)) e.kept.push_back(d);
  const Callee max = c.Reducer("max", type, internal::Maximum);
  const Callee sum = c.Reducer("sum", type, internal::Add);
  const Op greatest = b.Reduce(x, c.Scalar(type, -kInfinity), max, dims);
  e.shifted = b.Sub(x, greatest, e.kept);
  e.each = b.Exp(e.shifted);
  e.sum = b.Reduce(e.each, c.Scalar(type, 0), sum, dims);
  return e;
}

// The exponentials of a softmax composite, whose operand it checks; false: an
// error.
bool OfSoftmax(Composite& c, const DimsArg& dims, Exponentials* e) {
  std::vector<int64_t> which;
  if (!c.Ranked(0, TypeMask::kFloat) || !c.ResolveDims(0, dims, &which)) {
    return false;
  }
  *e = ExponentialsOf(c, c.Widen(c.operand(0)), which);
  return true;
}

}  // namespace

Op Square(Op x, Caller caller) {
  return Unary("Square", x, TypeMask::kNumber, caller,
               [&](Composite&) { return x * x; });
}
Op Reciprocal(Op x, Caller caller) {
  return Unary("Reciprocal", x, TypeMask::kFloatComplex, caller,
               [&](Composite& c) { return c.Scalar(c.type(0), 1) / x; });
}
Op Atan(Op x, Caller caller) {
  return Unary("Atan", x, TypeMask::kFloatComplex, caller, [&](Composite& c) {
    return c.b().Atan2(x, c.Scalar(c.type(0), 1));
  });
}

Op LogAddExp(Op x, Op y, Caller caller) {
  Composite c("LogAddExp", {x, y}, caller);
  if (!c.Elements(0, TypeMask::kFloat) || !c.Elements(1, TypeMask::kFloat)) {
    return c.failed();
  }
  const Op result = internal::LogOfSumOfExps(c.b(), c.Widen(x), c.Widen(y));
  return c.Done(c.Narrow(
      result, HigherPrecision(c.type(0), c.type(1)).value_or(c.type(0))));
}

Op IsNan(Op x, Caller caller) {
  return Unary("IsNan", x, TypeMask::kFloat, caller,
               [&](Composite& c) { return c.b().Ne(x, x); });
}

Op IsInf(Op x, Caller caller) {
  return IsValue("IsInf", x, true, kInfinity, caller);
}
Op IsPosInf(Op x, Caller caller) {
  return IsValue("IsPosInf", x, false, kInfinity, caller);
}
Op IsNegInf(Op x, Caller caller) {
  return IsValue("IsNegInf", x, false, -kInfinity, caller);
}

// --- Division and powers of NumPy --------------------------------------------

Op FloorDiv(Op x, Op y, Caller caller) {
  return Division("FloorDiv", x, y, true, caller);
}
Op FloorMod(Op x, Op y, Caller caller) {
  return Division("FloorMod", x, y, false, caller);
}

Op IntegerPower(Op x, Op y, Caller caller) {
  constexpr int kBits = 6;
  Composite c("IntegerPower", {x, y}, caller);
  if (!c.Elements(0, TypeMask::kIntegral) ||
      !c.Elements(1, TypeMask::kIntegral)) {
    return c.failed();
  }
  ComputationBuilder& b = c.b();
  const ElementType type = c.type(0);
  const Op zero = c.Scalar(type, 0), one = c.Scalar(type, 1);
  // 0 to any power but 0 is 0, though only 6 bits of it are looked at.
  const Op none = b.Eq(x, zero) & b.Ne(y, zero);
  const Shape shape = c.ShapeOf(none);
  Op base = Grown(c, x, shape), exponent = Grown(c, y, shape);
  Op power = b.ConvertElementType(b.Not(none), type);
  for (int bit = 0; bit < kBits; ++bit) {
    power = b.Select(b.Ne(exponent & one, zero), power * base, power);
    base = base * base;
    exponent = b.ShiftRightLogical(exponent, one);
  }
  return c.Done(power);
}

// --- Activations -------------------------------------------------------------

Op Relu(Op x, Caller caller) {
  return Unary("Relu", x, TypeMask::kReal, caller, [&](Composite& c) {
    return c.b().Max(x, c.Scalar(c.type(0), 0));
  });
}
Op Relu6(Op x, Caller caller) {
  return Unary("Relu6", x, TypeMask::kReal, caller, [&](Composite& c) {
    return c.b().Clamp(c.Scalar(c.type(0), 0), x, c.Scalar(c.type(0), 6));
  });
}
Op LeakyRelu(Op x, double slope, Caller caller) {
  return Wide("LeakyRelu", x, caller,
              [&](Composite& c, Op wide, ElementType type) {
                return c.b().Select(c.b().Ge(wide, c.Scalar(type, 0)), wide,
                                    wide * c.Scalar(type, slope));
              });
}
Op Elu(Op x, double alpha, Caller caller) {
  return Wide("Elu", x, caller, [&](Composite& c, Op wide, ElementType type) {
    const Op is_positive = c.b().Gt(wide, c.Scalar(type, 0));
    // Of 100 the derivative of expm1 is infinite, and by 0 NaN.
    const Op others =
        c.b().Select(is_positive, ZerosBeside(c.b(), wide, type), wide);
    return c.b().Select(is_positive, wide,
                        c.b().Expm1(others) * c.Scalar(type, alpha));
  });
}
Op Silu(Op x, Caller caller) {
  return Wide("Silu", x, caller, [](Composite& c, Op wide, ElementType) {
    return wide * c.b().Logistic(wide);
  });
}
Op Softplus(Op x, Caller caller) {
  return Wide("Softplus", x, caller, SoftplusOf);
}
Op LogSigmoid(Op x, Caller caller) {
  return Wide("LogSigmoid", x, caller,
              [](Composite& c, Op wide, ElementType type) {
                return -SoftplusOf(c, -wide, type);
              });
}
Op Gelu(Op x, bool approximate, Caller caller) {
  return Wide("Gelu", x, caller, [&](Composite& c, Op wide, ElementType type) {
    ComputationBuilder& b = c.b();
    const Op half = c.Scalar(type, 0.5), one = c.Scalar(type, 1);
    if (!approximate) {
      const Op scaled = wide * c.Scalar(type, std::sqrt(0.5));
      return half * wide * (one + b.Erf(scaled));
    }
    const Op cube = wide * wide * wide;
    const Op inner = c.Scalar(type, std::sqrt(2 / internal::kPi)) *
                     (wide + c.Scalar(type, 0.044715) * cube);
    return half * wide * (one + b.Tanh(inner));
  });
}

Op Softmax(Op x, const DimsArg& dims, Caller caller) {
  Composite c("Softmax", {x}, caller);
  Exponentials e;
  if (!OfSoftmax(c, dims, &e)) return c.failed();
  return c.Done(c.Narrow(c.b().Div(e.each, e.sum, e.kept), c.type(0)));
}

Op LogSoftmax(Op x, const DimsArg& dims, Caller caller) {
  Composite c("LogSoftmax", {x}, caller);
  Exponentials e;
  if (!OfSoftmax(c, dims, &e)) return c.failed();
  return c.Done(
      c.Narrow(c.b().Sub(e.shifted, c.b().Log(e.sum), e.kept), c.type(0)));
}

// --- Indices -----------------------------------------------------------------

Op OneHot(Op indices, SizeArg depth, ElementType type, int64_t dim, double on,
          double off, Caller caller) {
  Composite c("OneHot", {indices}, caller);
  if (!c.Ranked(0, TypeMask::kIntegral)) return c.failed();
  const int64_t rank = c.shape(0).rank() + 1;
  if (!c.ResolveDim(0, rank, "dim", &dim) || !c.IsSize("depth", depth)) {
    return c.failed();
  }
  // Counts in 64 bits, so that no depth wraps around.
  const ElementType wide =
      IsUnsigned(c.type(0)) ? ElementType::kU64 : ElementType::kS64;
  DimIndices places;  // the result's dims for the indices
  Shape result = Shape::Scalar(ElementType::kPred);
  for (int64_t d = 0; d < rank; ++d) {
    if (d == dim) {
      result.add_dim(depth.dim());
    } else {
      result.add_dim(c.shape(0).dim(static_cast<int>(places.size())));
      places.push_back(d);
    }
  }
  ComputationBuilder& b = c.b();
  const Op all = c.BroadcastTo(c.Narrow(indices, wide), result, places);
  const Op counted = b.Iota(Shape::Array(wide, {depth.dim()}), 0);
  const Op is_on = b.Eq(all, counted, {dim});
  return c.Done(b.Select(is_on, c.Scalar(type, on), c.Scalar(type, off)));
}

}  // namespace indim
