// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/normalization.h"

#include <utility>
#include <vector>

#include "indim/builder/composites/composite.h"
#include "indim/builder/composites/reductions.h"

namespace indim {
namespace {

using internal::Composite;
using Dims = std::vector<int64_t>;

// The dims of operand 0: those in front, and the last ones, as many as operand
// 1 has. False: an error.
bool SplitDims(Composite& c, Dims* front, Dims* last) {
  if (!c.Ranked(0, TypeMask::kFloat) || !c.Ranked(1, TypeMask::kFloat))
    return false;
  const int64_t rank = c.shape(0).rank(), part = c.shape(1).rank();
  if (part == 0) {
    Diagnostic wrong;
    wrong.code = Code::kRankTooLow;
    wrong.args = {int64_t{1}};
    wrong.operand = 1;
    if (rank > 0) {
      wrong.fix_of_call =
          Shape::Array(c.type(1), {c.shape(0).dim(static_cast<int>(rank - 1))});
    }
    return c.Fail(std::move(wrong));
  }
  if (part > rank) return c.Fail(Code::kRankTooLow, {part}, 0);
  for (int64_t d = 0; d < rank; ++d) {
    (d < rank - part ? front : last)->push_back(d);
  }
  return c.HasDims(1, 0, *last);
}

// x / sqrt(variance + epsilon), where `variance` has dims `front` of x.
Op Normalized(Composite& c, Op x, Op variance, const Dims& front,
              double epsilon) {
  const ElementType type = c.ShapeOf(x).element_type();
  return c.b().Mul(x, c.b().Rsqrt(variance + c.Scalar(type, epsilon)), front);
}

}  // namespace

Op LayerNorm(Op x, Op scale, Op offset, double epsilon, Caller caller) {
  Composite c("LayerNorm", {x, scale, offset}, caller);
  Dims front, last;
  if (!SplitDims(c, &front, &last) || !c.Elements(2, TypeMask::kFloat) ||
      !c.HasDims(2, 0, last)) {
    return c.failed();
  }
  ComputationBuilder& b = c.b();
  const Op wide = c.Widen(x);
  const ElementType type = c.ShapeOf(wide).element_type();
  const Op centered = b.Sub(wide, Mean(wide, last), front);
  const Op variance = Mean(centered * centered, last);
  const Op normal = Normalized(c, centered, variance, front, epsilon);
  const Op scaled = b.Mul(normal, c.Narrow(scale, type), last);
  return c.Done(
      c.Narrow(b.Add(scaled, c.Narrow(offset, type), last), c.type(0)));
}

Op RmsNorm(Op x, Op scale, double epsilon, Caller caller) {
  Composite c("RmsNorm", {x, scale}, caller);
  Dims front, last;
  if (!SplitDims(c, &front, &last)) return c.failed();
  const Op wide = c.Widen(x);
  const ElementType type = c.ShapeOf(wide).element_type();
  const Op normal =
      Normalized(c, wide, Mean(wide * wide, last), front, epsilon);
  return c.Done(
      c.Narrow(c.b().Mul(normal, c.Narrow(scale, type), last), c.type(0)));
}

Op BatchNormInference(Op x, Op scale, Op offset, Op mean, Op variance,
                      int64_t feature_dim, double epsilon, Caller caller) {
  Composite c("BatchNormInference", {x, scale, offset, mean, variance}, caller);
  if (!c.Ranked(0, TypeMask::kFloat) ||
      !c.ResolveDim(0, "feature_dim", &feature_dim)) {
    return c.failed();
  }
  for (size_t i = 1; i < c.operand_count(); ++i) {
    if (!c.Ranked(i, TypeMask::kFloat) || !c.HasDims(i, 0, {feature_dim})) {
      return c.failed();
    }
  }
  ComputationBuilder& b = c.b();
  const Op wide = c.Widen(x);
  const ElementType type = c.ShapeOf(wide).element_type();
  const auto of_type = [&](Op op) { return c.Narrow(op, type); };
  const Op factor =
      of_type(scale) * b.Rsqrt(of_type(variance) + c.Scalar(type, epsilon));
  const Op centered = b.Sub(wide, of_type(mean), {feature_dim});
  const Op scaled = b.Mul(centered, factor, {feature_dim});
  return c.Done(
      c.Narrow(b.Add(scaled, of_type(offset), {feature_dim}), c.type(0)));
}

}  // namespace indim
