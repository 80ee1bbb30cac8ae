// SPDX-License-Identifier: Apache-2.0
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

using WarningCheck = void (*)(InferContext* context, const OpInputs& inputs,
                              TypeMask argument);

// --- Element types ----------------------------------------------------------
void WarnTypesDiffer(InferContext* context, int i, int j) {
  context->Diagnose(Code::kMixedTypesOdd, i).Other(j);
}

// Warns unless all elements of the operand are of class `wanted`. Returns
// whether they are.
bool ExpectSensibleClass(InferContext* context, const OpInputs& inputs, int i,
                         TypeMask wanted) {
  const Shape& operand = *inputs.operands[i];
  if (!operand.is_array() || Accepts(wanted, operand.element_type())) {
    return true;
  }
  context->Diagnose(Code::kTypeClassOdd, i).Arg(Describe(wanted));
  return false;
}

// A shift: operand 0 stands for both operands.
void ElementsOf(InferContext* context, const OpInputs& inputs,
                TypeMask wanted) {
  ExpectSensibleClass(context, inputs, 0, wanted);
}

// Operands of different float types, which the builder unifies or accepts.
void OneFloatType(InferContext* context, const OpInputs& inputs, TypeMask) {
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

// The type of the padding value, which is never used on a scalar.
void PaddingType(InferContext* context, const OpInputs& inputs,
                 TypeMask argument) {
  if (!inputs.operands[0]->is_scalar()) {
    OneFloatType(context, inputs, argument);
  }
}

// Operands of different types: XLA multiplies them in the more general one.
void OneType(InferContext* context, const OpInputs& inputs, TypeMask) {
  if (inputs.operands[0]->element_type() !=
      inputs.operands[1]->element_type()) {
    WarnTypesDiffer(context, 1, 0);
  }
}

// Map's computation should take the operands' own element types.
void MappedTypes(InferContext* context, const OpInputs& inputs, TypeMask) {
  const std::vector<Shape>& parameters = inputs.callees[0]->parameters;
  const size_t count = std::min(parameters.size(), inputs.operands.size());
  for (size_t i = 0; i < count; ++i) {
    if (!parameters[i].is_array() ||
        parameters[i].element_type() == inputs.operands[i]->element_type()) {
      continue;
    }
    context->Diagnose(Code::kMappedTypeOdd, static_cast<int>(i))
        .Arg(static_cast<int64_t>(i))
        .Arg(parameters[i]);
    return;
  }
}

// --- Shapes of operands -----------------------------------------------------
bool HasNoElements(const Shape& shape) {
  if (!shape.has_rank()) return false;
  for (const Dim dim : shape.dims()) {
    if (dim.is(0)) return true;
  }
  return false;
}

// Start indices should be one scalar for each dim; one array of all is an
// outdated form. An update without elements is not checked.
void ScalarStarts(InferContext* context, const OpInputs& inputs, TypeMask) {
  const bool updates = inputs.opcode == Opcode::kDynamicUpdateSlice;
  const size_t first = updates ? 2 : 1;
  if (updates && HasNoElements(*inputs.operands[1])) return;
  for (size_t i = first; i < inputs.operands.size(); ++i) {
    if (inputs.operands[i]->has_rank() && inputs.operands[i]->rank() > 0) {
      context->Diagnose(Code::kStartIndexArray, static_cast<int>(i));
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

// A recorded reshape with fewer bounded dims than XLA's main infers counts
// elements past the operand's run-time sizes. XLA's current verifier compares
// only element counts, and XLA 0.10.2 infers such results and writes them.
void KeepsBounds(InferContext* context, const OpInputs& inputs, TypeMask) {
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
    context->Diagnose(Code::kReshapeForgetsBound, 0)
        .Arg(int64_t{d})
        .Arg(declared->dim(d).size())
        .Arg(*inferred);
    return;
  }
}

// Scatter applies one array of indices to all inputs, so these should have
// equal dims.
void EqualInputs(InferContext* context, const OpInputs& inputs, TypeMask) {
  const size_t count = inputs.operands.size() / 2;
  for (size_t i = 1; i < count; ++i) {
    if (SameBounds(*inputs.operands[0], *inputs.operands[i])) continue;
    context->Diagnose(Code::kScatterInputsOdd, static_cast<int>(i)).Other(0);
    return;
  }
}

// Rng: both parameters should be scalars of the result's element type, which
// must be real, and a float type for a normal distribution.
void RandomParameters(InferContext* context, const OpInputs& inputs, TypeMask) {
  const bool normal = inputs.attributes_as<RngAttributes>().distribution ==
                      RandomDistribution::kNormal;
  for (int i = 0; i < 2; ++i) {
    const Shape& operand = *inputs.operands[i];
    if (!operand.is_array()) continue;
    if (operand.has_rank() && operand.rank() > 0) {
      context->Diagnose(Code::kScalarOdd, i);
      return;
    }
    if (normal && !ExpectSensibleClass(context, inputs, i, TypeMask::kFloat)) {
      return;
    }
    if (IsComplex(operand.element_type())) {
      context->Diagnose(Code::kTypeClassOdd, i).Arg(std::string("real"));
      return;
    }
  }
  const ElementType type = inputs.operands[0]->element_type();
  if (type != inputs.operands[1]->element_type()) {
    WarnTypesDiffer(context, 1, 0);
  } else if (inputs.declared != nullptr && inputs.declared->is_array() &&
             inputs.declared->element_type() != type) {
    context->Diagnose(Code::kRandomTypeOdd, 0)
        .Arg(inputs.declared->element_type());
  }
}

// Infeed and outfeed should not carry a token as data.
bool HoldsToken(const Shape& shape) {
  if (shape.is_token()) return true;
  if (!shape.is_tuple()) return false;
  // Depth is at most Shape::kMaxTupleDepth.
  for (const Shape& element : shape.elements()) {
    if (HoldsToken(element)) return true;
  }
  return false;
}

void NoTokenIn(InferContext* context, const OpInputs& inputs, TypeMask) {
  const Shape* declared = inputs.declared;
  if (declared != nullptr && declared->is_tuple() &&
      declared->tuple_size() > 0 && HoldsToken(declared->elements()[0])) {
    context->Diagnose(Code::kTokenFed).Arg(declared->elements()[0]);
  }
}

void NoTokenOut(InferContext* context, const OpInputs& inputs, TypeMask) {
  if (HoldsToken(*inputs.operands[0])) {
    context->Diagnose(Code::kTokenFed, 0).Arg(*inputs.operands[0]);
  }
}

// The array inside nested tuples of one element each; null for any other shape.
const Shape* OnlyArray(const Shape& shape) {
  const Shape* inner = &shape;
  while (inner->is_tuple() && inner->tuple_size() == 1) {
    inner = &inner->elements()[0];
  }
  return inner->is_array() ? inner : nullptr;
}

// XLA's builder accepts any dim; -1 means the last one.
void SortDimension(InferContext* context, const OpInputs& inputs, TypeMask) {
  const Shape& operand = *inputs.operands[0];
  if (!context->is_builder() || !operand.has_rank()) return;
  const int64_t rank = operand.rank();
  const int64_t dim = inputs.attributes_as<SortAttributes>().dimensions[0];
  if (dim >= -rank && dim < rank) return;
  context->Diagnose(Code::kSortDimensionOdd, 0).Arg(dim).Arg(rank);
}

// A comparator should take two scalars of each operand's own type and return
// pred[].
void SortComparator(InferContext* context, const OpInputs& inputs, TypeMask) {
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
  context->Diagnose(Code::kComparatorOdd)
      .Arg(static_cast<int64_t>(comparator.parameters.size()))
      .Arg(comparator.result);
}

// Operands from `first` on should be tokens, which carry the order; XLA's
// verifier accepts any operand.
void TokensFrom(InferContext* context, const OpInputs& inputs, size_t first) {
  for (size_t i = first; i < inputs.operands.size(); ++i) {
    if (inputs.operands[i]->is_token()) continue;
    context->Diagnose(Code::kTokenOdd, static_cast<int>(i));
    return;
  }
}
void AllTokens(InferContext* context, const OpInputs& inputs, TypeMask) {
  TokensFrom(context, inputs, 0);
}
void TokenLast(InferContext* context, const OpInputs& inputs, TypeMask) {
  if (!inputs.operands.empty()) {
    TokensFrom(context, inputs, inputs.operands.size() - 1);
  }
}

// The body's result should fit as the next turn's value; XLA's verifier doesn't
// check it.
void TurnsFit(InferContext* context, const OpInputs& inputs, TypeMask) {
  const Shape& result = inputs.callees[0]->result;
  if (Compatible(result, *inputs.operands[0])) return;
  context->Diagnose(Code::kLoopShapeOdd, 0).Arg(result);
}

// --- Collectives ------------------------------------------------------------
// Groups should name replicas 0..n-1 once each. A broadcast may leave some out,
// which then get zeros. Groups given by a formula always pass.
void EachReplicaOnce(InferContext* context, const OpInputs& inputs, TypeMask) {
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
    context->Diagnose(Code::kReplicaGroupsOdd)
        .Arg(ids[i] < 0 ? absl::StrCat("name ", ids[i], ", which is none")
             : i > 0 && ids[i] == ids[i - 1]
                 ? absl::StrCat("name ", ids[i], " twice")
                 : absl::StrCat("leave out ", i));
    return;
  }
}

// Each device should send and receive at most once.
void PermutePairs(InferContext* context, const OpInputs& inputs, TypeMask) {
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
      context->Diagnose(Code::kPermutePairsOdd)
          .Arg(absl::StrCat(side->front(), " is no ", name));
      return;
    }
    if (twice != side->end()) {
      context->Diagnose(Code::kPermutePairsOdd)
          .Arg(absl::StrCat(*twice, " is a ", name, " twice"));
      return;
    }
  }
}

// A reducer should take two values of the operand's type and return one. With
// several operands, the computation reduces each alone.
void CollectiveReducer(InferContext* context, const OpInputs& inputs,
                       TypeMask) {
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
  context->Diagnose(Code::kCollectiveReducerOdd, 0)
      .Arg(static_cast<int64_t>(reducer.parameters.size()))
      .Arg(reducer.result);
}

// An all-gather along a dim of size 0 gives an empty result, whatever the
// number of shards.
void NothingGathered(InferContext* context, const OpInputs& inputs, TypeMask) {
  const DimIndices& dims =
      inputs.attributes_as<CollectiveAttributes>().dimensions;
  const Shape& operand = *inputs.operands[0];
  if (dims.size() != 1 || !operand.has_rank() || dims[0] < 0 ||
      dims[0] >= operand.rank() ||
      !operand.dim(static_cast<int>(dims[0])).is(0)) {
    return;
  }
  context->Diagnose(Code::kNothingGathered, 0, static_cast<int>(dims[0]));
}

// --- The table --------------------------------------------------------------
struct WarningRow {
  Opcode opcode;
  WarningCheck check;
  TypeMask argument;
};

constexpr WarningRow kRows[] = {
#define INDIM_WARNING(op, check, argument) \
  {Opcode::k##op, &check, TypeMask::argument},
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

// The index of each opcode's first row; kRowCount where it has none.
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
