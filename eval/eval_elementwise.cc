// Elementwise operations, map, and those that pass their operand on.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/element_function.h"
#include "indim/eval/evaluation.h"
#include "indim/eval/evaluation_functions.h"
#include "indim/shape/element_type.h"

namespace indim {
namespace {

// select's pred, and the random bits of stochastic-convert, are no numbers like
// the others.
bool IsApart(const Evaluation& e, int i) {
  return (e.opcode() == Opcode::kSelect && i == 0) ||
         (e.opcode() == Opcode::kStochasticConvert && i == 1);
}

// The one type of all operands: equal, or of floats the more general one.
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
  if ((KindBit(type) & GetEvaluation(e.opcode()).kinds) == 0) {
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
      // Each part must be one that complex numbers have; no other mixes in.
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
  // Of mixed floats clamp keeps what it clamps.
  if (e.opcode() == Opcode::kClamp) return e.operand(1).type();
  if (Info(e.opcode()).result != ResultSource::kTypeGiven) return type;
  // convert, stochastic-convert.
  if (e.declared() == nullptr || !e.declared()->is_array()) {
    return e.Fail("the element type that it gives isn't recorded");
  }
  const ElementType result = e.declared()->element_type();
  if (e.opcode() == Opcode::kStochasticConvert && !IsSigned(result)) {
    return e.Fail("only rounding to signed integers has a meaning");
  }
  return result;
}

// How each operand lies in the result.
struct Placement {
  Sizes sizes;  // of the result
  // Per operand and result dim, how far to go in the operand; 0: it repeats.
  std::vector<Sizes> strides;
};

// What the op's author wrote about broadcasting; for ops that don't broadcast,
// nothing.
BroadcastSpec SpecOf(const Evaluation& e) {
  if (const auto* a = std::get_if<ElementwiseAttributes>(&e.attributes())) {
    return a->broadcast;
  }
  if (const auto* a = std::get_if<CompareAttributes>(&e.attributes())) {
    return a->broadcast;
  }
  return BroadcastSpec();
}

// The result dim of each dim of an operand of `sizes`: as broadcast_dimensions
// say of the operand of lower rank, from pdpd's axis, else right-aligned; -1: a
// trailing 1 of pdpd that lies past the end. nullopt: it has no place.
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

// What the graph says of dim `d` of operand `i`.
Dim RecordedDim(const Evaluation& e, int i, size_t d) {
  const Shape* recorded = e.recorded_operand(i);
  return recorded != nullptr && recorded->has_rank() &&
                 d < static_cast<size_t>(recorded->rank())
             ? recorded->dim(static_cast<int>(d))
             : Dim::Unknown();
}

// Whether the dim is as long as is asked for: its size is known beforehand, or
// all of its bound, as of a broadcast into it, and doesn't make one element
// stretch. It gives way to a bounded dim of
// the same bound of which less is there. Source: XLA, which takes the run-time
// size of the operand that has one (dynamic_dimension_inference.cc).
bool GivesWay(Dim recorded, int64_t size, bool stretches) {
  return recorded.is_static() ||
         (!stretches && recorded.is_bounded() && recorded.size() == size);
}

// Of each result dim that an operand has as a bounded dim which isn't full: how
// much is there (the least of several that XLA would cut, too), and the bound;
// -1 for other dims.
struct ShortDims {
  Sizes sizes, bounds;
};
ShortDims FindShortDims(const Evaluation& e, size_t rank,
                        absl::Span<const Sizes> all_places) {
  ShortDims found = {Sizes(rank, -1), Sizes(rank, -1)};
  for (int i = 0; i < e.operand_count(); ++i) {
    const Sizes& places = all_places[static_cast<size_t>(i)];
    for (size_t d = 0; d < places.size(); ++d) {
      const Dim recorded = RecordedDim(e, i, d);
      const int64_t size = e.operand(i).size(static_cast<int>(d));
      if (places[d] < 0 || !recorded.is_bounded() || recorded.size() <= size) {
        continue;
      }
      const size_t to = static_cast<size_t>(places[d]);
      // A single one stretches to what else is there.
      if (found.sizes[to] < 0 || found.sizes[to] == 1) {
        found.sizes[to] = size;
      }
      found.bounds[to] = recorded.size();
    }
  }
  return found;
}

// All operands have the same sizes, but that sizes of 1 repeat and missing dims
// do: implicit broadcasting. Of an op that doesn't broadcast only scalars do.
// Where less is there than a bounded dim may hold, what gives way is cut.
std::optional<Placement> Place(Evaluation& e) {
  const BroadcastSpec spec = SpecOf(e);
  const bool stretches =
      Info(e.opcode()).has(kBroadcastable) && spec.rule != BroadcastRule::kNone;
  const bool first_decides = spec.rule == BroadcastRule::kPdpd;
  int rank = 0;
  for (const Value& operand : e.operands()) {
    rank = std::max(rank, operand.rank());
  }
  Placement placement;
  placement.sizes.assign(static_cast<size_t>(rank), 1);
  std::vector<Sizes> all_places;
  for (const Value& operand : e.operands()) {
    const std::optional<Sizes> places =
        operand.is_scalar() ? std::optional<Sizes>(Sizes())
                            : PlacesOf(spec, operand.sizes(), rank);
    if (!places) return e.Fail("its operands' ranks don't go together");
    all_places.push_back(*places);
    for (size_t d = 0; d < places->size(); ++d) {
      if ((*places)[d] < 0) continue;
      int64_t& size = placement.sizes[static_cast<size_t>((*places)[d])];
      const bool open = first_decides ? all_places.size() == 1 : size == 1;
      if (open) size = operand.size(static_cast<int>(d));
    }
  }
  const ShortDims less =
      FindShortDims(e, static_cast<size_t>(rank), all_places);
  for (int i = 0; i < e.operand_count(); ++i) {
    const Sizes& places = all_places[static_cast<size_t>(i)];
    for (size_t d = 0; d < places.size(); ++d) {
      if (places[d] < 0) continue;
      const size_t to = static_cast<size_t>(places[d]);
      const int64_t size = e.operand(i).size(static_cast<int>(d));
      if (size == less.bounds[to] && size == placement.sizes[to] &&
          GivesWay(RecordedDim(e, i, d), size,
                   stretches && less.sizes[to] == 1)) {
        placement.sizes[to] = less.sizes[to];
      }
    }
  }
  for (int i = 0; i < e.operand_count(); ++i) {
    const Value& operand = e.operand(i);
    const Sizes strides = StridesOf(operand.sizes());
    const Sizes& places = all_places[static_cast<size_t>(i)];
    Sizes placed(static_cast<size_t>(rank), 0);
    for (size_t d = 0; d < places.size(); ++d) {
      if (places[d] < 0) continue;
      const size_t to = static_cast<size_t>(places[d]);
      const int64_t size = operand.size(static_cast<int>(d));
      if (size == placement.sizes[to] ||
          (size == less.bounds[to] && size > placement.sizes[to] &&
           GivesWay(RecordedDim(e, i, d), size,
                    stretches && less.sizes[to] == 1))) {
        placed[to] = strides[d];
      } else if (size != 1 || !stretches) {
        return e.Fail(absl::StrCat("operand ", i, " has ", size,
                                   " elements along dim ", d, ", not ",
                                   placement.sizes[to]));
      }
    }
    placement.strides.push_back(std::move(placed));
  }
  return placement;
}

}  // namespace

std::optional<Value> EvalElementwise(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const std::optional<ElementType> type = OperandType(e);
  if (!type) return std::nullopt;
  const std::optional<ElementType> result_type = ResultTypeOf(e, *type);
  if (!result_type) return std::nullopt;
  const std::optional<Placement> placement = Place(e);
  if (!placement) return std::nullopt;
  ArrayMaker result;
  if (!e.NewArray(*result_type, placement->sizes, &result)) return std::nullopt;

  std::vector<Scalar> arguments(e.operands().size());
  const ScalarCall call = {
      *type, *result_type, &e.attributes(), arguments,
      e.operand_count() > 1 ? e.operand(1).type() : ElementType::kInvalid};
  const ScalarFunction function = GetEvaluation(e.opcode()).scalar;
  int64_t at = 0;
  for (Counter i(placement->sizes); !i.done(); i.Next(), ++at) {
    for (size_t o = 0; o < arguments.size(); ++o) {
      arguments[o] =
          e.operands()[o].At(LinearIndex(i.index(), placement->strides[o]));
    }
    result.Set(at, function(call));
  }
  return std::move(result).Finish();
}

// A computation of scalars on each element of arrays of the same sizes.
std::optional<Value> EvalMap(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  for (const Value& operand : e.operands()) {
    if (operand.sizes() != e.operand(0).sizes()) {
      return e.Fail("its operands' sizes differ");
    }
  }
  ElementFunction function(&e, 0);
  if (!function.Expect(e.operand_count(), 1) || function.returns_tuple()) {
    return e.Fail("its computation doesn't make one element of its operands'");
  }
  ArrayMaker result;
  if (!e.NewArray(function.result_type(0), e.operand(0).sizes(), &result)) {
    return std::nullopt;
  }
  std::vector<Scalar> arguments(e.operands().size());
  for (int64_t i = 0; i < result.count(); ++i) {
    for (size_t o = 0; o < arguments.size(); ++o) {
      arguments[o] = RoundedTo(function.parameter_type(static_cast<int>(o)),
                               e.operands()[o].At(i));
    }
    Scalar value;
    if (!function.Call(arguments, &value)) return std::nullopt;
    result.Set(i, value);
  }
  return std::move(result).Finish();
}

std::optional<Value> EvalIdentity(Evaluation& e) { return e.operand(0); }

// The second operand is a token.
std::optional<Value> EvalAddDependency(Evaluation& e) {
  if (!e.operand(1).shape().is_token()) return e.FailType(1);
  return e.operand(0);
}

}  // namespace indim
