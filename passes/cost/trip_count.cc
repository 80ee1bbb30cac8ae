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

// What the element of a loop's state is at the start, if it is constant.
std::optional<int64_t> StartOf(const Instruction& loop, const CallChain* site,
                               int64_t element) {
  const SourceValue place = ElementOf({loop.operand(0), site}, element);
  return ConstantOf(place.node, place.site);
}

// Whether a number is one of the type in all steps: then it didn't wrap.
bool Fits(const StepNumber& number, ElementType type, int64_t count) {
  constexpr int64_t kMost = int64_t{1} << 31;
  if (!IsIntegral(type) || Info(type).bits < 32) return false;
  for (const int64_t at : {number.At(0), number.At(count - 1)}) {
    if (at >= kMost || at < (IsSigned(type) ? -kMost : 0)) return false;
  }
  return true;
}

// Scalars of one loop's body, in each of its steps.
class StepNumbers {
 public:
  StepNumbers(const CallChain* body, int64_t count)
      : body_(*body), count_(count) {}

  std::optional<StepNumber> Of(SourceValue place) {
    if (--left_ < 0) return std::nullopt;
    place = Behind(place);
    std::optional<StepNumber> number;
    if (const auto constant = ConstantOf(place.node, place.site)) {
      number = StepNumber{*constant, 0};
    } else if (place.node.opcode() == Opcode::kCall) {
      const CallChain inner{place.node, 0, place.site};
      number = Of({place.node.callee(0).root(), &inner});
    } else if (place.node.opcode() == Opcode::kGetTupleElement) {
      number = OfElement(place);
    } else {
      number = OfOperands(place);
    }
    if (!number || !Fits(*number, place.node.shape().element_type(), count_)) {
      return std::nullopt;
    }
    return number;
  }

 private:
  std::optional<StepNumber> OfElement(const SourceValue& place) {
    const int64_t index =
        As<GetTupleElementAttributes>(place.node.attributes()).index;
    const SourceValue tuple = Behind({place.node.operand(0), place.site});
    if (tuple.node.opcode() == Opcode::kCall) {
      const CallChain inner{tuple.node, 0, tuple.site};
      const SourceValue element =
          ElementOf({tuple.node.callee(0).root(), &inner}, index);
      if (element.node == Instruction::Nothing()) return std::nullopt;
      return Of(element);
    }
    if (tuple.node.opcode() != Opcode::kParameter || tuple.site != &body_) {
      return std::nullopt;
    }
    const auto start = StartOf(body_.caller, body_.outer, index);
    const auto step = StepOf(body_.caller.callee(0), index);
    if (!start || !step || !IsSmall(*start) || !IsSmall(*step)) {
      return std::nullopt;
    }
    return StepNumber{*start, count_ == 1 ? 0 : *step};
  }

  std::optional<StepNumber> OfOperands(const SourceValue& place) {
    const auto operand = [&](int i) {
      return Of({place.node.operand(i), place.site});
    };
    const Opcode opcode = place.node.opcode();
    if (opcode == Opcode::kConvert) return operand(0);
    if (opcode == Opcode::kSelect) {
      const std::optional<bool> holds =
          Holds({place.node.operand(0), place.site});
      return holds ? operand(*holds ? 1 : 2) : std::nullopt;
    }
    if (opcode != Opcode::kAdd && opcode != Opcode::kSubtract) {
      return std::nullopt;
    }
    const auto x = operand(0), y = operand(1);
    if (!x || !y) return std::nullopt;
    const int64_t sign = opcode == Opcode::kAdd ? 1 : -1;
    return StepNumber{x->start + sign * y->start, x->step + sign * y->step};
  }

  // Whether a comparison holds in all steps, or in none of them.
  std::optional<bool> Holds(SourceValue place) {
    place = Behind(place);
    if (place.node.opcode() != Opcode::kCompare) return std::nullopt;
    const auto x = Of({place.node.operand(0), place.site});
    const auto y = Of({place.node.operand(1), place.site});
    if (!x || !y) return std::nullopt;
    const auto in_step = [&](int64_t k) {
      const int64_t gap = x->At(k) - y->At(k);
      switch (As<CompareAttributes>(place.node.attributes()).direction) {
        case ComparisonDirection::kLt:
          return std::optional<bool>(gap < 0);
        case ComparisonDirection::kLe:
          return std::optional<bool>(gap <= 0);
        case ComparisonDirection::kGt:
          return std::optional<bool>(gap > 0);
        case ComparisonDirection::kGe:
          return std::optional<bool>(gap >= 0);
        default:
          return std::optional<bool>();
      }
    };
    const std::optional<bool> first = in_step(0);
    return first == in_step(count_ - 1) ? first : std::nullopt;
  }

  static bool IsSmall(int64_t x) {
    constexpr int64_t kMost = int64_t{1} << 31;
    return -kMost <= x && x <= kMost;
  }

  const CallChain& body_;
  const int64_t count_;
  int left_ = 256;  // instructions that it looks at
};

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
  const auto bound_of = [&](Instruction node) -> std::optional<int64_t> {
    if (const std::optional<int64_t> bound = ConstantOf(node, nullptr)) {
      return bound;
    }
    const int64_t element = StateElement(node);
    if (element < 0 || !HandsOn(loop, element)) return std::nullopt;
    return StartOf(loop, site, element);
  };
  for (int i = 0; i < 2; ++i) {
    const int64_t counter = StateElement(compare.operand(i));
    if (counter < 0) continue;
    const std::optional<int64_t> bound = bound_of(compare.operand(1 - i));
    const std::optional<int64_t> start = StartOf(loop, site, counter);
    const std::optional<int64_t> step = StepOf(body, counter);
    if (!bound || !start || !step) continue;
    const ComparisonDirection direction =
        As<CompareAttributes>(compare.attributes()).direction;
    return Steps(i == 0 ? direction : Swapped(direction), *start, *step,
                 *bound);
  }
  return std::nullopt;
}

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

std::optional<StepNumber> NumberInStep(const Instruction& node,
                                       const CallChain* site,
                                       const CallChain* body, int64_t count) {
  constexpr int64_t kMost = int64_t{1} << 31;
  if (count < 1 || count > kMost) return std::nullopt;
  return StepNumbers(body, count).Of({node, site});
}

}  // namespace indim::internal
