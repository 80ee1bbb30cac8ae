// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/eval_util.h"

#include <algorithm>
#include <limits>

#include "indim/shape/dims/checked_math.h"
#include "indim/shape/types/shape_parts.h"

namespace indim {

std::optional<int64_t> CountOf(const Sizes& sizes) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  int64_t count = 1;
  for (int64_t size : sizes) {
    const std::optional<int64_t> product = CheckedMultiply(count, size);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

Sizes Selected(const Sizes& values, const DimIndices& dims) {
  Sizes selected;
  for (int64_t dim : dims) selected.push_back(values[static_cast<size_t>(dim)]);
  return selected;
}

bool AreDims(const DimIndices& list, int rank) {
  DimIndices sorted = list;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] < 0 || sorted[i] >= rank ||
        (i > 0 && sorted[i] == sorted[i - 1])) {
      return false;
    }
  }
  return true;
}

// --- Tuples ------------------------------------------------------------------
std::vector<Value> AllOperands(const Evaluation& e) {
  return std::vector<Value>(e.operands().begin(), e.operands().end());
}

std::optional<Value> TupleOf(Evaluation& e, std::vector<Value> elements) {
  Value tuple = Value::Tuple(std::move(elements));
  if (tuple.is_none()) return e.Fail("its tuple nests too deep");
  return tuple;
}

Value FinishAll(std::vector<ArrayMaker> arrays, bool tuple) {
  std::vector<Value> values;
  for (ArrayMaker& array : arrays) {
    values.push_back(std::move(array).Finish());
  }
  return tuple || values.size() != 1 ? Value::Tuple(std::move(values))
                                     : std::move(values[0]);
}

std::optional<Value> Zeros(Evaluation& e, const Shape& shape) {
  if (shape.is_token()) return Value::Token();
  if (shape.is_tuple()) {
    std::vector<Value> elements;
    for (const Shape& element : shape.elements()) {
      std::optional<Value> zeros = Zeros(e, element);
      if (!zeros) return std::nullopt;
      elements.push_back(*std::move(zeros));
    }
    return TupleOf(e, std::move(elements));
  }
  if (!shape.has_rank() || !shape.is_static()) {
    return e.Fail("the size of its state isn't known");
  }
  ArrayMaker zeros;
  if (!e.NewArray(shape.element_type(), SizesOf(shape), &zeros))
    return std::nullopt;
  return std::move(zeros).Finish();
}

std::optional<Value> Started(Evaluation& e, Value read, Value written) {
  std::vector<Value> elements = {std::move(read), std::move(written)};
  const Shape* declared = e.declared();
  if (declared != nullptr && declared->tuple_size() > 2) {
    for (const Shape& context : declared->elements().subspan(2)) {
      std::optional<Value> zeros = Zeros(e, context);
      if (!zeros) return std::nullopt;
      elements.push_back(*std::move(zeros));
    }
  }
  return TupleOf(e, std::move(elements));
}

// --- Positions ---------------------------------------------------------------
int64_t Position(ElementType type, const Scalar& value) {
  if (IsUnsigned(type) && value.integer() < 0) {
    return std::numeric_limits<int64_t>::max();
  }
  return value.integer();
}

std::optional<Sizes> ClampedStarts(Evaluation& e, int first, const Sizes& whole,
                                   const Sizes& slice) {
  Sizes starts;
  const int count = e.operand_count() - first;
  const bool vector = count == 1 && e.operand(first).rank() == 1;
  for (int i = first; i < e.operand_count(); ++i) {
    const Value& operand = e.operand(i);
    if (!operand.is_array() || !IsIntegral(operand.type()) ||
        (!vector && !operand.is_scalar())) {
      return e.FailType(i);
    }
    for (int64_t n = 0; n < operand.count(); ++n) {
      starts.push_back(Position(operand.type(), operand.At(n)));
    }
  }
  if (starts.size() != whole.size()) {
    return e.Fail("it needs a start index for each dim");
  }
  for (size_t i = 0; i < starts.size(); ++i) {
    starts[i] = std::min(std::max<int64_t>(starts[i], 0), whole[i] - slice[i]);
  }
  return starts;
}

}  // namespace indim
