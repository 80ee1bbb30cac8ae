#include "indim/shape/infer/warnings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/infer/builder_forms.h"

namespace indim {
namespace {

using Check = void (*)(InferContext* context, const OpInputs& inputs,
                       OperandClass argument);

// --- Element types ----------------------------------------------------------
void WarnTypesDiffer(InferContext* context, int i, int j) {
  context->Error(Rule::kMixedTypesOdd, i).Other(j);
}

// An operand, all of whose elements should be of class `wanted`. True: is so.
bool ExpectSensibleClass(InferContext* context, const OpInputs& inputs, int i,
                         OperandClass wanted) {
  const Shape& operand = *inputs.operands[i];
  if (!operand.is_array() || Accepts(wanted, operand.element_type())) {
    return true;
  }
  context->Error(Rule::kTypeClassOdd, i).Arg(std::string(Describe(wanted)));
  return false;
}

// Both operands of a shift: the first says it for both.
void OperandClassOf(InferContext* context, const OpInputs& inputs,
                    OperandClass wanted) {
  ExpectSensibleClass(context, inputs, 0, wanted);
}

// Float types that the builder unifies, or lets pass.
void OneFloatType(InferContext* context, const OpInputs& inputs, OperandClass) {
  const ElementType type = inputs.operands[0]->element_type();
  if (absl::c_all_of(inputs.operands, [type](const Shape* operand) {
        return operand->element_type() == type;
      })) {
    return;
  }
  int first = -1;
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    const Shape& operand = *inputs.operands[i];
    if (!operand.is_array() || !IsFloat(operand.element_type())) continue;
    if (first < 0) {
      first = static_cast<int>(i);
    } else if (operand.element_type() !=
               inputs.operands[first]->element_type()) {
      WarnTypesDiffer(context, static_cast<int>(i), first);
      return;
    }
  }
}

// A scalar isn't padded, so what it isn't padded with can't be wrong.
void PaddingType(InferContext* context, const OpInputs& inputs,
                 OperandClass argument) {
  if (!inputs.operands[0]->is_scalar()) {
    OneFloatType(context, inputs, argument);
  }
}

// Any two types, which XLA multiplies in the more general one.
void OneType(InferContext* context, const OpInputs& inputs, OperandClass) {
  if (inputs.operands[0]->element_type() !=
      inputs.operands[1]->element_type()) {
    WarnTypesDiffer(context, 1, 0);
  }
}

// map's computation takes the elements as they are.
void MappedTypes(InferContext* context, const OpInputs& inputs, OperandClass) {
  const std::vector<Shape>& parameters = inputs.callees[0]->parameters;
  const size_t count = std::min(parameters.size(), inputs.operands.size());
  for (size_t i = 0; i < count; ++i) {
    if (!parameters[i].is_array() ||
        parameters[i].element_type() == inputs.operands[i]->element_type()) {
      continue;
    }
    context->Error(Rule::kMappedTypeOdd, static_cast<int>(i))
        .Arg(static_cast<int64_t>(i))
        .Arg(parameters[i]);
    return;
  }
}

// --- Shapes of operands ---
bool HasNoElements(const Shape& shape) {
  if (!shape.has_rank()) return false;
  for (const Dim dim : shape.dims()) {
    if (dim.is(0)) return true;
  }
  return false;
}

// One scalar for each dim; one array of all is a form of old. What writes
// nothing starts nowhere.
void ScalarStarts(InferContext* context, const OpInputs& inputs, OperandClass) {
  const bool updates = inputs.opcode == Opcode::kDynamicUpdateSlice;
  const size_t first = updates ? 2 : 1;
  if (updates && HasNoElements(*inputs.operands[1])) return;
  for (size_t i = first; i < inputs.operands.size(); ++i) {
    if (inputs.operands[i]->has_rank() && inputs.operands[i]->rank() > 0) {
      context->Error(Rule::kStartIndexArray, static_cast<int>(i));
      return;
    }
  }
}

bool SameBounds(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return true;
  if (a.rank() != b.rank()) return false;
  for (int d = 0; d < a.rank(); ++d) {
    if (a.dim(d).is_unknown() || b.dim(d).is_unknown()) continue;
    if (a.dim(d).upper() != b.dim(d).upper()) return false;
  }
  return true;
}

bool IsBounded(Dim dim) { return dim.is_bounded(); }

// A recorded reshape that has fewer bounded dims than XLA's main infers: what
// lies behind the run's size counts as elements. XLA's verifier of today counts
// elements only, and 0.10.2 infers and so writes such modules.
void KeepsBounds(InferContext* context, const OpInputs& inputs, OperandClass) {
  const Shape* declared = inputs.declared;
  const Shape& operand = *inputs.operands[0];
  if (context->is_builder() || declared == nullptr || !declared->has_rank() ||
      !operand.has_rank() || absl::c_none_of(operand.dims(), IsBounded)) {
    return;
  }
  const DimIndices& named =
      inputs.attributes_as<DimensionsAttributes>().dimensions;
  InferContext asked;
  const std::optional<Shape> inferred = InferReshapeTo(
      &asked, operand, declared->dims(), named.empty() ? -1 : named[0]);
  if (!inferred || absl::c_count_if(declared->dims(), IsBounded) >=
                       absl::c_count_if(inferred->dims(), IsBounded)) {
    return;
  }
  for (int d = 0; d < declared->rank(); ++d) {
    if (!inferred->dim(d).is_bounded() || !declared->dim(d).is_static()) {
      continue;
    }
    context->Error(Rule::kReshapeForgetsBound, 0)
        .Arg(int64_t{d})
        .Arg(declared->dim(d).size())
        .Arg(*inferred);
    return;
  }
}

// One set of indices goes into all inputs, so they have the same dims.
void EqualInputs(InferContext* context, const OpInputs& inputs, OperandClass) {
  const size_t count = inputs.operands.size() / 2;
  for (size_t i = 1; i < count; ++i) {
    if (SameBounds(*inputs.operands[0], *inputs.operands[i])) continue;
    context->Error(Rule::kScatterInputsOdd, static_cast<int>(i)).Other(0);
    return;
  }
}

// rng: both parameters are scalars of the result's type, which holds reals;
// only floats are distributed normally.
void RandomParameters(InferContext* context, const OpInputs& inputs,
                      OperandClass) {
  const bool normal = inputs.attributes_as<RngAttributes>().distribution ==
                      RandomDistribution::kNormal;
  for (int i = 0; i < 2; ++i) {
    const Shape& operand = *inputs.operands[i];
    if (!operand.is_array()) continue;
    if (operand.has_rank() && operand.rank() > 0) {
      context->Error(Rule::kScalarOdd, i);
      return;
    }
    if (normal &&
        !ExpectSensibleClass(context, inputs, i, OperandClass::kFloat)) {
      return;
    }
    if (IsComplex(operand.element_type())) {
      context->Error(Rule::kTypeClassOdd, i).Arg(std::string("real"));
      return;
    }
  }
  const ElementType type = inputs.operands[0]->element_type();
  if (type != inputs.operands[1]->element_type()) {
    WarnTypesDiffer(context, 1, 0);
  } else if (inputs.declared != nullptr && inputs.declared->is_array() &&
             inputs.declared->element_type() != type) {
    context->Error(Rule::kRandomTypeOdd, 0)
        .Arg(inputs.declared->element_type());
  }
}

// Data that passes a feed holds no token.
bool HoldsToken(const Shape& shape) {
  if (shape.is_token()) return true;
  if (!shape.is_tuple()) return false;
  // Depth is at most Shape::kMaxTupleDepth.
  for (const Shape& element : shape.elements()) {
    if (HoldsToken(element)) return true;
  }
  return false;
}

void NoTokenIn(InferContext* context, const OpInputs& inputs, OperandClass) {
  const Shape* declared = inputs.declared;
  if (declared != nullptr && declared->is_tuple() &&
      declared->tuple_size() > 0 && HoldsToken(declared->elements()[0])) {
    context->Error(Rule::kTokenFed).Arg(declared->elements()[0]);
  }
}

void NoTokenOut(InferContext* context, const OpInputs& inputs, OperandClass) {
  if (HoldsToken(*inputs.operands[0])) {
    context->Error(Rule::kTokenFed, 0).Arg(*inputs.operands[0]);
  }
}

// The array inside tuples of one element; null: something else.
const Shape* OnlyArray(const Shape& shape) {
  const Shape* inner = &shape;
  while (inner->is_tuple() && inner->tuple_size() == 1) {
    inner = &inner->elements()[0];
  }
  return inner->is_array() ? inner : nullptr;
}

// XLA's builder takes any dim, and means the last one by -1.
void SortDimension(InferContext* context, const OpInputs& inputs,
                   OperandClass) {
  const Shape& operand = *inputs.operands[0];
  if (!context->is_builder() || !operand.has_rank()) return;
  const int64_t rank = operand.rank();
  const int64_t dim = inputs.attributes_as<SortAttributes>().dimensions[0];
  if (dim >= -rank && dim < rank) return;
  context->Error(Rule::kSortDimensionOdd, 0).Arg(dim).Arg(rank);
}

// Two scalars of each operand's very type, and a pred[].
void SortComparator(InferContext* context, const OpInputs& inputs,
                    OperandClass) {
  const Signature& comparator = *inputs.callees[0];
  bool sensible = comparator.result.is_scalar() &&
                  comparator.result.element_type() == ElementType::kPred &&
                  comparator.parameters.size() == 2 * inputs.operands.size();
  for (size_t i = 0; sensible && i < comparator.parameters.size(); ++i) {
    const Shape* parameter = OnlyArray(comparator.parameters[i]);
    sensible =
        parameter != nullptr && parameter->is_scalar() &&
        parameter->element_type() == inputs.operands[i / 2]->element_type();
  }
  if (sensible) return;
  context->Error(Rule::kComparatorOdd)
      .Arg(static_cast<int64_t>(comparator.parameters.size()))
      .Arg(comparator.result);
}

// What is to come before is told by tokens. XLA's verifier takes any operand.
void TokensFrom(InferContext* context, const OpInputs& inputs, size_t first) {
  for (size_t i = first; i < inputs.operands.size(); ++i) {
    if (inputs.operands[i]->is_token()) continue;
    context->Error(Rule::kTokenOdd, static_cast<int>(i));
    return;
  }
}
void AllTokens(InferContext* context, const OpInputs& inputs, OperandClass) {
  TokensFrom(context, inputs, 0);
}
void TokenLast(InferContext* context, const OpInputs& inputs, OperandClass) {
  if (!inputs.operands.empty()) {
    TokensFrom(context, inputs, inputs.operands.size() - 1);
  }
}

// A turn takes what the one before returned. XLA's verifier doesn't ask.
void TurnsFit(InferContext* context, const OpInputs& inputs, OperandClass) {
  const Shape& result = inputs.callees[0]->result;
  if (Compatible(result, *inputs.operands[0])) return;
  context->Error(Rule::kLoopShapeOdd, 0).Arg(result);
}

// --- Collectives ---
// Replicas 0..n-1, each once; a broadcast may leave some out, who get zeros.
// Groups by a formula are so by construction.
void EachReplicaOnce(InferContext* context, const OpInputs& inputs,
                     OperandClass) {
  std::vector<int64_t> ids;
  for (const std::vector<int64_t>& group :
       inputs.attributes_as<CollectiveAttributes>().replica_groups.groups) {
    ids.insert(ids.end(), group.begin(), group.end());
  }
  std::sort(ids.begin(), ids.end());
  const bool all = inputs.opcode != Opcode::kCollectiveBroadcast;
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool is_new = ids[i] >= 0 && (i == 0 || ids[i] != ids[i - 1]);
    if (all ? ids[i] == static_cast<int64_t>(i) : is_new) continue;
    context->Error(Rule::kReplicaGroupsOdd)
        .Arg(ids[i] < 0 ? absl::StrCat("name ", ids[i], ", which is none")
             : i > 0 && ids[i] == ids[i - 1]
                 ? absl::StrCat("name ", ids[i], " twice")
                 : absl::StrCat("leave out ", i));
    return;
  }
}

// Each device sends and receives at most once.
void PermutePairs(InferContext* context, const OpInputs& inputs, OperandClass) {
  const auto& pairs =
      inputs.attributes_as<CollectivePermuteAttributes>().source_target_pairs;
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
  for (const auto& pair : pairs) {
    sources.push_back(pair.first);
    targets.push_back(pair.second);
  }
  for (std::vector<int64_t>* side : {&sources, &targets}) {
    const char* name = side == &sources ? "source" : "target";
    std::sort(side->begin(), side->end());
    const auto twice = std::adjacent_find(side->begin(), side->end());
    if (!side->empty() && side->front() < 0) {
      context->Error(Rule::kPermutePairsOdd)
          .Arg(absl::StrCat(side->front(), " is no ", name));
      return;
    }
    if (twice != side->end()) {
      context->Error(Rule::kPermutePairsOdd)
          .Arg(absl::StrCat(*twice, " is a ", name, " twice"));
      return;
    }
  }
}

// Two values of the operand's type make a third. Several operands are reduced
// with one computation, each alone.
void CollectiveReducer(InferContext* context, const OpInputs& inputs,
                       OperandClass) {
  const Signature& reducer = *inputs.callees[0];
  std::vector<const Shape*> values = {&reducer.result};
  for (const Shape& parameter : reducer.parameters) {
    values.push_back(&parameter);
  }
  const Shape* operand = OnlyArray(*inputs.operands[0]);
  bool sensible = reducer.parameters.size() == 2;
  for (const Shape* value : values) {
    const Shape* array = OnlyArray(*value);
    sensible = sensible && array != nullptr &&
               (operand == nullptr ||
                array->element_type() == operand->element_type());
  }
  if (sensible) return;
  context->Error(Rule::kCollectiveReducerOdd, 0)
      .Arg(static_cast<int64_t>(reducer.parameters.size()))
      .Arg(reducer.result);
}

// Gathering along a dim of size 0 gives nothing, however many take part.
void NothingGathered(InferContext* context, const OpInputs& inputs,
                     OperandClass) {
  const DimIndices& dims =
      inputs.attributes_as<CollectiveAttributes>().dimensions;
  const Shape& operand = *inputs.operands[0];
  if (dims.size() != 1 || !operand.has_rank() || dims[0] < 0 ||
      dims[0] >= operand.rank() ||
      !operand.dim(static_cast<int>(dims[0])).is(0)) {
    return;
  }
  context->Error(Rule::kNothingGathered, 0, static_cast<int>(dims[0]));
}

// --- The table ---
struct Row {
  Opcode opcode;
  Check check;
  OperandClass argument;
};

constexpr Row kRows[] = {
#define INDIM_WARNING(op, check, argument) \
  {Opcode::k##op, &check, OperandClass::argument},
#include "indim/shape/infer/warnings.def"
#undef INDIM_WARNING
};
constexpr size_t kRowCount = sizeof(kRows) / sizeof(kRows[0]);

constexpr bool Ascending() {
  for (size_t i = 1; i < kRowCount; ++i) {
    if (kRows[i].opcode < kRows[i - 1].opcode) return false;
  }
  return true;
}
static_assert(Ascending(), "rows of warnings.def must be in the ops' order");

// First row of each opcode; kRowCount: none.
constexpr std::array<uint8_t, 256> FirstRows() {
  static_assert(kRowCount < 256, "an index is one byte");
  std::array<uint8_t, 256> first = {};
  for (size_t i = 0; i < first.size(); ++i) first[i] = kRowCount;
  for (size_t i = kRowCount; i-- > 0;) {
    first[static_cast<size_t>(kRows[i].opcode)] = static_cast<uint8_t>(i);
  }
  return first;
}
constexpr std::array<uint8_t, 256> kFirstRows = FirstRows();

}  // namespace

void AddWarnings(InferContext* context, const OpInputs& inputs) {
  for (size_t i = kFirstRows[static_cast<uint8_t>(inputs.opcode)];
       i < kRowCount && kRows[i].opcode == inputs.opcode; ++i) {
    kRows[i].check(context, inputs, kRows[i].argument);
  }
}

}  // namespace indim
