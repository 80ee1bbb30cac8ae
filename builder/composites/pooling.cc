// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/pooling.h"

#include <string>
#include <vector>

#include "indim/builder/composites/composite.h"
#include "indim/builder/limits.h"

namespace indim {
namespace {

using internal::Composite;

// The reduction of `x` by `window`, with the rest of a pooling's arguments.
Op ReducedByWindow(Composite& c, Op x, Op init, const Callee& fold,
                   absl::Span<const int64_t> window,
                   absl::Span<const int64_t> strides,
                   const PaddingArg& padding) {
  if (padding.padding() != nullptr) {
    return c.b().ReduceWindow(x, init, fold, window, strides,
                              *padding.padding());
  }
  return c.b().ReduceWindowWithGeneralPadding(
      absl::MakeConstSpan(&x, 1), absl::MakeConstSpan(&init, 1), fold, window,
      strides, {}, {}, padding.pairs());
}

// `sums` divided by the number of elements of operand 0 under each position.
Op DividedByCounts(Composite& c, Op sums, absl::Span<const int64_t> window,
                   absl::Span<const int64_t> strides,
                   const PaddingArg& padding) {
  const ElementType type = c.ShapeOf(sums).element_type();
  // Only the dims along which the window has more than one element: along the
  // others all counts are equal.
  std::vector<int64_t> dims, part_window, part_strides;
  std::vector<PaddingArg::Pair> part_padding;
  Shape ones = Shape::Scalar(type);
  for (size_t d = 0; d < window.size(); ++d) {
    const bool is_padded = !padding.pairs().empty() &&
                           padding.pairs()[d] != PaddingArg::Pair(0, 0);
    if (window[d] == 1 && !is_padded) continue;
    const Dim size = c.shape(0).dim(static_cast<int>(d));
    if (!size.is_exact()) {
      c.Fail(Code::kStaticNeeded, {}, 0, static_cast<int64_t>(d));
      return c.failed();
    }
    ones.add_dim(size);
    dims.push_back(static_cast<int64_t>(d));
    part_window.push_back(window[d]);
    if (!strides.empty()) part_strides.push_back(strides[d]);
    if (!padding.pairs().empty()) part_padding.push_back(padding.pairs()[d]);
  }
  const PaddingArg part = padding.padding() != nullptr
                              ? PaddingArg(*padding.padding())
                              : PaddingArg(part_padding);
  const Op counts = ReducedByWindow(c, c.b().Splat(1, ones), c.Scalar(type, 0),
                                    c.Reducer("sum", type, internal::Add),
                                    part_window, part_strides, part);
  return c.b().Div(sums, counts, dims);
}

}  // namespace

Op MaxPool(Op x, absl::Span<const int64_t> window,
           absl::Span<const int64_t> strides, const PaddingArg& padding,
           Caller caller) {
  Composite c("MaxPool", {x}, caller);
  if (!c.Ranked(0, TypeMask::kReal)) return c.failed();
  const absl::StatusOr<Literal> least = internal::LeastLiteral(c.type(0));
  if (!least.ok()) {
    c.Fail(Code::kLiteralValue, {std::string(least.status().message())});
    return c.failed();
  }
  const Callee max = c.Reducer("max", c.type(0), internal::Maximum);
  return c.Done(
      ReducedByWindow(c, x, c.Scalar(*least), max, window, strides, padding));
}

Op AvgPool(Op x, absl::Span<const int64_t> window,
           absl::Span<const int64_t> strides, const PaddingArg& padding,
           bool count_padding, Caller caller) {
  Composite c("AvgPool", {x}, caller);
  if (!c.Ranked(0, TypeMask::kFloat)) return c.failed();
  const Op wide = c.Widen(x);
  const ElementType type = c.ShapeOf(wide).element_type();
  const Op sums = ReducedByWindow(c, wide, c.Scalar(type, 0),
                                  c.Reducer("sum", type, internal::Add), window,
                                  strides, padding);
  if (!c.IsGood(sums)) return c.Done(sums);
  const bool is_valid = padding.padding() != nullptr
                            ? *padding.padding() == Padding::kValid
                            : padding.pairs().empty();
  if (count_padding || is_valid) {
    double count = 1;
    for (const int64_t size : window) count *= static_cast<double>(size);
    return c.Done(c.Narrow(sums / c.Scalar(type, count), c.type(0)));
  }
  const Op means = DividedByCounts(c, sums, window, strides, padding);
  return c.Done(c.Narrow(means, c.type(0)));
}

}  // namespace indim
