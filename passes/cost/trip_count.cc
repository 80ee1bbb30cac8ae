// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/trip_count.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim::internal {
namespace {

// An instruction, and where its computation is called; null: nothing is known
// about its parameters.
struct SourceValue {
  Instruction node;
  const CallChain* site;
  // Tuples in which it was looked for. A module that nobody verified may have
  // more in each other than any shape.
  int depth = 0;
};
constexpr int kMaxDepth = 100;

SourceValue ElementOf(SourceValue tuple, int64_t index);

// What an instruction passes on, behind copies, tuples and calls.
SourceValue Behind(SourceValue place) {
  while (true) {
    const Instruction& node = place.node;
    if (node.opcode() == Opcode::kCopy ||
        node.opcode() == Opcode::kOptimizationBarrier) {
      place.node = node.operand(0);
    } else if (node.opcode() == Opcode::kGetTupleElement) {
      const SourceValue element =
          ElementOf({node.operand(0), place.site, place.depth},
                    As<GetTupleElementAttributes>(node.attributes()).index);
      if (element.node == Instruction::Nothing()) return place;
      place = element;
    } else if (node.opcode() == Opcode::kParameter && place.site != nullptr &&
               place.site->caller.opcode() != Opcode::kWhile) {
      const CallChain& site = *place.site;
      const int operand =
          site.caller.opcode() == Opcode::kConditional
              ? site.callee + 1
              : static_cast<int>(
                    As<ParameterAttributes>(node.attributes()).number);
      site.looked_at.insert(operand);
      place = {site.caller.operand(operand), site.outer, place.depth};
    } else {
      return place;
    }
  }
}

// The element of the state that an instruction of the body or the condition is;
// -1: it is none.
int64_t StateElement(const Instruction& inner) {
  const Instruction node = Behind({inner, nullptr}).node;
  if (node.opcode() != Opcode::kGetTupleElement ||
      Behind({node.operand(0), nullptr}).node.opcode() != Opcode::kParameter) {
    return -1;
  }
  return As<GetTupleElementAttributes>(node.attributes()).index;
}

bool HandsOn(const Instruction& loop, int64_t index) {
  const SourceValue next = ElementOf({loop.callee(0).root(), nullptr}, index);
  return StateElement(next.node) == index;
}

// The element of a tuple; Nothing(): it isn't known.
SourceValue ElementOf(SourceValue tuple, int64_t index) {
  while (tuple.depth < kMaxDepth) {
    ++tuple.depth;
    tuple = Behind(tuple);
    if (tuple.node.opcode() == Opcode::kTuple) {
      return {tuple.node.operand(static_cast<int>(index)), tuple.site,
              tuple.depth};
    }
    if (tuple.node.opcode() != Opcode::kParameter || tuple.site == nullptr ||
        !HandsOn(tuple.site->caller, index)) {
      return {Instruction::Nothing(), nullptr};
    }
    tuple = {tuple.site->caller.operand(0), tuple.site->outer, tuple.depth};
  }
  return {Instruction::Nothing(), nullptr};
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
  const Instruction next =
      Behind(ElementOf({body.root(), nullptr}, counter)).node;
  if (next.operand_count() != 2) return std::nullopt;
  const bool minus = next.opcode() == Opcode::kSubtract;
  if (next.opcode() != Opcode::kAdd && !minus) return std::nullopt;
  for (int i = 0; i < (minus ? 1 : 2); ++i) {
    if (StateElement(next.operand(i)) != counter) continue;
    const std::optional<int64_t> step =
        ConstantOf(next.operand(1 - i), nullptr);
    if (step) return minus ? -*step : *step;
  }
  return std::nullopt;
}

// {"known_trip_count":{"n":"10"}}, the note of XLA's passes.
std::optional<int64_t> NotedTripCount(const Instruction& loop) {
  const FieldList fields = FieldsOf(loop);
  absl::string_view text =
      fields.Text(field::HloInstructionProto::kBackendConfig);
  for (const absl::string_view word : {"\"known_trip_count\"", "\"n\""}) {
    const size_t at = text.find(word);
    if (at == absl::string_view::npos) return std::nullopt;
    text.remove_prefix(at + word.size());
  }
  text = text.substr(0, text.find('}'));
  text.remove_prefix(std::min(text.size(), text.find_first_of("0123456789")));
  int64_t count;
  const size_t digits = text.find_first_not_of("0123456789");
  return absl::SimpleAtoi(text.substr(0, digits), &count)
             ? std::optional<int64_t>(count)
             : std::nullopt;
}

}  // namespace

std::optional<int64_t> ConstantOf(const Instruction& inner,
                                  const CallChain* site) {
  const Instruction node = Behind({inner, site}).node;
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

std::optional<int64_t> TripCount(const Instruction& loop,
                                 const CallChain* site) {
  if (const std::optional<int64_t> noted = NotedTripCount(loop)) return noted;
  const Computation body = loop.callee(0), condition = loop.callee(1);
  const Instruction compare = Behind({condition.root(), nullptr}).node;
  if (compare.opcode() != Opcode::kCompare) return std::nullopt;
  const auto at_start = [&](int64_t element) {
    const SourceValue place = ElementOf({loop.operand(0), site}, element);
    return ConstantOf(place.node, place.site);
  };
  const auto bound_of = [&](Instruction node) -> std::optional<int64_t> {
    if (const std::optional<int64_t> bound = ConstantOf(node, nullptr)) {
      return bound;
    }
    const int64_t element = StateElement(node);
    if (element < 0 || !HandsOn(loop, element)) return std::nullopt;
    return at_start(element);
  };
  for (int i = 0; i < 2; ++i) {
    const int64_t counter = StateElement(compare.operand(i));
    if (counter < 0) continue;
    const std::optional<int64_t> bound = bound_of(compare.operand(1 - i));
    const std::optional<int64_t> start = at_start(counter);
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
