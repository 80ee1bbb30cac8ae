// SPDX-License-Identifier: Apache-2.0
// Transposes of elementwise operations, and of those that move elements.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "indim/grad/emit.h"
#include "indim/grad/rules.h"
#include "indim/grad/transposer.h"
#include "indim/shape/dims/free_dims.h"

namespace indim::internal {
namespace {

// Of an operand whose element type is another one than the result's.
void GiveConverted(const TapeStep& step, size_t i, Op cotangent) {
  if (!step.is_linear(i)) return;
  step.Give(i, ConvertTo(step.out(), cotangent, step.shape(i).element_type()));
}

// The starts, which are operands from `first` on: scalars, or one vector.
std::vector<Op> Starts(const TapeStep& step, size_t first, int rank) {
  ComputationBuilder& b = step.out();
  std::vector<Op> starts;
  if (step.size() == first + 1 && step.shape(first).rank() == 1) {
    for (int64_t i = 0; i < rank; ++i) {
      starts.push_back(
          b.Reshape(b.Slice(step.value(first), {i}, {i + 1}), SizesArg()));
    }
    return starts;
  }
  for (size_t i = first; i < step.size(); ++i) starts.push_back(step.value(i));
  return starts;
}

}  // namespace

void TransposeCopy(const TapeStep& step) { step.Give(0, step.cotangent()); }

void TransposeNegate(const TapeStep& step) {
  step.Give(0, step.out().Neg(step.cotangent()));
}

void TransposeReal(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const Op g = step.cotangent();
  if (!IsComplex(step.shape(0).element_type())) return step.Give(0, g);
  step.Give(0, b.Complex(g, step.Zeros(step.shape())));
}

void TransposeImag(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  step.Give(0, b.Complex(step.Zeros(step.shape()), b.Neg(step.cotangent())));
}

void TransposeReducePrecision(const TapeStep& step) {
  step.Give(
      0, step.out().AddInstruction(Opcode::kReducePrecision, {step.cotangent()},
                                   step.attributes()));
}

void TransposeConvert(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const ElementType from = step.shape(0).element_type();
  Op g = step.cotangent();
  const bool was_complex = IsComplex(from);
  const bool is_complex = IsComplex(step.shape().element_type());
  if (is_complex && !was_complex) g = b.Real(g);
  step.Give(0, ConvertTo(b, g, from));
}

void TransposeAdd(const TapeStep& step) {
  GiveConverted(step, 0, step.cotangent());
  GiveConverted(step, 1, step.cotangent());
}

void TransposeSubtract(const TapeStep& step) {
  GiveConverted(step, 0, step.cotangent());
  if (step.is_linear(1)) {
    GiveConverted(step, 1, step.out().Neg(step.cotangent()));
  }
}

// Behind a select that didn't choose it, an infinite factor gets the cotangent
// 0, and 0 is what it gives: 0 times infinity would be NaN.
void TransposeMultiply(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const Op g = step.cotangent();
  for (size_t i = 0; i < 2; ++i) {
    if (!step.is_linear(i)) continue;
    Op product = b.Mul(g, step.factor(1 - i, /*divides=*/false));
    if (step.is_infinite(1 - i)) {
      const Op zeros = step.Zeros(step.shape());
      product = b.Select(b.Eq(g, zeros), zeros, product);
    }
    GiveConverted(step, i, product);
  }
}

void TransposeDivide(const TapeStep& step) {
  GiveConverted(
      step, 0,
      step.out().Div(step.cotangent(), step.factor(1, /*divides=*/true)));
}

// complex(x, y): real(g), -imag(g).
void TransposeComplex(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  if (step.is_linear(0)) step.Give(0, b.Real(step.cotangent()));
  if (step.is_linear(1)) step.Give(1, b.Neg(b.Imag(step.cotangent())));
}

// JAX gives each of several branches that it computes for all elements the
// operands of those that it is chosen for: select(p, x, x), where the second x
// isn't differentiated. What comes back NaN to the others is from a branch that
// isn't chosen: it is 0. Anything else is as of x.
void TransposeSelect(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const Op zeros = step.Zeros(step.shape());
  const Op g = step.cotangent(), p = step.value(0);
  if (step.is_linear(1) && step.is_same(1, 2)) {
    const Op known = b.Select(b.Eq(g, g), g, zeros);
    return GiveConverted(step, 1, b.Select(p, g, known));
  }
  for (const size_t i : {1u, 2u}) {
    if (!step.is_linear(i)) continue;
    const Op chosen = i == 1 ? b.Select(p, g, zeros) : b.Select(p, zeros, g);
    step.GiveWhere(i, ConvertTo(b, chosen, step.shape(i).element_type()),
                   /*chosen=*/i == 1);
  }
}

void TransposeBroadcast(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const DimIndices& dims =
      As<DimensionsAttributes>(step.attributes()).dimensions;
  const Op sum =
      step.SumOver(step.cotangent(), FreeDims(step.shape().rank(), dims));
  step.Give(0, ReshapeTo(b, sum, step.shape(0)));
}

void TransposeReshape(const TapeStep& step) {
  step.Give(0, ReshapeTo(step.out(), step.cotangent(), step.shape(0)));
}

void TransposeTranspose(const TapeStep& step) {
  step.Give(
      0, TransposeBy(
             step.out(), step.cotangent(),
             Inverse(As<DimensionsAttributes>(step.attributes()).dimensions)));
}

void TransposeReverse(const TapeStep& step) {
  step.Give(0, step.out().Rev(
                   step.cotangent(),
                   As<DimensionsAttributes>(step.attributes()).dimensions));
}

void TransposeShuffle(const TapeStep& step) {
  auto back = As<ShuffleAttributes>(step.attributes());
  for (int64_t& shift : back.shifts) shift = -shift;
  step.Give(0, step.out().AddInstruction(Opcode::kShuffle, {step.cotangent()},
                                         back, step.shape(0)));
}

void TransposeSlice(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const auto& slice = As<SliceAttributes>(step.attributes());
  const Shape operand = step.shape(0), result = step.shape();
  std::vector<PaddingDim> padding;
  for (int i = 0; i < operand.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    const int64_t stride = slice.strides.empty() ? 1 : slice.strides[k];
    const int64_t count = result.dim(i).size();
    const int64_t end = count == 0 ? slice.starts[k]
                                   : slice.starts[k] + (count - 1) * stride + 1;
    padding.push_back(
        {slice.starts[k], operand.dim(i).size() - end, stride - 1});
  }
  if (result.ElementCount() == 0) return;
  step.Give(
      0, b.Pad(step.cotangent(), step.Zero(operand.element_type()), padding));
}

// The operand: what isn't padding. The value: the sum of all that is.
void TransposePad(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const auto& pad = As<PadAttributes>(step.attributes()).padding;
  // Its operands may have other float types than the result.
  Shape operand = step.shape(0);
  operand.set_element_type(step.shape().element_type());
  const Op g = step.cotangent();
  const Op zero = step.Zero(operand.element_type());
  // Negative edges are undone first.
  std::vector<PaddingDim> undo;
  for (const PaddingDim& dim : pad) undo.push_back({-dim.low, -dim.high, 0});
  Op inner;
  if (operand.ElementCount() == 0) {
    inner = step.Zeros(operand);
  } else {
    DimIndices starts, limits, strides;
    for (int i = 0; i < operand.rank(); ++i) {
      const int64_t interior = pad[static_cast<size_t>(i)].interior;
      starts.push_back(0);
      limits.push_back((operand.dim(i).size() - 1) * (interior + 1) + 1);
      strides.push_back(interior + 1);
    }
    inner = b.Slice(b.Pad(g, zero, undo), starts, limits, strides);
  }
  GiveConverted(step, 0, inner);
  if (!step.is_linear(1)) return;
  const DimIndices all = Range(0, operand.rank());
  GiveConverted(step, 1, b.Sub(step.SumOver(g, all), step.SumOver(inner, all)));
}

void TransposeConcatenate(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const auto dim = static_cast<int>(
      As<DimensionsAttributes>(step.attributes()).dimensions[0]);
  int64_t start = 0;
  for (size_t i = 0; i < step.size(); ++i) {
    const int64_t size = step.shape(i).dim(dim).size();
    if (step.is_linear(i)) {
      GiveConverted(
          step, i, b.SliceInDim(step.cotangent(), start, start + size, 1, dim));
    }
    start += size;
  }
}

void TransposeDynamicSlice(const TapeStep& step) {
  step.GivePart(0, step.cotangent(), Starts(step, 1, step.shape(0).rank()));
}

void TransposeDynamicUpdateSlice(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const Shape update = step.shape(1);
  const std::vector<Op> starts = Starts(step, 2, update.rank());
  const Op g = step.cotangent();
  if (step.is_linear(0)) {
    Shape none = update;
    none.set_element_type(step.shape().element_type());
    GiveConverted(step, 0, b.DynamicUpdateSlice(g, step.Zeros(none), starts));
  }
  if (step.is_linear(1)) {
    GiveConverted(step, 1, b.DynamicSlice(g, starts, SizesArg(update.dims())));
  }
}

// A gather clamps the starts of windows, a scatter drops what lies outside.
void TransposeGather(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const auto& gather = As<GatherAttributes>(step.attributes());
  const Shape operand = step.shape(0);
  if (operand.ElementCount() == 0) return;
  ScatterAttributes scatter = ScatterOf(gather, false);
  // What is clamped in one component may no longer be sorted by all.
  if (gather.start_index_map.size() > 1) scatter.indices_are_sorted = false;
  step.Give(0, ScatterAdd(b, step.Zeros(operand),
                          ClampedIndices(b, step.value(1), operand, gather),
                          step.cotangent(), scatter));
}

// A scatter that adds.
void TransposeScatter(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const auto& scatter = As<ScatterAttributes>(step.attributes());
  const Shape operand = step.shape(0), updates = step.shape(2);
  step.Give(0, step.cotangent());
  if (!step.is_linear(2)) return;
  if (operand.ElementCount() == 0) return step.Give(2, step.Zeros(updates));
  const Op indices = step.value(1);
  const Op taken =
      b.Gather(step.cotangent(), indices, GatherOf(scatter, operand, updates));
  step.Give(2, b.Select(InsideMask(b, indices, operand, updates, scatter),
                        taken, step.Zeros(updates)));
}

}  // namespace indim::internal
