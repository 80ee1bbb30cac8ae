#include "indim/builder/composites/losses.h"

#include <vector>

#include "indim/builder/composites/composite.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/reductions.h"

namespace indim {
namespace {

using internal::Class;
using internal::Composite;

// The dims of operand 0 but `dim`.
std::vector<int64_t> Others(const Composite& c, int64_t dim) {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < c.shape(0).rank(); ++d) {
    if (d != dim) others.push_back(d);
  }
  return others;
}

// Whether each class along dim `dim` of operand 0 is operand 1's label.
Op IsLabel(Composite& c, int64_t dim) {
  // Counts in 64 bits, so that no number of classes wraps around.
  const ElementType type =
      IsUnsigned(c.type(1)) ? ElementType::kU64 : ElementType::kS64;
  const std::vector<int64_t> others = Others(c, dim);
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
  if (!c.Ranked(0, Class::kFloat) || !c.Ranked(1, Class::kInteger) ||
      !c.ResolveDim(0, "dim", &dim) || !c.HasDims(1, 0, Others(c, dim)) ||
      !c.IsMakable(0, dim)) {
    return c.failed();
  }
  const Op logs = LogSoftmax(c.Widen(logits), dim);
  const Op zero = c.Scalar(c.ShapeOf(logs).element_type(), 0);
  const Op loss = ReduceSum(c.b().Select(IsLabel(c, dim), -logs, zero), {dim});
  return c.Done(c.Narrow(loss, c.type(0)));
}

Op SoftCrossEntropy(Op logits, Op probabilities, int64_t dim, Caller caller) {
  Composite c("SoftCrossEntropy", {logits, probabilities}, caller);
  std::vector<int64_t> all;
  if (!c.Ranked(0, Class::kFloat) || !c.Ranked(1, Class::kFloat) ||
      !c.ResolveDim(0, "dim", &dim)) {
    return c.failed();
  }
  for (int64_t d = 0; d < c.shape(0).rank(); ++d) all.push_back(d);
  if (!c.HasDims(1, 0, all)) return c.failed();
  const Op logs = LogSoftmax(c.Widen(logits), dim);
  const Op weights = c.Narrow(probabilities, c.ShapeOf(logs).element_type());
  return c.Done(c.Narrow(-ReduceSum(weights * logs, {dim}), c.type(0)));
}

}  // namespace indim
