// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/random.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/composites/composite.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/slicing.h"
#include "indim/builder/limits.h"

namespace indim {
namespace {

using internal::Composite;
using internal::kPi;

RandomState NewState(const char* name, ComputationBuilder& b,
                     RandomAlgorithm algorithm, std::vector<uint64_t> words,
                     Caller caller) {
  Composite c(name, b, caller);
  if (!c.ok()) return {algorithm, c.failed()};
  const int64_t size = static_cast<int64_t>(words.size());
  const absl::StatusOr<Literal> literal =
      Literal::Array(absl::Span<const uint64_t>(words), {size});
  if (!literal.ok()) {
    c.Fail(Code::kLiteralValue, {std::string(literal.status().message())});
    return {algorithm, c.failed()};
  }
  return {algorithm, c.Done(c.Scalar(*literal))};
}

// The type in which numbers of `type` are computed.
ElementType WideType(ElementType type) {
  return Info(type).bits < 32 ? ElementType::kF32 : type;
}

// How many bits the mantissa of `type` stores, at most those of WideType(type).
int Digits(ElementType type) {
  const absl::StatusOr<Literal> epsilon = internal::EpsilonLiteral(type);
  return epsilon.ok() ? -std::ilogb(epsilon->AsDouble(0)) : 1;
}

// Whether *shape, of the caller's text, is one of random numbers.
bool IsMakable(Composite& c, const ShapeArg& text, Shape* shape) {
  if (!c.ok()) return false;
  if (!text.shape().ok()) {
    return c.Fail(Code::kNoShape,
                  {std::string(text.shape().status().message())});
  }
  *shape = text.shape()->WithoutLayout();
  if (!shape->has_rank() || !IsFloat(shape->element_type())) {
    return c.Fail(Code::kNoShape,
                  {absl::StrCat(shape->ToString(), " is no array of floats")});
  }
  for (int d = 0; d < shape->rank(); ++d) {
    if (shape->dim(d).is_exact()) continue;
    return c.Fail(Code::kResultSizeUnknown, {shape->dim(d)}, -1, d);
  }
  return true;
}

// Random bits with the dims of `shape`, as whole numbers 0..2^digits - 1 in the
// type `type`, f32 or f64. Moves the state on.
Op WholeNumbers(Composite& c, RandomState* random, const Shape& shape,
                ElementType type, int digits) {
  ComputationBuilder& b = c.b();
  const ElementType bits_type =
      type == ElementType::kF64 ? ElementType::kU64 : ElementType::kU32;
  Shape bits_shape = shape.WithoutLayout();
  bits_shape.set_element_type(bits_type);
  const Op both =
      b.RngBitGenerator(random->algorithm, random->state, bits_shape);
  random->state = b.GetTupleElement(both, 0);
  const Op bits = b.GetTupleElement(both, 1);
  const Op shift = c.Scalar(bits_type, Info(bits_type).bits - digits);
  return b.ConvertElementType(b.ShiftRightLogical(bits, shift), type);
}

// Uniform in [0, 1), in steps that `type` can hold, computed in WideType(type).
Op HalfOpen(Composite& c, RandomState* random, const Shape& shape,
            ElementType type) {
  const ElementType wide = WideType(type);
  const int digits = std::min(Digits(type), Digits(wide));
  return WholeNumbers(c, random, shape, wide, digits) *
         c.Scalar(wide, std::ldexp(1.0, -digits));
}

// Uniform in (0, 1): the middles of 2^Digits(type) steps. `type` is f32 or f64.
Op Open(Composite& c, RandomState* random, const Shape& shape,
        ElementType type) {
  const int digits = Digits(type);
  const Op whole = WholeNumbers(c, random, shape, type, digits);
  return (whole + c.Scalar(type, 0.5)) *
         c.Scalar(type, std::ldexp(1.0, -digits));
}

// Ends a composite; after an error the state is poisoned.
Op End(Composite& c, RandomState* random, Op result) {
  if (!c.ok()) return random->state = c.failed();
  return c.Done(result);
}

}  // namespace

RandomState ThreeFryState(ComputationBuilder& b, uint64_t seed, Caller caller) {
  return NewState("ThreeFryState", b, RandomAlgorithm::kThreeFry, {seed, 0},
                  caller);
}
RandomState PhiloxState(ComputationBuilder& b, uint64_t seed, Caller caller) {
  return NewState("PhiloxState", b, RandomAlgorithm::kPhilox, {seed, 0, 0},
                  caller);
}

Op RandomUniform(RandomState* random, const ShapeArg& shape, double low,
                 double high, Caller caller) {
  Composite c("RandomUniform", {random->state}, caller);
  Shape made;
  if (!IsMakable(c, shape, &made)) return End(c, random, Op());
  const ElementType type = made.element_type(), wide = WideType(type);
  Op result = HalfOpen(c, random, made, type);
  if (low != 0 || high != 1) {
    result = result * c.Scalar(wide, high - low) + c.Scalar(wide, low);
  }
  return End(c, random, c.Narrow(result, type));
}

Op RandomNormal(RandomState* random, const ShapeArg& shape, double mean,
                double deviation, Caller caller) {
  Composite c("RandomNormal", {random->state}, caller);
  Shape made;
  if (!IsMakable(c, shape, &made)) return End(c, random, Op());
  ComputationBuilder& b = c.b();
  const ElementType type = made.element_type(), wide = WideType(type);
  Shape two = Shape::Array(wide, {Dim::Static(2)});
  for (const Dim dim : made.dims()) two.add_dim(dim);
  const Op uniform = Open(c, random, two, wide);
  const Op radius = b.Sqrt(b.Log(Index(uniform, 0)) * c.Scalar(wide, -2));
  const Op angle = Index(uniform, 1) * c.Scalar(wide, 2 * kPi);
  const Op normal = radius * b.Cos(angle) * c.Scalar(wide, deviation);
  return End(c, random, c.Narrow(normal + c.Scalar(wide, mean), type));
}

Op RandomCategorical(RandomState* random, Op logits, int64_t dim,
                     Caller caller) {
  Composite c("RandomCategorical", {logits, random->state}, caller);
  if (!c.Ranked(0, TypeMask::kFloat) || !c.ResolveDim(0, "dim", &dim) ||
      !c.AllMakable(0)) {
    return End(c, random, Op());
  }
  ComputationBuilder& b = c.b();
  const Op wide = c.Widen(logits);
  const ElementType type = c.ShapeOf(wide).element_type();
  const Op uniform = Open(c, random, c.ShapeLike(c.shape(0), type), type);
  const Op gumbel = -b.Log(-b.Log(uniform));
  return End(c, random, ArgMax(wide + c.SizedLike(gumbel, logits), dim));
}

Op Dropout(RandomState* random, Op x, double rate, Caller caller) {
  Composite c("Dropout", {x, random->state}, caller);
  if (!c.Ranked(0, TypeMask::kFloat) || !c.AllMakable(0)) {
    return End(c, random, Op());
  }
  if (!(rate >= 0 && rate <= 1)) {
    c.Fail(Code::kProbability, {std::string("rate"), absl::StrCat(rate)});
    return End(c, random, Op());
  }
  ComputationBuilder& b = c.b();
  const ElementType type = ElementType::kF32;
  const Op uniform = HalfOpen(c, random, c.ShapeLike(c.shape(0), type), type);
  const Op keeps = c.SizedLike(b.Ge(uniform, c.Scalar(type, rate)), x);
  const Op wide = c.Widen(x);
  const ElementType wide_type = c.ShapeOf(wide).element_type();
  const Op scaled = rate == 1 ? wide : wide / c.Scalar(wide_type, 1 - rate);
  return End(
      c, random,
      c.Narrow(b.Select(keeps, scaled, c.Scalar(wide_type, 0)), c.type(0)));
}

}  // namespace indim
