// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/trip_count.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

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
struct InnerSite;
struct SourceValue {
  Instruction node;
  const CallChain* site;
  // Tuples and calls in which it was looked for. A module that nobody verified
  // may have more in each other than any shape.
  int depth = 0;
  // The site, if it is a call that was entered on the way.
  std::shared_ptr<const InnerSite> entered = nullptr;

  SourceValue Operand(int i) const {
    return {node.operand(i), site, depth, entered};
  }
};
struct InnerSite {
  CallChain chain;
  std::shared_ptr<const InnerSite> outer;
};
constexpr int kMaxDepth = 100;
constexpr int kPerLoop = kMaxDepth / 4;  // of a loop that counts for another

SourceValue ElementOf(SourceValue tuple, int64_t index);

// The result of a call, in the computation that it calls.
SourceValue ResultOf(const SourceValue& call) {
  auto inner = std::make_shared<InnerSite>(
      InnerSite{{call.node, 0, call.site}, call.entered});
  const CallChain* const site = &inner->chain;
  return {call.node.callee(0).root(), site, call.depth + 1, std::move(inner)};
}

// What an instruction passes on, behind copies, reshapes to the same shape,
// tuples and calls.
SourceValue Behind(SourceValue place) {
  while (true) {
    const Instruction& node = place.node;
    if (node.opcode() == Opcode::kCopy ||
        node.opcode() == Opcode::kOptimizationBarrier ||
        (node.opcode() == Opcode::kReshape &&
         node.shape() == node.operand(0).shape())) {
      place.node = node.operand(0);
    } else if (node.opcode() == Opcode::kGetTupleElement) {
      SourceValue element =
          ElementOf(place.Operand(0),
                    As<GetTupleElementAttributes>(node.attributes()).index);
      if (element.node == Instruction::Nothing()) return place;
      place = std::move(element);
    } else if (node.opcode() == Opcode::kCall && place.depth < kMaxDepth) {
      place = ResultOf(place);
    } else if (node.opcode() == Opcode::kParameter && place.site != nullptr &&
               place.site->caller.opcode() != Opcode::kWhile) {
      const CallChain& site = *place.site;
      const int operand =
          site.caller.opcode() == Opcode::kConditional
              ? site.callee + 1
              : static_cast<int>(
                    As<ParameterAttributes>(node.attributes()).number);
      site.looked_at.insert(operand);
      place = {site.caller.operand(operand), site.outer, place.depth,
               place.entered != nullptr ? place.entered->outer : nullptr};
    } else {
      return place;
    }
  }
}

std::optional<int64_t> ConstantBehindLoop(const SourceValue& element);

// Nothing() has no value.
std::optional<int64_t> ConstantAt(const SourceValue& inner) {
  if (inner.node == Instruction::Nothing()) return std::nullopt;
  const SourceValue place = Behind(inner);
  const Instruction node = place.node;
  if (node.opcode() == Opcode::kGetTupleElement) {
    return ConstantBehindLoop(place);
  }
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
int64_t StateElement(const SourceValue& inner) {
  const SourceValue place = Behind(inner);
  if (place.node.opcode() != Opcode::kGetTupleElement) return -1;
  const SourceValue state = Behind(place.Operand(0));
  if (state.node.opcode() != Opcode::kParameter || state.site != nullptr) {
    return -1;
  }
  return As<GetTupleElementAttributes>(place.node.attributes()).index;
}

bool HandsOn(const Instruction& loop, int64_t index) {
  return StateElement(ElementOf({loop.callee(0).root(), nullptr}, index)) ==
         index;
}

// The element of a tuple; Nothing(): it isn't known.
SourceValue ElementOf(SourceValue tuple, int64_t index) {
  while (tuple.depth < kMaxDepth) {
    ++tuple.depth;
    tuple = Behind(tuple);
    if (tuple.node.opcode() == Opcode::kTuple) {
      return tuple.Operand(static_cast<int>(index));
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

// StepOf; `depth` as of a SourceValue.
std::optional<int64_t> StepIn(const Computation& body, int64_t counter,
                              int depth) {
  const SourceValue element = ElementOf({body.root(), nullptr, depth}, counter);
  if (element.node == Instruction::Nothing()) return std::nullopt;
  const SourceValue next = Behind(element);
  if (next.node.operand_count() != 2) return std::nullopt;
  const bool minus = next.node.opcode() == Opcode::kSubtract;
  if (next.node.opcode() != Opcode::kAdd && !minus) return std::nullopt;
  for (int i = 0; i < (minus ? 1 : 2); ++i) {
    if (StateElement(next.Operand(i)) != counter) continue;
    const std::optional<int64_t> step = ConstantAt(next.Operand(1 - i));
    if (step) return minus ? -*step : *step;
  }
  return std::nullopt;
}

// What the element of a loop's state is at the start, if it is constant.
std::optional<int64_t> StartOf(const SourceValue& loop, int64_t element) {
  return ConstantAt(ElementOf(loop.Operand(0), element));
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
    if (const auto constant = ConstantAt(place)) {
      number = StepNumber{*constant, 0};
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
    const SourceValue tuple = Behind(place.Operand(0));
    if (tuple.node.opcode() != Opcode::kParameter || tuple.site != &body_) {
      return std::nullopt;
    }
    const auto start = StartOf({body_.caller, body_.outer}, index);
    const auto step = StepIn(body_.caller.callee(0), index, 0);
    if (!start || !step || !IsSmall(*start) || !IsSmall(*step)) {
      return std::nullopt;
    }
    return StepNumber{*start, count_ == 1 ? 0 : *step};
  }

  std::optional<StepNumber> OfOperands(const SourceValue& place) {
    const auto operand = [&](int i) { return Of(place.Operand(i)); };
    const Opcode opcode = place.node.opcode();
    if (opcode == Opcode::kConvert) return operand(0);
    if (opcode == Opcode::kSelect) {
      const std::optional<bool> holds = Holds(place.Operand(0));
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
    const auto x = Of(place.Operand(0));
    const auto y = Of(place.Operand(1));
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

// How often a loop runs, as far as its condition says.
class TripCounter {
 public:
  explicit TripCounter(SourceValue loop) : loop_(std::move(loop)) {}

  std::optional<Trips> Count() {
    if (const auto noted = NotedTripCount(loop_.node)) {
      return Trips{*noted, true};
    }
    return While({loop_.node.callee(1).root(), nullptr, loop_.depth});
  }

 private:
  // How long a value of the condition's holds. Of several that must all hold
  // the first that doesn't decides.
  std::optional<Trips> While(const SourceValue& value) {
    if (--left_ < 0) return std::nullopt;
    const SourceValue place = Behind(value);
    if (place.node.opcode() == Opcode::kCompare) return WhileCompares(place);
    if (place.node.opcode() != Opcode::kAnd) return std::nullopt;
    const auto x = While(place.Operand(0)), y = While(place.Operand(1));
    if (!x && !y) return std::nullopt;
    const int64_t most =
        x && y ? std::min(x->most, y->most) : (x ? x->most : y->most);
    return Trips{most, most == 0 || (x && y && x->is_exact && y->is_exact)};
  }

  std::optional<Trips> WhileCompares(const SourceValue& compare) {
    for (int i = 0; i < 2; ++i) {
      const int64_t counter = StateElement(compare.Operand(i));
      if (counter < 0) continue;
      const std::optional<int64_t> bound = BoundOf(compare.Operand(1 - i));
      const std::optional<int64_t> start = StartOf(loop_, counter);
      const std::optional<int64_t> step =
          StepIn(loop_.node.callee(0), counter, loop_.depth);
      if (!bound || !start || !step) continue;
      const ComparisonDirection direction =
          As<CompareAttributes>(compare.node.attributes()).direction;
      const std::optional<int64_t> steps =
          Steps(i == 0 ? direction : Swapped(direction), *start, *step, *bound);
      return steps ? std::optional<Trips>({*steps, true}) : std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<int64_t> BoundOf(const SourceValue& value) {
    if (const auto bound = ConstantAt(value)) return bound;
    const int64_t element = StateElement(value);
    if (element < 0 || !HandsOn(loop_.node, element)) return std::nullopt;
    return StartOf(loop_, element);
  }

  const SourceValue loop_;
  // Values that it looks at; of loops that count for others fewer, so that all
  // together stay few.
  int left_ = std::max(64 >> (loop_.depth / kPerLoop * 2), 4);
};

// What a part of a loop's state is in the end: a loop that goes back through
// the steps of another one counts these.
std::optional<int64_t> ConstantBehindLoop(const SourceValue& element) {
  SourceValue loop = Behind(element.Operand(0));
  loop.depth += kPerLoop;
  if (loop.node.opcode() != Opcode::kWhile || loop.depth >= kMaxDepth) {
    return std::nullopt;
  }
  const int64_t index =
      As<GetTupleElementAttributes>(element.node.attributes()).index;
  const std::optional<int64_t> start = StartOf(loop, index);
  if (!start || HandsOn(loop.node, index)) return start;
  const std::optional<int64_t> step =
      StepIn(loop.node.callee(0), index, loop.depth);
  const auto trips = TripCounter(loop).Count();
  if (!step || !trips || !trips->is_exact) return std::nullopt;
  const StepNumber number{*start, *step};
  return trips->most > 0 && !Fits(number, element.node.shape().element_type(),
                                  trips->most + 1)
             ? std::nullopt
             : std::optional<int64_t>(number.At(trips->most));
}

}  // namespace

std::optional<int64_t> ConstantOf(const Instruction& node,
                                  const CallChain* site) {
  return ConstantAt({node, site});
}

std::optional<int64_t> TripCount(const Instruction& loop,
                                 const CallChain* site) {
  const auto trips = TripsOf(loop, site);
  return trips && trips->is_exact ? std::optional<int64_t>(trips->most)
                                  : std::nullopt;
}

std::optional<Trips> TripsOf(const Instruction& loop, const CallChain* site) {
  return TripCounter({loop, site}).Count();
}

std::optional<int64_t> StepOf(const Computation& body, int64_t counter) {
  return StepIn(body, counter, 0);
}

std::optional<StepNumber> NumberInStep(const Instruction& node,
                                       const CallChain* site,
                                       const CallChain* body, int64_t count) {
  constexpr int64_t kMost = int64_t{1} << 31;
  if (count < 1 || count > kMost) return std::nullopt;
  return StepNumbers(body, count).Of({node, site});
}

}  // namespace indim::internal
