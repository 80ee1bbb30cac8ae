// SPDX-License-Identifier: Apache-2.0
// Transposes of products, transforms and sums.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/grad/emit.h"
#include "indim/grad/rules.h"
#include "indim/grad/transposer.h"
#include "indim/shape/dims/free_dims.h"

namespace indim::internal {
namespace {

// The places of the elements in ascending order.
DimIndices ArgSort(const DimIndices& list) {
  DimIndices order = Range(0, static_cast<int64_t>(list.size()));
  absl::c_stable_sort(order, [&](int64_t a, int64_t b) {
    return list[static_cast<size_t>(a)] < list[static_cast<size_t>(b)];
  });
  return order;
}

DimIndices Concat(const DimIndices& a, const DimIndices& b) {
  DimIndices all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

// The cotangent of operand `k` of a dot.
Op DotCotangent(const TapeStep& step, size_t k) {
  ComputationBuilder& b = step.out();
  const auto& dot = As<DotAttributes>(step.attributes());
  const DimIndices& batch = k == 0 ? dot.lhs_batch_dims : dot.rhs_batch_dims;
  const DimIndices& other_batch =
      k == 0 ? dot.rhs_batch_dims : dot.lhs_batch_dims;
  const DimIndices& contracting =
      k == 0 ? dot.lhs_contracting_dims : dot.rhs_contracting_dims;
  const DimIndices& other_contracting =
      k == 0 ? dot.rhs_contracting_dims : dot.lhs_contracting_dims;
  const DimIndices kept = FreeDims(step.shape(k).rank(), batch, contracting);
  const DimIndices other_kept =
      FreeDims(step.shape(1 - k).rank(), other_batch, other_contracting);
  const auto batches = static_cast<int64_t>(batch.size());
  // Where the other operand's kept dims are in the result.
  const int64_t other_first =
      k == 0 ? batches + static_cast<int64_t>(kept.size()) : batches;
  DotAttributes product;
  product.lhs_contracting_dims =
      Range(other_first, static_cast<int64_t>(other_kept.size()));
  product.rhs_contracting_dims = other_kept;
  product.lhs_batch_dims = Range(0, batches);
  product.rhs_batch_dims = other_batch;
  product.precision = dot.precision;
  if (k == 1) {
    absl::c_reverse(product.precision.operand_precision);
  }
  const ElementType type = step.shape().element_type();
  const Op g = b.DotGeneral(step.cotangent(), step.value(1 - k), product, type);
  // It has batch, kept, then contracted dims, in the other operand's order.
  DimIndices contracted;
  for (const int64_t i : ArgSort(other_contracting)) {
    contracted.push_back(contracting[static_cast<size_t>(i)]);
  }
  const DimIndices places = Concat(Concat(batch, kept), contracted);
  return ConvertTo(b, TransposeBy(b, g, Inverse(places)),
                   step.shape(k).element_type());
}

}  // namespace

void TransposeDot(const TapeStep& step) {
  for (size_t k = 0; k < 2; ++k) {
    if (step.is_linear(k)) step.Give(k, DotCotangent(step, k));
  }
}

void TransposeFft(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const auto& fft = As<FftAttributes>(step.attributes());
  const Op g = step.cotangent();
  const Shape operand = step.shape(0), result = step.shape();
  const int last = operand.rank() - 1;
  if (operand.ElementCount() == 0 || result.ElementCount() == 0) return;
  if (fft.type == FftType::kFft || fft.type == FftType::kIfft) {
    return step.Give(0, b.Fft(g, fft.type, fft.length));
  }
  const int64_t n = fft.length.back();
  if (fft.type == FftType::kRfft) {
    // The first half of the complex transform of a real array.
    std::vector<PaddingDim> padding(static_cast<size_t>(operand.rank()));
    padding.back().high = n - result.dim(last).size();
    const Op whole = b.Pad(g, step.Zero(result.element_type()), padding);
    return step.Give(0, b.Real(b.Fft(whole, FftType::kFft, fft.length)));
  }
  // Each frequency but the first (and the middle one of an even length) stands
  // for two.
  const Op x = b.Fft(g, FftType::kRfft, fft.length);
  double count = 1;
  for (const int64_t length : fft.length) count *= static_cast<double>(length);
  Shape index = ShapeIn(b, x);
  const ElementType real = result.element_type();
  index.set_element_type(ElementType::kS32);
  const Op place = b.Iota(index, last);
  Op single = b.Eq(place, b.Splat(0, index));
  if (n % 2 == 0) single = b.Or(single, b.Eq(place, b.Splat(n / 2, index)));
  index.set_element_type(real);
  const Op scale =
      b.Select(single, b.Splat(1 / count, index), b.Splat(2 / count, index));
  step.Give(0, ConjugateOf(b, b.Mul(x, b.Complex(scale, b.Splat(0, index)))));
}

void TransposeTriangularSolve(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  TriangularSolveAttributes solve =
      As<TriangularSolveAttributes>(step.attributes());
  Op a = step.value(0);
  switch (solve.transpose_a) {
    case TriangularSolveTranspose::kTranspose:
      solve.transpose_a = TriangularSolveTranspose::kNoTranspose;
      break;
    case TriangularSolveTranspose::kAdjoint:
      a = ConjugateOf(b, a);
      solve.transpose_a = TriangularSolveTranspose::kNoTranspose;
      break;
    default:
      solve.transpose_a = TriangularSolveTranspose::kTranspose;
      break;
  }
  step.Give(1, b.AddInstruction(Opcode::kTriangularSolve, {a, step.cotangent()},
                                solve));
}

// A sum.
void TransposeReduce(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const DimIndices& reduced =
      As<DimensionsAttributes>(step.attributes()).dimensions;
  const Shape operand = step.shape(0);
  if (step.is_linear(0)) {
    step.Give(0, SpreadTo(b, step.cotangent(),
                          FreeDims(operand.rank(), reduced), operand));
  }
  if (step.is_linear(1)) {
    step.Give(1, step.SumOver(step.cotangent(), Range(0, step.shape().rank())));
  }
}

// A sum over windows: the cotangent, padded and dilated, under the same window.
void TransposeReduceWindow(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const auto& window = As<WindowAttributes>(step.attributes()).window;
  const Shape operand = step.shape(0), result = step.shape();
  const Op g = step.cotangent();
  if (step.is_linear(1)) {
    step.Give(1, step.SumOver(g, Range(0, result.rank())));
  }
  if (!step.is_linear(0) || operand.ElementCount() == 0 ||
      result.ElementCount() == 0) {
    return;
  }
  std::vector<WindowDim> back;
  for (size_t i = 0; i < window.size(); ++i) {
    const WindowDim& w = window[i];
    const int64_t size = operand.dim(static_cast<int>(i)).size();
    const int64_t count = result.dim(static_cast<int>(i)).size();
    const int64_t reach = (w.size - 1) * w.window_dilation;
    // Sizes with dilation.
    const int64_t dilated = (size - 1) * w.base_dilation + 1;
    const int64_t given = (count - 1) * w.stride + 1;
    WindowDim dim;
    dim.size = w.size;
    dim.stride = w.base_dilation;
    dim.window_dilation = w.window_dilation;
    dim.base_dilation = w.stride;
    dim.padding_low = reach - w.padding_low;
    dim.padding_high = dilated - given + w.padding_low;
    back.push_back(dim);
  }
  const ElementType type = result.element_type();
  const bool low = IsFloat(type) && Info(type).bits < 32;
  const Op wide = low ? b.ConvertElementType(g, ElementType::kF32) : g;
  const Op sum = b.ReduceWindow(
      wide, 0, [](Op x, Op y) { return x + y; }, back);
  step.Give(0, ConvertTo(b, sum, type));
}

}  // namespace indim::internal
