// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/fix_candidates.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/fixes/contraction_fixes.h"
#include "indim/shape/fixes/fix.h"
#include "indim/shape/fixes/gather_fixes.h"
#include "indim/shape/fixes/undeclared_candidates.h"
#include "indim/shape/ops/declare_attributes.h"
#include "indim/shape/types/element_type.h"

namespace indim {
namespace {

bool Has(const DimIndices& numbers, int64_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// For a dim that a list names twice: the list with each once.
std::vector<Fix> OnceEach(const OpInputs& inputs, const Constraint& c) {
  DimIndices once;
  for (const int64_t dim : NumbersOf(*c.attribute, inputs)) {
    if (!Has(once, dim) && once.size() < kMostDims) once.push_back(dim);
  }
  return {Listed(*c.attribute, std::move(once))};
}

// For a number that is not a dim (IND0111): the dim counted from the end, as in
// NumPy; else the nearest dims that the list doesn't name.
std::vector<Fix> OfDims(const OpInputs& inputs, const Constraint& c,
                        const Diagnostic& broken) {
  if (broken.code == Code::kDimIndexRepeated) return OnceEach(inputs, c);
  if (broken.code != Code::kDimIndexRange || broken.args.size() < 3) return {};
  const int64_t bad = std::get<int64_t>(broken.args[1]);
  const int64_t rank = std::get<int64_t>(broken.args[2]);
  if (rank > kMostDims) return {};
  std::vector<int64_t> instead;
  if (bad < 0) {
    for (int64_t dim = 0; dim < rank; ++dim) instead.push_back(dim);
  } else {
    for (int64_t dim = rank - 1; dim >= 0; --dim) instead.push_back(dim);
  }
  std::vector<Fix> fixes;
  for (const AttributeRef* list : {c.attribute, c.second}) {
    if (list == nullptr) continue;
    DimIndices numbers = NumbersOf(*list, inputs);
    const auto at = std::find(numbers.begin(), numbers.end(), bad);
    if (at == numbers.end() || numbers.size() > kMostDims) continue;
    DimIndices from_end = numbers;
    for (int64_t& dim : from_end) {
      if (dim < 0) dim += rank;
    }
    if (bad < 0) fixes.push_back(Listed(*list, std::move(from_end)));
    for (int64_t dim : instead) {
      if (Has(numbers, dim)) continue;
      DimIndices mended = numbers;
      mended[static_cast<size_t>(at - numbers.begin())] = dim;
      fixes.push_back(Listed(*list, std::move(mended)));
    }
  }
  return fixes;
}

// The dims of `shape` that are compatible with `size` and not in `taken`.
DimIndices DimsOfSize(const Shape& shape, Dim size, const DimIndices& taken) {
  DimIndices dims;
  for (int i = 0; i < std::min<int>(shape.rank(), kMostDims); ++i) {
    if (!Has(taken, i) && CompatibleDims(shape.dim(i), size)) dims.push_back(i);
  }
  return dims;
}

// For two lists of different lengths: extends the shorter one by a dim of the
// size of the unpaired dim.
std::vector<Fix> OfCounts(const OpInputs& inputs, const Constraint& c) {
  const AttributeRef* lists[] = {c.attribute, c.second};
  DimIndices numbers[] = {NumbersOf(*lists[0], inputs),
                          NumbersOf(*lists[1], inputs)};
  const int few = numbers[0].size() < numbers[1].size() ? 0 : 1;
  const int many = 1 - few;
  const size_t next = numbers[few].size();
  if (next >= numbers[many].size() || next > kMostDims) return {};
  const int64_t alone = numbers[many][next];
  const Shape& other = *inputs.operands[static_cast<size_t>(many)];
  if (alone < 0 || alone >= other.rank()) return {};
  std::vector<Fix> fixes;
  for (int64_t dim :
       DimsOfSize(*inputs.operands[static_cast<size_t>(few)],
                  other.dim(static_cast<int>(alone)), numbers[few])) {
    DimIndices longer = numbers[few];
    longer.push_back(dim);
    fixes.push_back(Listed(*lists[few], std::move(longer)));
  }
  return fixes;
}

// For paired dims of different sizes: another dim of operand 1 or 0 that has
// the size, or swapped operands.
std::vector<Fix> OfSizes(const OpInputs& inputs, const Constraint& c,
                         const Diagnostic& broken) {
  const int64_t dims[] = {broken.operand == 0 ? broken.dim : broken.other_dim,
                          broken.operand == 0 ? broken.other_dim : broken.dim};
  const AttributeRef* lists[] = {c.attribute, c.second};
  std::vector<Fix> fixes;
  for (int side : {1, 0}) {
    const DimIndices numbers = NumbersOf(*lists[side], inputs);
    const auto at = std::find(numbers.begin(), numbers.end(), dims[side]);
    const Shape& other = *inputs.operands[static_cast<size_t>(1 - side)];
    const int64_t partner = dims[1 - side];
    if (at == numbers.end() || partner < 0 || partner >= other.rank()) {
      return {};
    }
    for (int64_t dim :
         DimsOfSize(*inputs.operands[static_cast<size_t>(side)],
                    other.dim(static_cast<int>(partner)), numbers)) {
      DimIndices mended = numbers;
      mended[static_cast<size_t>(at - numbers.begin())] = dim;
      fixes.push_back(Listed(*lists[side], std::move(mended)));
    }
  }
  Fix swapped;
  swapped.what = Fix::What::kSwapped;
  fixes.push_back(std::move(swapped));
  return fixes;
}

// A select of arrays of different ranks, all of the largest one's dims.
std::vector<Fix> OfSelect(const OpInputs& inputs) {
  std::vector<Fix> fixes;
  for (const auto& [small, large] : {std::pair(0, 1), {1, 2}, {2, 1}}) {
    const Shape& operand = *inputs.operands[static_cast<size_t>(small)];
    Fix fix;
    fix.index = small;
    fix.shape = inputs.operands[static_cast<size_t>(large)]->WithoutLayout();
    if (!operand.has_rank() || !fix.shape.has_rank()) continue;
    fix.shape.set_element_type(operand.element_type());
    if (ChangeText(operand, fix.shape, "") != "") {
      fixes.push_back(std::move(fix));
    }
  }
  return fixes;
}

// For a get-tuple-element of an array: the array itself.
std::vector<Fix> OfNoTuple(const OpInputs& inputs, const Diagnostic& broken) {
  const Shape& operand = *inputs.operands[static_cast<size_t>(broken.operand)];
  if (!operand.is_array()) return {};
  Fix fix;
  fix.what = Fix::What::kUnwrapped;
  fix.index = broken.operand;
  return {std::move(fix)};
}

// Possible changes, the likeliest first; the caller tries whether inference
// succeeds.
std::vector<Fix> CandidateFixes(const OpInputs& inputs, const Constraint& c,
                                const Diagnostic& broken) {
  switch (c.kind) {
    case ConstraintKind::kDims:
      return OfDims(inputs, c, broken);
    case ConstraintKind::kPairs: {
      std::vector<Fix> fixes = broken.code == Code::kSizesMustMatch
                                   ? OfSizes(inputs, c, broken)
                                   : OfCounts(inputs, c);
      std::optional<Fix> product = BatchedProduct(inputs);
      if (product) fixes.insert(fixes.begin(), *std::move(product));
      return fixes;
    }
    case ConstraintKind::kIsTuple:
      return OfNoTuple(inputs, broken);
    case ConstraintKind::kScalarOrDims:
      return inputs.opcode == Opcode::kSelect ? OfSelect(inputs)
                                              : std::vector<Fix>();
    default:
      return {};
  }
}

// For two dims of different sizes that a shape function compares: the later one
// gets the earlier one's size, or the reverse.
std::optional<Fix> WithSizeOfOther(const OpInputs& inputs,
                                   const Diagnostic& d) {
  const int count = static_cast<int>(inputs.operands.size());
  const auto is_dim = [&](int operand, int dim) {
    return operand >= 0 && operand < count && dim >= 0 &&
           dim < inputs.operands[operand]->rank();
  };
  // Broadcast dims could be meant in several ways.
  if (Info(inputs.opcode).has(kBroadcasts) || !is_dim(d.operand, d.dim) ||
      !is_dim(d.other_operand, d.other_dim)) {
    return std::nullopt;
  }
  std::pair<int, int> late = {d.operand, d.dim};
  std::pair<int, int> early = {d.other_operand, d.other_dim};
  if (late < early) std::swap(late, early);
  for (int i = 0; i < 2; ++i, std::swap(late, early)) {
    Fix fix;
    fix.index = late.first;
    fix.shape = inputs.operands[late.first]->WithoutLayout();
    fix.shape.set_dim(late.second,
                      inputs.operands[early.first]->dim(early.second));
    if (ResultOf(inputs, fix)) return fix;
  }
  return std::nullopt;
}

// The first fix after which inference gives the recorded result; else the first
// after which it succeeds.
std::optional<Fix> FirstThatWorks(const OpInputs& inputs,
                                  std::vector<Fix> fixes,
                                  std::optional<Code> mended = std::nullopt) {
  std::optional<Fix> first;
  for (Fix& fix : fixes) {
    const std::optional<Shape> result = ResultOf(inputs, fix, mended);
    if (!result) continue;
    if (inputs.declared == nullptr || Compatible(*result, *inputs.declared)) {
      return std::move(fix);
    }
    if (!first) first = std::move(fix);
  }
  return first;
}

}  // namespace

std::optional<Attributes> DimsFromEnd(const OpInputs& inputs,
                                      const Diagnostic& diagnostic) {
  if (inputs.attributes == nullptr) return std::nullopt;
  Attributes counted = *inputs.attributes;
  bool changed = false;
  const auto count = [&](const Constraint& c, int operand) {
    const int64_t rank = inputs.operands[static_cast<size_t>(operand)]->rank();
    for (const AttributeRef* list : {c.attribute, c.second}) {
      if (list == nullptr) continue;
      const NumberList given = list->numbers(counted);
      DimIndices numbers(given.begin(), given.end());
      for (int64_t& dim : numbers) {
        if (dim >= 0 || dim < -rank) continue;
        dim += rank;
        changed = true;
      }
      list->set(&counted, numbers);
    }
  };
  const auto names = [&](const Constraint& c) {
    return c.kind == ConstraintKind::kDims &&
           diagnostic.code == Code::kDimIndexRange &&
           diagnostic.args[0] ==
               DiagnosticArg(std::string(
                   c.second != nullptr ? c.value : c.attribute->name));
  };
  for (const Constraint& c : DeclarationOf(inputs.opcode).constraints) {
    if (names(c)) {
      count(c, diagnostic.operand);
    } else if (c.kind == ConstraintKind::kPermutation &&
               diagnostic.code == Code::kNotAPermutation) {
      count(c, c.other);
    }
  }
  if (std::holds_alternative<CollectiveAttributes>(counted) && names(kShards)) {
    count(kShards, diagnostic.operand);
  }
  if (!changed) return std::nullopt;
  return counted;
}

std::vector<ElementType> TypesInsteadOf(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  if (info.kind != ElementKind::kUnsigned && info.kind != ElementKind::kPred) {
    return {ElementType::kF32, ElementType::kC64, ElementType::kS32};
  }
  std::vector<ElementType> types;
  if (info.bits < 32) types.push_back(ElementType::kS32);
  if (info.bits < 64) types.push_back(ElementType::kS64);
  types.push_back(info.bits < 16 ? ElementType::kF32 : ElementType::kF64);
  return types;
}

std::optional<Shape> ResultOf(const OpInputs& inputs, const Fix& fix,
                              std::optional<Code> mended) {
  OwnedInputs repaired(inputs);
  repaired.Apply(fix);
  InferContext context;
  std::optional<Shape> result = InferShape(&context, repaired.View());
  for (const Diagnostic& d : context.diagnostics()) {
    if (d.code == mended) return std::nullopt;
  }
  return result;
}

std::optional<Fix> LikelyFix(const OpInputs& inputs,
                             const Constraint& constraint,
                             const Diagnostic& broken) {
  return FirstThatWorks(inputs, CandidateFixes(inputs, constraint, broken));
}

std::optional<Fix> UndeclaredFix(const OpInputs& inputs,
                                 const Diagnostic& diagnostic) {
  if (inputs.operands.empty()) return std::nullopt;
  std::optional<Fix> layout =
      FirstThatWorks(inputs, ConvolutionLayouts(inputs, diagnostic));
  if (layout) return layout;
  std::vector<Fix> fixes = diagnostic.code == Code::kDimIndexRange
                               ? OfDims(inputs, kShards, diagnostic)
                               : UndeclaredCandidates(inputs, diagnostic);
  for (Fix& fix : fixes) {
    if (ResultOf(inputs, fix)) return std::move(fix);
  }
  std::optional<Fix> same = WithSizeOfOther(inputs, diagnostic);
  if (same) return same;
  return FirstThatWorks(inputs, DimensionNumbers(inputs), diagnostic.code);
}

std::optional<Fix> ExplicitBroadcast(const OpInputs& inputs,
                                     const Diagnostic& diagnostic) {
  const int i = diagnostic.operand;
  const int count = static_cast<int>(inputs.operands.size());
  if (i < 0 || i >= count || diagnostic.args.empty()) return std::nullopt;
  const Shape* const named = std::get_if<Shape>(&diagnostic.args[0]);
  if (named == nullptr || !named->has_rank()) return std::nullopt;
  for (int small = 0; small < count; ++small) {
    const Shape& operand = *inputs.operands[static_cast<size_t>(small)];
    const Shape& wanted =
        small == i ? *named : *inputs.operands[static_cast<size_t>(i)];
    if (!operand.has_rank() || !wanted.has_rank() ||
        operand.rank() > wanted.rank() || operand.dims() == wanted.dims()) {
      continue;
    }
    Fix fix;
    fix.index = small;
    fix.shape = wanted.WithoutLayout();
    fix.shape.set_element_type(operand.element_type());
    const std::optional<Shape> result = ResultOf(inputs, fix);
    if (result &&
        (inputs.declared == nullptr || Compatible(*result, *inputs.declared))) {
      return fix;
    }
  }
  return std::nullopt;
}

std::optional<Fix> WithBroadcast(const OpInputs& inputs,
                                 const DimIndices& dimensions) {
  Fix fix;
  fix.what = Fix::What::kBroadcast;
  fix.numbers = dimensions;
  return ResultOf(inputs, fix) ? std::make_optional(std::move(fix))
                               : std::nullopt;
}

std::optional<Fix> OtherBroadcast(const OpInputs& inputs,
                                  const Diagnostic& diagnostic) {
  if ((diagnostic.code != Code::kDimsDiffer &&
       diagnostic.code != Code::kSizesDiffer) ||
      inputs.operands.size() != 2 || inputs.attributes == nullptr) {
    return std::nullopt;
  }
  const auto* const compare = std::get_if<CompareAttributes>(inputs.attributes);
  const auto* const plain =
      std::get_if<ElementwiseAttributes>(inputs.attributes);
  if (compare == nullptr && plain == nullptr) return std::nullopt;
  const BroadcastRule rule =
      compare != nullptr ? compare->broadcast.rule : plain->broadcast.rule;
  if (rule == BroadcastRule::kXla) return std::nullopt;
  BroadcastPlan plan;
  std::vector<Diagnostic> found;
  if (PlanBroadcast({}, inputs.operands, &plan, &found) || found.empty() ||
      !found[0].fix_broadcast_dimensions) {
    return std::nullopt;
  }
  return WithBroadcast(inputs, *found[0].fix_broadcast_dimensions);
}

}  // namespace indim
