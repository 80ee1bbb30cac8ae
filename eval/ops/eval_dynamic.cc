// SPDX-License-Identifier: Apache-2.0
// Dynamic slices, whose starts are operands, and sizes of dims.
//
// Source of the clamping: XLA's operation semantics.

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/memory.h"

namespace indim {
// --- Dynamic slices ----------------------------------------------------------
std::optional<Value> EvalDynamicSlice(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  const Sizes whole = operand.sizes(), strides = StridesOf(whole);
  Sizes sizes = e.attributes_as<DynamicSliceAttributes>().slice_sizes;
  if (sizes.size() != whole.size()) {
    return e.Fail("it needs a slice size for each dim of its operand");
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    // A slice of all of a bounded dim takes the elements up to its size.
    const Shape* recorded = e.recorded_operand(0);
    if (recorded != nullptr && recorded->has_rank() &&
        recorded->dim(static_cast<int>(i)).is_bounded() &&
        recorded->dim(static_cast<int>(i)).size() == sizes[i] && sizes[i] > 1) {
      sizes[i] = whole[i];
    }
    if (sizes[i] < 0 || sizes[i] > whole[i]) {
      return e.Fail(absl::StrCat("a slice of ", sizes[i], " elements of ",
                                 whole[i], " along dim ", i));
    }
  }
  const std::optional<Sizes> starts = ClampedStarts(e, 1, whole, sizes);
  if (!starts) return std::nullopt;
  const int64_t first = LinearIndex(*starts, strides);
  return MoveElements(e, operand, sizes, nullptr, [&](const Sizes& index) {
    return first + LinearIndex(index, strides);
  });
}

std::optional<Value> EvalDynamicUpdateSlice(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  const Value& update = e.operand(1);
  if (!SameTypeIgnoringFloatPrecision(operand.type(), update.type())) {
    return e.FailType(1);
  }
  const Sizes whole = operand.sizes(), part = update.sizes();
  if (whole.size() != part.size()) return e.Fail("its operands' ranks differ");
  for (size_t i = 0; i < whole.size(); ++i) {
    if (part[i] > whole[i]) {
      return e.Fail(absl::StrCat("the update is larger along dim ", i));
    }
  }
  const std::optional<Sizes> starts = ClampedStarts(e, 2, whole, part);
  if (!starts) return std::nullopt;
  ArrayMaker result;
  if (!e.NewArray(operand.type(), whole, &result)) return std::nullopt;
  result.CopyAll(operand);
  const Sizes strides = StridesOf(whole);
  const int64_t first = LinearIndex(*starts, strides);
  int64_t number = 0;
  for (Counter i(part); !i.done(); i.Next(), ++number) {
    result.Set(first + LinearIndex(i.index(), strides), update.At(number));
  }
  return std::move(result).Finish();
}

// --- Sizes -------------------------------------------------------------------
std::optional<Value> EvalGetDimensionSize(Evaluation& e) {
  const DimIndices& dims = e.attributes_as<DimensionsAttributes>().dimensions;
  if (dims.size() != 1 || !e.ExpectDim(0, dims[0])) {
    return e.Fail("it needs one dim of its operand");
  }
  const int64_t size = e.operand(0).size(static_cast<int>(dims[0]));
  return Value::Of(ElementType::kS32,
                   Scalar::Bits(static_cast<uint64_t>(size)));
}

// The first elements along the dim; where it grows, elements of its memory.
std::optional<Value> EvalSetDimensionSize(Evaluation& e) {
  const DimIndices& dims = e.attributes_as<DimensionsAttributes>().dimensions;
  if (dims.size() != 1 || !e.ExpectDim(0, dims[0])) {
    return e.Fail("it needs one dim of its operand");
  }
  const Value& operand = e.operand(0);
  if (!e.operand(1).is_scalar() || !IsIntegral(e.operand(1).type())) {
    return e.FailType(1);
  }
  const int dim = static_cast<int>(dims[0]);
  const Shape* recorded = e.recorded_operand(0);
  const bool bounded = recorded != nullptr && recorded->has_rank() &&
                       dim < recorded->rank() &&
                       recorded->dim(dim).is_bounded();
  const int64_t most = bounded ? recorded->dim(dim).size() : operand.size(dim);
  const int64_t size = Position(e.operand(1).type(), e.operand(1).At(0));
  if (size < 0 || size > most) {
    return e.Fail(absl::StrCat("dim ", dim, " can't have the size ", size,
                               bounded ? ": its bound is " : ": there are ",
                               most, bounded ? "" : " elements"));
  }
  const Value* whole = WholeOperand(e, 0);
  if (whole == nullptr && size > operand.size(dim)) {
    return e.FailMemory(dim, size, operand.size(dim));
  }
  Sizes sizes = operand.sizes();
  sizes[static_cast<size_t>(dim)] = size;
  if (whole == nullptr) return FirstOf(e, operand, sizes);
  return LiveOf(e, *whole, sizes, e.declared());
}

}  // namespace indim
