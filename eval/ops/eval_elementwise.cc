// SPDX-License-Identifier: Apache-2.0
// Elementwise operations, map, and operations that return their operand.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/ops/element_function.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"
#include "indim/eval/ops/memory.h"
#include "indim/shape/types/element_type.h"

namespace indim {
namespace {

// Whether an operand isn't a number like the others: select's pred, and the
// random bits of stochastic-convert.
bool IsApart(const Evaluation& e, int i) {
  return (e.opcode() == Opcode::kSelect && i == 0) ||
         (e.opcode() == Opcode::kStochasticConvert && i == 1);
}

// The common type of all operands: equal types, or the more general float.
std::optional<ElementType> OperandType(Evaluation& e) {
  ElementType type = e.operand(MainOperand(e.opcode())).type();
  for (int i = 0; i < e.operand_count(); ++i) {
    const ElementType other = e.operand(i).type();
    if (IsApart(e, i)) continue;
    if (!SameTypeIgnoringFloatPrecision(type, other)) return e.FailType(i);
    const std::optional<ElementType> both = HigherPrecision(type, other);
    if (!both) return e.FailType(i);
    type = *both;
  }
  if (e.opcode() == Opcode::kSelect &&
      e.operand(0).type() != ElementType::kPred) {
    return e.FailType(0);
  }
  if (e.opcode() == Opcode::kStochasticConvert &&
      (!IsUnsigned(e.operand(1).type()) ||
       Info(e.operand(1).type()).bits != Info(type).bits)) {
    return e.FailType(1);
  }
  if (!Accepts(GetEvaluation(e.opcode()).types, type)) {
    return e.FailType(MainOperand(e.opcode()));
  }
  return type;
}

// The result's element type.
std::optional<ElementType> ResultTypeOf(Evaluation& e, ElementType type) {
  switch (Info(e.opcode()).type) {
    case ResultType::kPred:
      return ElementType::kPred;
    case ResultType::kReal:
      return RealPart(type);
    case ResultType::kComplex: {
      // Complex numbers must have parts of this type, and types may not mix.
      for (int i = 0; i < e.operand_count(); ++i) {
        if (e.operand(i).type() != type || !ComplexOf(type)) {
          return e.FailType(i);
        }
      }
      return ComplexOf(type);
    }
    default:
      break;
  }
  // With mixed floats clamp keeps the type of its operand.
  if (e.opcode() == Opcode::kClamp) return e.operand(1).type();
  if (Info(e.opcode()).result != ResultSource::kTypeGiven) return type;
  // For convert and stochastic-convert:
  if (e.declared() == nullptr || !e.declared()->is_array()) {
    return e.Fail("the element type that it gives isn't recorded");
  }
  const ElementType result = e.declared()->element_type();
  if (e.opcode() == Opcode::kStochasticConvert && !IsSigned(result)) {
    return e.Fail("only rounding to signed integers is defined");
  }
  return result;
}

// The places of the operands in the result.
struct Placement {
  Sizes sizes;  // of the result with its memory, where all of it is known
  Sizes live;   // of the result's visible elements
  std::vector<bool> given;  // dims whose size is known only at run time
  // Per operand and result dim, the step in the operand; 0: it repeats.
  std::vector<Sizes> strides;
};

// The op's broadcasting; the default for ops that don't broadcast.
BroadcastSpec SpecOf(const Evaluation& e) {
  if (const auto* a = std::get_if<ElementwiseAttributes>(&e.attributes())) {
    return a->broadcast;
  }
  if (const auto* a = std::get_if<CompareAttributes>(&e.attributes())) {
    return a->broadcast;
  }
  return BroadcastSpec();
}

// The result dim of each dim of an operand of `sizes`: for the operand of lower
// rank by broadcast_dimensions, or from pdpd's axis; else right-aligned. -1: a
// trailing 1 of pdpd past the end. nullopt: a dim has no place.
std::optional<Sizes> PlacesOf(const BroadcastSpec& spec, const Sizes& sizes,
                              int64_t rank) {
  const int64_t own = static_cast<int64_t>(sizes.size());
  Sizes places;
  const bool pdpd = spec.rule == BroadcastRule::kPdpd;
  for (int64_t d = 0; d < own; ++d) {
    int64_t to = rank - own + d;
    if (spec.rule == BroadcastRule::kXla && own < rank) {
      if (!spec.dimensions ||
          static_cast<int64_t>(spec.dimensions->size()) != own) {
        return std::nullopt;
      }
      to = (*spec.dimensions)[static_cast<size_t>(d)];
    } else if (pdpd && own < rank && spec.axis >= 0) {
      to = spec.axis + d;
    } else if (spec.rule == BroadcastRule::kNone && own < rank) {
      return std::nullopt;
    }
    if (pdpd && to >= rank && sizes[static_cast<size_t>(d)] == 1) to = -1;
    if (to >= rank || (to < 0 && !pdpd) ||
        (d > 0 && to >= 0 && to <= places.back())) {
      return std::nullopt;
    }
    places.push_back(to);
  }
  return places;
}

// The result dim of each dim of each operand; nullopt after an error.
std::optional<std::vector<Sizes>> AllPlaces(Evaluation& e, int* rank) {
  const BroadcastSpec spec = SpecOf(e);
  *rank = 0;
  for (const Value& operand : e.operands()) {
    *rank = std::max(*rank, operand.rank());
  }
  std::vector<Sizes> all;
  for (const Value& operand : e.operands()) {
    std::optional<Sizes> places = operand.is_scalar()
                                      ? std::optional<Sizes>(Sizes())
                                      : PlacesOf(spec, operand.sizes(), *rank);
    if (!places) {
      e.Fail("its operands' ranks don't match");
      return std::nullopt;
    }
    all.push_back(*std::move(places));
  }
  return all;
}

// Whether the size of dim `d` of operand `i` is known only at run time.
bool IsGiven(const Evaluation& e, int i, int d) {
  const Value& operand = e.operand(i);
  if (operand.is_given(d)) return true;
  const Shape* recorded = e.recorded_operand(i);
  return recorded != nullptr && recorded->has_rank() && d < recorded->rank() &&
         recorded->dim(d).is_bounded() &&
         recorded->dim(d).size() > operand.size(d);
}

// Combines two run-time sizes: the smaller one, but a single element repeats;
// for clamp the last one. Source: XLA's HandleElementwiseNary and HandleClamp.
int64_t Together(Opcode opcode, int64_t a, int64_t b) {
  if (opcode == Opcode::kClamp) return b;
  return (a == 1 && b > 1) || (b == 1 && a > 1) ? std::max(a, b)
                                                : std::min(a, b);
}

// The operands as large as their bounds, where their memory is known.
struct Sources {
  std::vector<const Value*> values;
  bool known = true;  // all memory is known
};
Sources SourcesOf(const Evaluation& e) {
  Sources sources;
  for (int i = 0; i < e.operand_count(); ++i) {
    const Value* whole = WholeOperand(e, i);
    sources.known = sources.known && whole != nullptr;
    sources.values.push_back(whole != nullptr ? whole : &e.operand(i));
  }
  return sources;
}

// Places the operands, which must have the same sizes; under implicit
// broadcasting sizes of 1 and missing dims repeat. In an op that doesn't
// broadcast only scalars repeat. Where a bounded dim has a run-time size, an
// operand as large as the bound (a static operand, a broadcast into the dim) is
// cut to it, and in a binary op a single element repeats. Source: XLA, as
// above, and RewriteDynamicBinaryOp.
class Placer {
 public:
  Placer(Evaluation* e, const Sources& sources)
      : e_(*e), sources_(sources), spec_(SpecOf(*e)) {}

  // nullopt: the evaluation has failed.
  std::optional<Placement> Place() {
    int rank = 0;
    std::optional<std::vector<Sizes>> places = AllPlaces(e_, &rank);
    if (!places) return std::nullopt;
    places_ = *std::move(places);
    Placement placement;
    placement.sizes = LargestSizes(static_cast<size_t>(rank));
    given_ = GivenSizes(placement.sizes);
    placement.live = placement.sizes;
    for (size_t d = 0; d < given_.size(); ++d) {
      if (given_[d] >= 0) placement.live[d] = given_[d];
      placement.given.push_back(given_[d] >= 0);
    }
    if (!sources_.known) placement.sizes = placement.live;
    for (int i = 0; i < e_.operand_count(); ++i) {
      std::optional<Sizes> strides = PlacedStrides(i, placement.sizes);
      if (!strides) return std::nullopt;
      placement.strides.push_back(*std::move(strides));
    }
    return placement;
  }

 private:
  const Value& source(int i) const {
    return *sources_.values[static_cast<size_t>(i)];
  }
  // The result dim of each dim of operand i; -1: none.
  const Sizes& places(int i) const { return places_[static_cast<size_t>(i)]; }

  // Calls visit(i, d, to) for each dim d of each operand i that becomes the
  // result's dim `to`.
  template <typename Visit>
  void ForEachPlace(const Visit& visit) const {
    for (int i = 0; i < e_.operand_count(); ++i) {
      for (size_t d = 0; d < places(i).size(); ++d) {
        if (places(i)[d] < 0) continue;
        visit(i, static_cast<int>(d), static_cast<size_t>(places(i)[d]));
      }
    }
  }

  Sizes LargestSizes(size_t rank) const {
    const bool first_decides = spec_.rule == BroadcastRule::kPdpd;
    Sizes sizes(rank, 1);
    ForEachPlace([&](int i, int d, size_t to) {
      if (first_decides ? i == 0 : sizes[to] == 1)
        sizes[to] = source(i).size(d);
    });
    return sizes;
  }

  // The result's run-time sizes; -1: the size is known before.
  Sizes GivenSizes(const Sizes& largest) const {
    Sizes given(largest.size(), -1);
    ForEachPlace([&](int i, int d, size_t to) {
      if (!IsGiven(e_, i, d)) return;
      const int64_t size = e_.operand(i).size(d);
      // A bound of 1 that stretches to a larger size.
      if (source(i).size(d) == 1 && largest[to] > 1 && sources_.known &&
          size == 1) {
        return;
      }
      given[to] = given[to] < 0 ? size : Together(e_.opcode(), given[to], size);
    });
    return given;
  }

  // By result dim the stride of operand i, 0 where it repeats.
  std::optional<Sizes> PlacedStrides(int i, const Sizes& sizes) const {
    const bool stretches = Info(e_.opcode()).has(kBroadcasts) &&
                           spec_.rule != BroadcastRule::kNone;
    const Sizes strides = StridesOf(source(i).sizes());
    Sizes placed(sizes.size(), 0);
    for (size_t d = 0; d < places(i).size(); ++d) {
      if (places(i)[d] < 0) continue;
      const int dim = static_cast<int>(d);
      const size_t to = static_cast<size_t>(places(i)[d]);
      const int64_t size = source(i).size(dim);
      const bool repeats = e_.operand_count() == 2 && IsGiven(e_, i, dim) &&
                           e_.operand(i).size(dim) == 1 && given_[to] > 1;
      if (repeats) continue;
      if (size == sizes[to] || (given_[to] >= 0 && size > sizes[to])) {
        placed[to] = strides[d];
      } else if (size != 1 || !stretches) {
        return e_.Fail(absl::StrCat("operand ", i, " has ", size,
                                    " elements along dim ", d, ", not ",
                                    sizes[to]));
      }
    }
    return placed;
  }

  Evaluation& e_;
  const Sources& sources_;
  const BroadcastSpec spec_;
  std::vector<Sizes> places_;  // by operand
  Sizes given_;
};

// Calls apply(arguments, &result) for each position.
template <typename Apply>
std::optional<Value> ApplyToAll(Evaluation& e, ElementType type,
                                const Apply& apply) {
  const Sources sources = SourcesOf(e);
  const std::optional<Placement> placement = Placer(&e, sources).Place();
  if (!placement) return std::nullopt;
  ArrayMaker result;
  if (!e.NewArray(type, placement->sizes, &result)) return std::nullopt;
  std::vector<Scalar> arguments(e.operands().size());
  int64_t at = 0;
  for (Counter i(placement->sizes); !i.done(); i.Next(), ++at) {
    for (size_t o = 0; o < arguments.size(); ++o) {
      arguments[o] =
          sources.values[o]->At(LinearIndex(i.index(), placement->strides[o]));
    }
    Scalar value;
    if (!apply(arguments, &value)) return std::nullopt;
    result.Set(at, value);
  }
  const Value whole = std::move(result).Finish();
  if (!sources.known) return whole;
  const std::optional<Value> live = FirstOf(e, whole, placement->live);
  if (!live) return std::nullopt;
  return live->WithMemory(whole, placement->given);
}

}  // namespace

std::optional<Value> EvalElementwise(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const std::optional<ElementType> type = OperandType(e);
  if (!type) return std::nullopt;
  const std::optional<ElementType> result_type = ResultTypeOf(e, *type);
  if (!result_type) return std::nullopt;
  const ScalarFunction function = GetEvaluation(e.opcode()).scalar;
  const ElementType second =
      e.operand_count() > 1 ? e.operand(1).type() : ElementType::kInvalid;
  return ApplyToAll(
      e, *result_type, [&](absl::Span<const Scalar> arguments, Scalar* value) {
        *value =
            function({*type, *result_type, &e.attributes(), arguments, second});
        return true;
      });
}

// Calls a computation of scalars on each element of arrays of the same sizes.
std::optional<Value> EvalMap(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  for (const Value& operand : e.operands()) {
    if (operand.rank() != e.operand(0).rank()) {
      return e.Fail("its operands' sizes differ");
    }
  }
  ElementFunction function(&e, 0);
  if (!function.Expect(e.operand_count(), 1) || function.returns_tuple()) {
    return e.Fail(
        "its computation must take an element of each operand and return one");
  }
  std::vector<Scalar> rounded(e.operands().size());
  return ApplyToAll(e, function.result_type(0),
                    [&](absl::Span<const Scalar> arguments, Scalar* value) {
                      for (size_t o = 0; o < arguments.size(); ++o) {
                        rounded[o] = RoundedTo(
                            function.parameter_type(static_cast<int>(o)),
                            arguments[o]);
                      }
                      return function.Call(rounded, value);
                    });
}

std::optional<Value> EvalIdentity(Evaluation& e) { return e.operand(0); }

// The second operand must be a token.
std::optional<Value> EvalAddDependency(Evaluation& e) {
  if (!e.operand(1).shape().is_token()) return e.FailType(1);
  return e.operand(0);
}

}  // namespace indim
