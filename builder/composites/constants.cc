// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/constants.h"

#include <string>

#include "indim/builder/composites/composite.h"
#include "indim/builder/limits.h"

namespace indim {
namespace {

using internal::Composite;

Op LiteralOrFail(const char* name, ComputationBuilder& b,
                 const absl::StatusOr<Literal>& literal, Caller caller) {
  Composite c(name, b, caller);
  if (!c.ok()) return c.failed();
  if (literal.ok()) return c.Done(c.Scalar(*literal));
  c.Fail(Code::kLiteralValue, {std::string(literal.status().message())});
  return c.failed();
}

Op Filled(const char* name, Op x, Number value, Caller caller) {
  Composite c(name, {x}, caller);
  if (!c.Ranked(0) || !c.AllMakable(0)) return c.failed();
  return c.Done(
      c.SizedLike(c.b().Splat(value, c.ShapeLike(c.shape(0), c.type(0))), x));
}

}  // namespace

Op Zero(ComputationBuilder& b, ElementType type, Caller caller) {
  return LiteralOrFail("Zero", b, Literal::Scalar(type, 0), caller);
}
Op One(ComputationBuilder& b, ElementType type, Caller caller) {
  return LiteralOrFail("One", b, Literal::Scalar(type, 1), caller);
}
Op Epsilon(ComputationBuilder& b, ElementType type, Caller caller) {
  return LiteralOrFail("Epsilon", b, internal::EpsilonLiteral(type), caller);
}
Op MinValue(ComputationBuilder& b, ElementType type, Caller caller) {
  return LiteralOrFail("MinValue", b, internal::LeastLiteral(type), caller);
}
Op MaxValue(ComputationBuilder& b, ElementType type, Caller caller) {
  return LiteralOrFail("MaxValue", b, internal::GreatestLiteral(type), caller);
}
Op MinFiniteValue(ComputationBuilder& b, ElementType type, Caller caller) {
  return LiteralOrFail("MinFiniteValue", b, internal::LeastFiniteLiteral(type),
                       caller);
}
Op MaxFiniteValue(ComputationBuilder& b, ElementType type, Caller caller) {
  return LiteralOrFail("MaxFiniteValue", b,
                       internal::GreatestFiniteLiteral(type), caller);
}
Op NanValue(ComputationBuilder& b, ElementType type, Caller caller) {
  return LiteralOrFail("NanValue", b, internal::NanLiteral(type), caller);
}

Op FullLike(Op x, Number value, Caller caller) {
  return Filled("FullLike", x, value, caller);
}
Op ZerosLike(Op x, Caller caller) { return Filled("ZerosLike", x, 0, caller); }
Op OnesLike(Op x, Caller caller) { return Filled("OnesLike", x, 1, caller); }
Op ScalarLike(Op x, Number value, Caller caller) {
  Composite c("ScalarLike", {x}, caller);
  if (!c.Elements(0, TypeMask::kArray)) return c.failed();
  return c.Done(c.Scalar(c.type(0), value));
}
Op Progression(ComputationBuilder& b, ElementType type, SizeArg count,
               Number start, Number step, Caller caller) {
  Composite c("Progression", b, caller);
  if (!c.IsSize("count", count)) return c.failed();
  Op made = c.b().Iota(type, count);
  if (step.AsDouble() != 1) made = made * c.Scalar(type, step);
  if (start.AsDouble() != 0) made = c.Scalar(type, start) + made;
  return c.Done(made);
}

}  // namespace indim
