// SPDX-License-Identifier: Apache-2.0
// Broadcast, transpose, reverse, shuffle, slice, pad, concatenate, iota.

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"
#include "indim/shape/dims/checked_math.h"

namespace indim {

// dimensions[i] is the result dim of operand dim i. Other result dims have
// their recorded size.
std::optional<Value> EvalBroadcast(Evaluation& e) {
  const Shape* declared = e.DeclaredArray();
  if (declared == nullptr || !e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  const DimIndices& map = e.attributes_as<DimensionsAttributes>().dimensions;
  if (static_cast<int>(map.size()) != operand.rank()) {
    return e.Fail("it needs a result dim for each dim of its operand");
  }
  Sizes sizes;
  for (int i = 0; i < declared->rank(); ++i) {
    const bool mapped = std::find(map.begin(), map.end(), i) != map.end();
    if (!mapped && !declared->dim(i).has_upper()) {
      return e.Fail(absl::StrCat("the size of result dim ", i, " isn't known"));
    }
    sizes.push_back(mapped ? -1 : declared->dim(i).size());
  }
  const Sizes strides = StridesOf(operand.sizes());
  for (size_t i = 0; i < map.size(); ++i) {
    if (map[i] < 0 || map[i] >= declared->rank()) {
      return e.Fail(absl::StrCat("its result has no dim ", map[i]));
    }
    int64_t& size = sizes[static_cast<size_t>(map[i])];
    const int64_t own = operand.size(static_cast<int>(i));
    if (size >= 0 && size != own) {
      return e.Fail("two dims of different sizes map to one result dim");
    }
    size = own;
  }
  return MoveElements(e, operand, sizes, nullptr, [&](const Sizes& index) {
    int64_t source = 0;
    for (size_t i = 0; i < map.size(); ++i) {
      source += index[static_cast<size_t>(map[i])] * strides[i];
    }
    return source;
  });
}

std::optional<Value> EvalTranspose(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  const DimIndices& permutation =
      e.attributes_as<DimensionsAttributes>().dimensions;
  DimIndices sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  Sizes sizes, strides;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) {
      return e.Fail("its dimensions are not a permutation");
    }
  }
  if (static_cast<int>(permutation.size()) != operand.rank()) {
    return e.Fail("its dimensions are not those of its operand");
  }
  const Sizes own = StridesOf(operand.sizes());
  for (int64_t dim : permutation) {
    sizes.push_back(operand.size(static_cast<int>(dim)));
    strides.push_back(own[static_cast<size_t>(dim)]);
  }
  return MoveElements(e, operand, sizes, nullptr, [&](const Sizes& index) {
    return LinearIndex(index, strides);
  });
}

std::optional<Value> EvalReverse(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  const DimIndices& dimensions =
      e.attributes_as<DimensionsAttributes>().dimensions;
  for (int64_t dim : dimensions) {
    if (!e.ExpectDim(0, dim)) return std::nullopt;
  }
  const Sizes sizes = operand.sizes(), strides = StridesOf(sizes);
  return MoveElements(e, operand, sizes, nullptr, [&](const Sizes& index) {
    int64_t source = LinearIndex(index, strides);
    for (int64_t dim : dimensions) {
      const size_t d = static_cast<size_t>(dim);
      source += (sizes[d] - 1 - 2 * index[d]) * strides[d];
    }
    return source;
  });
}

// Element i of a dim is element i + shift of the operand, round the end.
std::optional<Value> EvalShuffle(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  const auto& shuffle = e.attributes_as<ShuffleAttributes>();
  if (shuffle.shifts.size() != shuffle.dimensions.size()) {
    return e.Fail("it needs a shift for each of its dimensions");
  }
  const Sizes sizes = operand.sizes(), strides = StridesOf(sizes);
  Sizes shifts(sizes.size(), 0);
  for (size_t i = 0; i < shuffle.shifts.size(); ++i) {
    if (!e.ExpectDim(0, shuffle.dimensions[i])) return std::nullopt;
    const size_t d = static_cast<size_t>(shuffle.dimensions[i]);
    if (sizes[d] == 0) continue;
    shifts[d] = shuffle.shifts[i] % sizes[d];
    if (shifts[d] < 0) shifts[d] += sizes[d];
  }
  return MoveElements(e, operand, sizes, nullptr, [&](const Sizes& index) {
    int64_t source = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t above = sizes[d] - shifts[d];  // no sum may overflow
      source += (index[d] < above ? index[d] + shifts[d] : index[d] - above) *
                strides[d];
    }
    return source;
  });
}

std::optional<Value> EvalSlice(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  const auto& slice = e.attributes_as<SliceAttributes>();
  const size_t rank = static_cast<size_t>(operand.rank());
  if (slice.starts.size() != rank || slice.limits.size() != rank ||
      (!slice.strides.empty() && slice.strides.size() != rank)) {
    return e.Fail("it needs bounds for each dim of its operand");
  }
  const Sizes own = StridesOf(operand.sizes());
  Sizes sizes;
  int64_t first = 0;
  Sizes steps;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t stride = slice.strides.empty() ? 1 : slice.strides[i];
    const int64_t size = operand.size(static_cast<int>(i));
    const bool whole =
        absl::c_linear_search(slice.whole, static_cast<int64_t>(i));
    int64_t start = slice.starts[i], limit = whole ? size : slice.limits[i];
    // A bounded dim may have fewer elements than the slice's bounds.
    const Shape* recorded = e.recorded_operand(0);
    if (recorded != nullptr && recorded->has_rank() &&
        recorded->dim(static_cast<int>(i)).is_bounded()) {
      limit = std::min(limit, size);
      start = std::min(start, limit);
    }
    if (stride < 1 || start < 0 || limit < start) {
      return e.Fail(
          absl::StrCat("its bounds in dim ", i, " are not those of a slice"));
    }
    if (limit > size) {
      return e.Fail(absl::StrCat("its bounds in dim ", i, " reach to ", limit,
                                 ", past ", size, " elements"));
    }
    sizes.push_back((limit - start) / stride + ((limit - start) % stride != 0));
    steps.push_back(sizes.back() > 1 ? stride * own[i] : 0);
    first += start * own[i];
  }
  return MoveElements(e, operand, sizes, nullptr, [&](const Sizes& index) {
    return first + LinearIndex(index, steps);
  });
}

// The result is `low`, element, `interior`, element, ..., `high`. Negative low
// and high remove elements.
std::optional<Value> EvalPad(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  if (!e.operand(1).is_scalar() ||
      !SameTypeIgnoringFloatPrecision(operand.type(), e.operand(1).type())) {
    return e.FailType(1);
  }
  const ElementType type = HigherPrecision(operand.type(), e.operand(1).type())
                               .value_or(operand.type());
  const auto& padding = e.attributes_as<PadAttributes>().padding;
  if (static_cast<int>(padding.size()) != operand.rank()) {
    return e.Fail("it needs padding for each dim of its operand");
  }
  Sizes sizes;
  for (int i = 0; i < operand.rank(); ++i) {
    const PaddingDim& pad = padding[static_cast<size_t>(i)];
    const int64_t size = operand.size(i);
    const std::optional<int64_t> inner =
        CheckedMultiply(std::max<int64_t>(size - 1, 0), pad.interior);
    const std::optional<int64_t> edges = CheckedAdd(pad.low, pad.high);
    const std::optional<int64_t> filled =
        inner ? CheckedAdd(*inner, size) : std::nullopt;
    const std::optional<int64_t> all =
        filled && edges ? CheckedAdd(*filled, *edges) : std::nullopt;
    if (!all || *all < 0 || pad.interior < 0 ||
        pad.interior == std::numeric_limits<int64_t>::max()) {
      return e.Fail(
          absl::StrCat("dim ", i, " would get a size below 0 or too large"));
    }
    sizes.push_back(*all);
  }
  const Value fill =
      Value::Of(type, e.operand(1).At(0));  // of the result's type
  const auto convert = [&]() -> std::optional<Value> {
    if (operand.type() == type) return operand;
    ArrayMaker array;
    if (!e.NewArray(type, operand.sizes(), &array)) return std::nullopt;
    for (int64_t i = 0; i < array.count(); ++i) array.Set(i, operand.At(i));
    return std::move(array).Finish();
  };
  const std::optional<Value> from = convert();
  if (!from) return std::nullopt;
  const Sizes strides = StridesOf(operand.sizes());
  return MoveElements(
      e, *from, sizes, &fill, [&](const Sizes& index) -> int64_t {
        int64_t source = 0;
        for (size_t i = 0; i < index.size(); ++i) {
          // Compare before subtracting: padding may be very negative.
          if (padding[i].low > index[i]) return -1;
          const uint64_t offset = static_cast<uint64_t>(index[i]) -
                                  static_cast<uint64_t>(padding[i].low);
          const uint64_t step = static_cast<uint64_t>(padding[i].interior) + 1;
          const uint64_t place = offset / step;
          if (offset % step != 0 || place >= static_cast<uint64_t>(operand.size(
                                                 static_cast<int>(i)))) {
            return -1;
          }
          source += static_cast<int64_t>(place) * strides[i];
        }
        return source;
      });
}

std::optional<Value> EvalConcatenate(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const DimIndices& dims = e.attributes_as<DimensionsAttributes>().dimensions;
  if (dims.size() != 1 || !e.ExpectDim(0, dims[0])) {
    return e.Fail("it needs one dim to work along");
  }
  const size_t along = static_cast<size_t>(dims[0]);
  Sizes sizes = e.operand(0).sizes();
  // With mixed floats the last operand decides, as in inference.
  ElementType type = e.operand(0).type();
  sizes[along] = 0;
  for (int i = 0; i < e.operand_count(); ++i) {
    const Value& operand = e.operand(i);
    if (!SameTypeIgnoringFloatPrecision(e.operand(0).type(), operand.type())) {
      return e.FailType(i);
    }
    type = HigherPrecision(operand.type(), e.operand(0).type()).value_or(type);
    Sizes own = operand.sizes();
    if (own.size() != sizes.size()) {
      return e.Fail("its operands' ranks differ");
    }
    const std::optional<int64_t> sum = CheckedAdd(sizes[along], own[along]);
    if (!sum) return e.Fail("its result has too many elements");
    own[along] = sizes[along];
    if (own != sizes) return e.Fail("its operands' sizes differ");
    sizes[along] = *sum;
  }
  ArrayMaker result;
  if (!e.NewArray(type, sizes, &result)) return std::nullopt;
  const Sizes strides = StridesOf(sizes);
  int64_t offset = 0;
  for (const Value& operand : e.operands()) {
    int64_t number = 0;
    for (Counter i(operand.sizes()); !i.done(); i.Next(), ++number) {
      const int64_t to =
          LinearIndex(i.index(), strides) + offset * strides[along];
      result.Set(to, operand.At(number));
    }
    offset += operand.size(static_cast<int>(along));
  }
  return std::move(result).Finish();
}

std::optional<Value> EvalIota(Evaluation& e) {
  const Shape* declared = e.DeclaredArray();
  if (declared == nullptr) return std::nullopt;
  const DimIndices& dims = e.attributes_as<DimensionsAttributes>().dimensions;
  if (dims.size() != 1 || dims[0] < 0 || dims[0] >= declared->rank()) {
    return e.Fail("its iota_dimension is outside its result");
  }
  Sizes sizes;
  for (Dim dim : declared->dims()) {
    if (!dim.has_upper()) return e.Fail("its size isn't known");
    sizes.push_back(dim.size());
  }
  const ElementType type = declared->element_type();
  if (!Accepts(TypeMask::kNumber, type)) {
    return e.Fail("only numbers can be counted");
  }
  ArrayMaker result;
  if (!e.NewArray(type, sizes, &result)) return std::nullopt;
  int64_t at = 0;
  for (Counter i(sizes); !i.done(); i.Next(), ++at) {
    const Scalar number = Scalar::Bits(
        static_cast<uint64_t>(i.index()[static_cast<size_t>(dims[0])]));
    result.Set(at, ConvertScalar(ElementType::kS64, type, number));
  }
  return std::move(result).Finish();
}

}  // namespace indim
