// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/cumulative.h"

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "indim/builder/composites/composite.h"
#include "indim/builder/limits.h"

namespace indim {
namespace {

using internal::Composite;

struct Direction {
  int64_t dim;
  bool reverse;
  bool exclusive;
};

// The fold, and its first value.
struct Running {
  TypeMask allowed;
  const char* reducer;
  absl::FunctionRef<Op(ComputationBuilder& b, Op x, Op y)> fold;
  absl::FunctionRef<absl::StatusOr<Literal>(ElementType)> start;
};

// Shifts all elements by one position along the dim; `start` fills the gap.
Op Shifted(Composite& c, Op folded, Op start, const Direction& way) {
  std::vector<PaddingDim> padding(c.shape(0).rank());
  padding[way.dim].low = way.reverse ? -1 : 1;
  padding[way.dim].high = way.reverse ? 1 : -1;
  return c.b().Pad(folded, start, padding);
}

Op Cumulative(const char* name, Op x, Direction way, const Running& running,
              Caller caller) {
  Composite c(name, {x}, caller);
  if (!c.Ranked(0, running.allowed) || !c.ResolveDim(0, "dim", &way.dim)) {
    return c.failed();
  }
  const Dim dim = c.shape(0).dim(static_cast<int>(way.dim));
  if (!dim.is_static()) {
    c.Fail(Code::kStaticNeeded, {}, 0, way.dim);
    return c.failed();
  }
  if (dim.is(0)) return c.Done(x);
  const Op wide = c.Widen(x);
  const ElementType type = c.ShapeOf(wide).element_type();
  const absl::StatusOr<Literal> literal = running.start(type);
  if (!literal.ok()) {
    c.Fail(Code::kLiteralValue, {std::string(literal.status().message())});
    return c.failed();
  }
  const Op start = c.Scalar(*literal);
  std::vector<WindowDim> window(c.shape(0).rank());
  WindowDim& along = window[way.dim];
  along.size = dim.size();
  (way.reverse ? along.padding_high : along.padding_low) = dim.size() - 1;
  Op folded = c.b().ReduceWindow(
      wide, start, c.Reducer(running.reducer, type, running.fold), window);
  if (way.exclusive) folded = Shifted(c, folded, start, way);
  return c.Done(c.Narrow(folded, c.type(0)));
}

absl::StatusOr<Literal> ZeroLiteral(ElementType type) {
  return Literal::Scalar(type, 0);
}
absl::StatusOr<Literal> OneLiteral(ElementType type) {
  return Literal::Scalar(type, 1);
}

}  // namespace

Op CumSum(Op x, int64_t dim, bool reverse, bool exclusive, Caller caller) {
  return Cumulative("CumSum", x, {dim, reverse, exclusive},
                    {TypeMask::kNumber, "sum", internal::Add, ZeroLiteral},
                    caller);
}
Op CumProd(Op x, int64_t dim, bool reverse, bool exclusive, Caller caller) {
  return Cumulative("CumProd", x, {dim, reverse, exclusive},
                    {TypeMask::kNumber, "prod", internal::Multiply, OneLiteral},
                    caller);
}
Op CumMax(Op x, int64_t dim, bool reverse, bool exclusive, Caller caller) {
  return Cumulative(
      "CumMax", x, {dim, reverse, exclusive},
      {TypeMask::kReal, "max", internal::Maximum, internal::LeastLiteral},
      caller);
}
Op CumMin(Op x, int64_t dim, bool reverse, bool exclusive, Caller caller) {
  return Cumulative(
      "CumMin", x, {dim, reverse, exclusive},
      {TypeMask::kReal, "min", internal::Minimum, internal::GreatestLiteral},
      caller);
}
Op CumLogSumExp(Op x, int64_t dim, bool reverse, bool exclusive,
                Caller caller) {
  return Cumulative("CumLogSumExp", x, {dim, reverse, exclusive},
                    {TypeMask::kFloat, "logaddexp", internal::LogOfSumOfExps,
                     internal::LeastLiteral},
                    caller);
}

}  // namespace indim
