// SPDX-License-Identifier: Apache-2.0
// bitcast-convert reads bits as another type, bitcast reads memory as another
// shape.

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"

namespace indim {
namespace {

// All elements as one string of bits, starting with the first one's lowest bit.
class Bits {
 public:
  explicit Bits(const Value& from)
      : from_(from), element_(Info(from.type()).bits) {}
  bool At(int64_t i) const {
    const int64_t bit = i % element_;
    const size_t byte =
        static_cast<size_t>((i / element_) * from_.width() + bit / 8);
    return (from_.bytes()[byte] >> (bit % 8) & 1) != 0;
  }

 private:
  const Value& from_;
  const int64_t element_;
};

void CopyBits(const Value& from, ElementType type, std::string* to) {
  const Bits bits(from);
  const int64_t element = Info(type).bits, width = ElementBytes(type);
  const int64_t total = static_cast<int64_t>(to->size()) / width * element;
  for (int64_t i = 0; i < total; ++i) {
    if (!bits.At(i)) continue;
    const int64_t bit = i % element;
    (*to)[static_cast<size_t>(i / element * width + bit / 8)] |=
        static_cast<char>(1 << (bit % 8));
  }
}

// The bits of `from` as elements of `type` in `sizes`, with the same number of
// bits.
std::optional<Value> SameBits(Evaluation& e, const Value& from,
                              ElementType type, const Sizes& sizes) {
  if (Info(type).bits == Info(from.type()).bits && type != ElementType::kPred) {
    return from.Reinterpreted(type, sizes);
  }
  ArrayMaker result;
  if (!e.NewArray(type, sizes, &result) ||
      !e.Charge(from.count() * Info(from.type()).bits)) {
    return std::nullopt;
  }
  std::string bytes(static_cast<size_t>(result.count() * ElementBytes(type)),
                    '\0');
  CopyBits(from, type, &bytes);
  const Value copied = Value::Array(type, sizes, std::move(bytes));
  for (int64_t i = 0; i < result.count(); ++i) result.Set(i, copied.At(i));
  return std::move(result).Finish();
}

// The dims in the order of memory, the outermost first.
Sizes PhysicalOrder(const Shape* shape, int rank) {
  Sizes order;
  for (int i = 0; i < rank; ++i) order.push_back(i);
  if (shape == nullptr || shape->layout() == nullptr) return order;
  const auto& minor_to_major = shape->layout()->minor_to_major;
  if (static_cast<int>(minor_to_major.size()) == rank) {
    order.assign(minor_to_major.rbegin(), minor_to_major.rend());
  }
  return order;
}

}  // namespace

// A narrower type adds a last dim for the parts; a wider one removes it.
std::optional<Value> EvalBitcastConvert(Evaluation& e) {
  const Shape* declared = e.declared();
  if (!e.ExpectArrays()) return std::nullopt;
  if (declared == nullptr || !declared->is_array()) {
    return e.Fail("the element type that it gives isn't recorded");
  }
  const Value& operand = e.operand(0);
  const ElementType type = declared->element_type();
  const int from = Info(operand.type()).bits, to = Info(type).bits;
  if (to == 0 || IsComplex(operand.type()) != IsComplex(type)) {
    return e.FailType(0);
  }
  // Inference takes a pred as one bit, memory as a byte.
  if (operand.type() != type &&
      (operand.type() == ElementType::kPred || type == ElementType::kPred)) {
    return e.FailType(0);
  }
  Sizes sizes = operand.sizes();
  if (from > to) {
    if (from % to != 0) return e.FailType(0);
    sizes.push_back(from / to);
  } else if (from < to) {
    if (to % from != 0 || sizes.empty() || sizes.back() != to / from) {
      return e.Fail(absl::StrCat("its operand's last dim must be ", to / from));
    }
    sizes.pop_back();
  }
  return SameBits(e, operand, type, sizes);
}

// Reads the operand's bytes, as its recorded layout orders them, in the order
// of the result's layout. Without a layout memory is row-major.
std::optional<Value> EvalBitcast(Evaluation& e) {
  const Shape* declared = e.DeclaredArray();
  if (declared == nullptr || !e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  Sizes sizes;
  for (Dim dim : declared->dims()) {
    if (!dim.is_static()) return e.Fail("its size isn't known");
    sizes.push_back(dim.size());
  }
  const std::optional<int64_t> count = CountOf(sizes);
  const ElementType type = declared->element_type();
  if (!count || *count > std::numeric_limits<int64_t>::max() / 128 ||
      *count * Info(type).bits != operand.count() * Info(operand.type()).bits) {
    return e.Fail("it doesn't keep the number of bits");
  }
  const Sizes from_order = PhysicalOrder(e.recorded_operand(0), operand.rank());
  const Sizes to_order = PhysicalOrder(declared, declared->rank());

  const Sizes own_strides = Selected(StridesOf(operand.sizes()), from_order);
  const std::optional<Value> memory = MoveElements(
      e, operand, Selected(operand.sizes(), from_order), nullptr,
      [&](const Sizes& index) { return LinearIndex(index, own_strides); });
  if (!memory) return std::nullopt;
  const Sizes physical = Selected(sizes, to_order);
  const std::optional<Value> read = SameBits(e, *memory, type, physical);
  if (!read) return std::nullopt;
  const Sizes physical_strides = StridesOf(physical);
  Sizes strides(sizes.size());
  for (size_t i = 0; i < to_order.size(); ++i) {
    strides[static_cast<size_t>(to_order[i])] = physical_strides[i];
  }
  return MoveElements(e, *read, sizes, nullptr, [&](const Sizes& index) {
    return LinearIndex(index, strides);
  });
}

}  // namespace indim
