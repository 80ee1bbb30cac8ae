// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/losses.h"

#include <vector>

#include "indim/builder/composites/composite.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/reductions.h"
#include "indim/shape/types/type_mask.h"

namespace indim {
namespace {

using internal::Composite;

// Whether each class along dim `dim` of operand 0 is operand 1's label.
Op IsLabel(Composite& c, int64_t dim) {
  // Counts in 64 bits, so that no number of classes wraps around.
  const ElementType type =
      IsUnsigned(c.type(1)) ? ElementType::kU64 : ElementType::kS64;
  const std::vector<int64_t> others = c.OtherDims(0, {dim});
  Shape classes = Shape::Scalar(type);
  const Dim size = c.shape(0).dim(static_cast<int>(dim));
  classes.add_dim(size.is_exact() ? size : Dim::Static(size.upper()));
  Op counted = c.b().Iota(classes, 0);
  if (!size.is_exact()) {
    counted = c.b().SetDimensionSize(
        counted, c.b().GetDimensionSize(c.operand(0), dim), 0);
  }
  const Op labels = c.BroadcastTo(c.Narrow(c.operand(1), type),
                                  c.shape(0).WithoutLayout(), others);
  return c.b().Eq(labels, counted, {dim});
}

}  // namespace

Op CrossEntropy(Op logits, Op labels, int64_t dim, Caller caller) {
  Composite c("CrossEntropy", {logits, labels}, caller);
  if (!c.Ranked(0, TypeMask::kFloat) || !c.Ranked(1, TypeMask::kIntegral) ||
      !c.ResolveDim(0, "dim", &dim) ||
      !c.HasDims(1, 0, c.OtherDims(0, {dim})) || !c.IsMakable(0, dim)) {
    return c.failed();
  }
  const Op logs = LogSoftmax(c.Widen(logits), dim);
  const Op zero = c.Scalar(c.ShapeOf(logs).element_type(), 0);
  const Op loss = ReduceSum(c.b().Select(IsLabel(c, dim), -logs, zero), {dim});
  return c.Done(c.Narrow(loss, c.type(0)));
}

Op SoftCrossEntropy(Op logits, Op probabilities, const DimsArg& dims,
                    Caller caller) {
  Composite c("SoftCrossEntropy", {logits, probabilities}, caller);
  std::vector<int64_t> which;
  if (!c.Ranked(0, TypeMask::kFloat) || !c.Ranked(1, TypeMask::kFloat) ||
      !c.ResolveDims(0, dims, &which) || !c.HasDims(1, 0, c.OtherDims(0, {}))) {
    return c.failed();
  }
  const Op logs = LogSoftmax(c.Widen(logits), which);
  const Op weights = c.Narrow(probabilities, c.ShapeOf(logs).element_type());
  return c.Done(c.Narrow(-ReduceSum(weights * logs, which), c.type(0)));
}

}  // namespace indim
