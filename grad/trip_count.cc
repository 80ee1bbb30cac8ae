// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/trip_count.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "indim/proto/codec/literal.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim::internal {
namespace {

// What an instruction passes on, behind copies and tuples.
Instruction Behind(Instruction node) {
  while (true) {
    if (node.opcode() == Opcode::kCopy) {
      node = node.operand(0);
    } else if (node.opcode() == Opcode::kGetTupleElement &&
               node.operand(0).opcode() == Opcode::kTuple) {
      node = node.operand(0).operand(static_cast<int>(
          As<GetTupleElementAttributes>(node.attributes()).index));
    } else {
      return node;
    }
  }
}

// The integer that a scalar is, if it is constant.
std::optional<int64_t> ConstantOf(Instruction node) {
  node = Behind(node);
  if (node.opcode() != Opcode::kConstant || !node.shape().is_scalar() ||
      !IsIntegral(node.shape().element_type())) {
    return std::nullopt;
  }
  const absl::StatusOr<Literal> literal = node.literal();
  if (!literal.ok()) return std::nullopt;
  const double value = literal->AsDouble(0);
  if (value > 9e15 || value < -9e15) return std::nullopt;
  return static_cast<int64_t>(value);
}

// The element of the state that an instruction of the body or the condition is;
// -1: it is none.
int64_t StateElement(Instruction node) {
  node = Behind(node);
  if (node.opcode() != Opcode::kGetTupleElement ||
      Behind(node.operand(0)).opcode() != Opcode::kParameter) {
    return -1;
  }
  return As<GetTupleElementAttributes>(node.attributes()).index;
}

// The element of a tuple; Nothing(): it isn't known.
Instruction ElementOf(Instruction tuple, int64_t index) {
  tuple = Behind(tuple);
  return tuple.opcode() == Opcode::kTuple
             ? tuple.operand(static_cast<int>(index))
             : Instruction::Nothing();
}

// How often a counter from `start` by `step` on holds the comparison with
// `bound`.
std::optional<int64_t> Steps(ComparisonDirection direction, int64_t start,
                             int64_t step, int64_t bound) {
  const int64_t gap = bound - start;
  const auto ceil_div = [](int64_t a, int64_t b) {
    return a <= 0 ? 0 : (a + b - 1) / b;
  };
  switch (direction) {
    case ComparisonDirection::kLt:
      if (step > 0) return ceil_div(gap, step);
      return gap <= 0 ? std::optional<int64_t>(0) : std::nullopt;
    case ComparisonDirection::kLe:
      if (step > 0) return ceil_div(gap + 1, step);
      return gap < 0 ? std::optional<int64_t>(0) : std::nullopt;
    case ComparisonDirection::kGt:
      if (step < 0) return ceil_div(-gap, -step);
      return gap >= 0 ? std::optional<int64_t>(0) : std::nullopt;
    case ComparisonDirection::kGe:
      if (step < 0) return ceil_div(1 - gap, -step);
      return gap > 0 ? std::optional<int64_t>(0) : std::nullopt;
    case ComparisonDirection::kNe:
      if (gap == 0) return 0;
      if (step == 0 || gap % step != 0 || gap / step < 0) return std::nullopt;
      return gap / step;
    case ComparisonDirection::kEq:
      return gap != 0 ? std::optional<int64_t>(0) : std::nullopt;
  }
  return std::nullopt;
}

ComparisonDirection Swapped(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kLt:
      return ComparisonDirection::kGt;
    case ComparisonDirection::kGt:
      return ComparisonDirection::kLt;
    case ComparisonDirection::kLe:
      return ComparisonDirection::kGe;
    case ComparisonDirection::kGe:
      return ComparisonDirection::kLe;
    default:
      return direction;
  }
}

// By how much the body changes the counter.
std::optional<int64_t> StepOf(const Computation& body, int64_t counter) {
  const Instruction next = Behind(ElementOf(body.root(), counter));
  if (next.operand_count() != 2) return std::nullopt;
  const bool minus = next.opcode() == Opcode::kSubtract;
  if (next.opcode() != Opcode::kAdd && !minus) return std::nullopt;
  for (int i = 0; i < (minus ? 1 : 2); ++i) {
    if (StateElement(next.operand(i)) != counter) continue;
    const std::optional<int64_t> step = ConstantOf(next.operand(1 - i));
    if (step) return minus ? -*step : *step;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> TripCount(const Instruction& loop) {
  const Computation body = loop.callee(0), condition = loop.callee(1);
  const Instruction init = loop.operand(0);
  const Instruction compare = Behind(condition.root());
  if (compare.opcode() != Opcode::kCompare) return std::nullopt;
  const auto bound_of = [&](Instruction node) -> std::optional<int64_t> {
    if (const std::optional<int64_t> constant = ConstantOf(node)) {
      return constant;
    }
    const int64_t element = StateElement(node);
    if (element < 0 ||
        StateElement(ElementOf(body.root(), element)) != element) {
      return std::nullopt;
    }
    return ConstantOf(ElementOf(init, element));
  };
  for (int i = 0; i < 2; ++i) {
    const int64_t counter = StateElement(compare.operand(i));
    if (counter < 0) continue;
    const std::optional<int64_t> bound = bound_of(compare.operand(1 - i));
    const std::optional<int64_t> start = ConstantOf(ElementOf(init, counter));
    const std::optional<int64_t> step = StepOf(body, counter);
    if (!bound || !start || !step) continue;
    const ComparisonDirection direction =
        As<CompareAttributes>(compare.attributes()).direction;
    return Steps(i == 0 ? direction : Swapped(direction), *start, *step,
                 *bound);
  }
  return std::nullopt;
}

}  // namespace indim::internal
