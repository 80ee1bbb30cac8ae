// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/fix.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "indim/shape/fixes/fix_candidates.h"
#include "indim/shape/fixes/reshape_fixes.h"
#include "indim/shape/infer/check_constraint.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"

namespace indim {
namespace {

Shape WithType(Shape shape, ElementType type) {
  shape.set_element_type(type);
  return shape;
}

Shape SampleOf(ShapeForm form, const Shape& data) {
  switch (form) {
    case ShapeForm::kArray:
      break;
    case ShapeForm::kStarted:
      return Shape::Tuple({data, data});
    case ShapeForm::kTransfer:
      return Shape::Tuple(
          {data, Shape::Scalar(ElementType::kU32), Shape::Token()});
    case ShapeForm::kCopied:
      return Shape::Tuple({data, data, Shape::Scalar(ElementType::kU32)});
    case ShapeForm::kReceived:
      return Shape::Tuple({data, Shape::Token()});
  }
  return data;
}

Fix RecordedAs(const Shape& shape) {
  Fix fix;
  fix.what = Fix::What::kRecorded;
  fix.shape = shape.WithoutLayout();
  return fix;
}

// Makes changes for one constraint that a diagnostic reports as broken.
class Fixer {
 public:
  Fixer(const OpInputs& inputs, const Constraint& c, const Diagnostic& d)
      : inputs_(inputs),
        c_(c),
        at_(d.operand >= 0 ? d.operand : 0),
        other_(d.other_operand >= 0 ? d.other_operand : c.other),
        broken_(d) {}

  // The possible changes, the best first.
  std::vector<Fix> All() const;

 private:
  const Shape& Operand(int i) const { return *inputs_.operands[i]; }
  DimIndices Numbers(const AttributeRef* ref) const {
    const NumberList numbers = ref->numbers(
        inputs_.attributes != nullptr ? *inputs_.attributes : nothing_);
    return DimIndices(numbers.begin(), numbers.end());
  }
  // An array operand other than `but`, without its layout; f32[] where there is
  // none.
  Shape SomeArray(int but) const;

  std::optional<Fix> OneOperand() const;
  std::optional<Fix> ToOther() const;
  std::optional<Fix> OfAttribute() const;
  std::optional<Fix> OfTheRest() const;

  static Fix OperandAs(int i, Shape shape) {
    Fix fix;
    fix.index = i;
    fix.shape = shape.WithoutLayout();
    return fix;
  }
  Fix Typed(int i, ElementType type) const {
    return OperandAs(i, WithType(Operand(i), type));
  }
  Fix DimsOf(const Shape& other) const {
    return OperandAs(at_, WithType(other, Operand(at_).element_type()));
  }
  static Fix NumbersAs(const AttributeRef* ref, DimIndices numbers) {
    Fix fix;
    fix.what = Fix::What::kAttribute;
    fix.attribute = ref;
    fix.numbers = std::move(numbers);
    return fix;
  }
  static Fix CountAs(int count) {
    Fix fix;
    fix.what = Fix::What::kOperandCount;
    fix.index = count;
    return fix;
  }
  static Fix CalleeAs(Signature callee) {
    Fix fix;
    fix.what = Fix::What::kCallee;
    fix.callee = std::move(callee);
    return fix;
  }

  // `numbers` as dims of an array of rank `rank`, each once and not in `taken`:
  // a number that isn't such a dim becomes the first free one, or is dropped.
  DimIndices AsDims(const DimIndices& numbers, int64_t rank,
                    const DimIndices& taken) const;
  DimIndices Resized(DimIndices numbers, int64_t length) const;
  std::optional<Fix> Pairs() const;
  Signature ReducerOf() const;

  const OpInputs& inputs_;
  const Constraint& c_;
  const int at_;
  const int other_;
  const Diagnostic& broken_;
  const Attributes nothing_ = {};
};

Shape Fixer::SomeArray(int but) const {
  for (size_t i = 0; i < inputs_.operands.size(); ++i) {
    if (static_cast<int>(i) != but && inputs_.operands[i]->is_array()) {
      return inputs_.operands[i]->WithoutLayout();
    }
  }
  return Shape::Scalar(ElementType::kF32);
}

std::optional<Fix> Fixer::OneOperand() const {
  if (inputs_.operands.empty()) return std::nullopt;
  const Shape& operand = Operand(at_);
  const Shape array = operand.is_array() ? operand : SomeArray(at_);
  switch (c_.kind) {
    case ConstraintKind::kArray:
    case ConstraintKind::kArrayOrBuffer:
      return OperandAs(at_, array);
    case ConstraintKind::kElements:
    case ConstraintKind::kElementsWhere:
      return OperandAs(
          at_, WithType(array, TypeIn(c_.elements, array.element_type())));
    case ConstraintKind::kOfType:
      return OperandAs(at_, WithType(array, c_.type));
    case ConstraintKind::kScalar:
      return OperandAs(at_, Shape::Scalar(array.element_type()));
    case ConstraintKind::kSizeScalar:
      return OperandAs(at_, Shape::Scalar(ElementType::kS32));
    case ConstraintKind::kToken:
      return OperandAs(at_, Shape::Token());
    case ConstraintKind::kIsTuple:
      return OperandAs(at_, Shape::Tuple({operand}));
    case ConstraintKind::kForm:
      return OperandAs(at_, SampleOf(c_.form, SomeArray(-1)));
    case ConstraintKind::kRankAtLeast: {
      DimVector dims(operand.dims().begin(), operand.dims().end());
      while (Number(dims.size()) < c_.number) {
        dims.insert(dims.begin(), Dim::Static(1));
      }
      return OperandAs(at_, Shape::Array(operand.element_type(), dims));
    }
    case ConstraintKind::kRankAtMost: {
      if (operand.is_scalar()) {
        return OperandAs(at_, Shape::Of(operand.element_type(), {1}));
      }
      return OperandAs(
          at_, Shape::Array(
                   operand.element_type(),
                   operand.dims().subspan(0, static_cast<size_t>(c_.number))));
    }
    case ConstraintKind::kSquare: {
      Shape square = operand;
      square.set_dim(operand.rank() - 1, operand.dim(operand.rank() - 2));
      return OperandAs(at_, square);
    }
    default:
      return std::nullopt;
  }
}

std::optional<Fix> Fixer::ToOther() const {
  switch (c_.kind) {
    case ConstraintKind::kSameWidth: {
      const std::optional<ElementType> type =
          UnsignedOfWidth(Info(Operand(c_.other).element_type()).bits);
      if (!type) return std::nullopt;
      return Typed(at_, *type);
    }
    case ConstraintKind::kScalarOrDims:
      if (!Operand(at_).is_array()) return OperandAs(at_, SomeArray(at_));
      return DimsOf(Operand(other_));
    case ConstraintKind::kSameRank:
    case ConstraintKind::kSameDims:
    case ConstraintKind::kExactDims:
      return DimsOf(Operand(other_));
    case ConstraintKind::kSameShape:
      return OperandAs(at_, Operand(other_));
    case ConstraintKind::kVector:
    case ConstraintKind::kVectorOrMore:
      return OperandAs(at_, Shape::Array(Operand(at_).element_type(),
                                         {std::get<Dim>(broken_.args.at(0))}));
    default:
      return std::nullopt;
  }
}

DimIndices Fixer::AsDims(const DimIndices& numbers, int64_t rank,
                         const DimIndices& taken) const {
  DimIndices used = taken;
  DimIndices dims;
  int64_t free = 0;
  for (int64_t number : numbers) {
    if (number < 0 || number >= rank || absl::c_linear_search(used, number)) {
      while (free < rank && (absl::c_linear_search(used, free) ||
                             absl::c_linear_search(numbers, free))) {
        ++free;
      }
      if (free == rank) continue;
      number = free;
    }
    used.push_back(number);
    dims.push_back(number);
  }
  return dims;
}

// `numbers` with `length` entries; new entries continue the count.
DimIndices Fixer::Resized(DimIndices numbers, int64_t length) const {
  constexpr int64_t kMax = 64;
  length = std::min(length, kMax);
  while (Number(numbers.size()) < length) {
    numbers.push_back(Number(numbers.size()));
  }
  numbers.resize(static_cast<size_t>(length));
  return numbers;
}

std::optional<Fix> Fixer::Pairs() const {
  const DimIndices lhs = Numbers(c_.attribute);
  const DimIndices rhs = Numbers(c_.second);
  if (broken_.code == Code::kContractionCounts) {
    const size_t pairs = std::min(lhs.size(), rhs.size());
    const bool shorten_lhs = lhs.size() > pairs;
    return NumbersAs(shorten_lhs ? c_.attribute : c_.second,
                     Resized(shorten_lhs ? lhs : rhs, Number(pairs)));
  }
  Shape second = Operand(1);
  for (size_t i = 0; i < lhs.size(); ++i) {
    second.set_dim(static_cast<int>(rhs[i]),
                   Operand(0).dim(static_cast<int>(lhs[i])));
  }
  return OperandAs(1, second);
}

std::optional<Fix> Fixer::OfAttribute() const {
  // Nobody edits longer lists by hand.
  constexpr int64_t kMax = 64;
  for (const AttributeRef* ref : {c_.attribute, c_.second}) {
    if (ref != nullptr && Number(Numbers(ref).size()) > kMax) {
      return std::nullopt;
    }
  }
  switch (c_.kind) {
    case ConstraintKind::kAtLeast:
      return NumbersAs(c_.attribute, {c_.number});
    case ConstraintKind::kLength:
      return NumbersAs(c_.attribute, Resized(Numbers(c_.attribute), c_.number));
    case ConstraintKind::kLengthIsRank: {
      const int64_t rank = Operand(c_.other).has_rank()
                               ? Operand(c_.other).rank()
                               : c_.second->length(*inputs_.attributes);
      return NumbersAs(c_.attribute, Resized(Numbers(c_.attribute), rank));
    }
    case ConstraintKind::kDims: {
      const int64_t rank = Operand(at_).has_rank()
                               ? Operand(at_).rank()
                               : std::numeric_limits<int64_t>::max();
      if (c_.second == nullptr) {
        return NumbersAs(c_.attribute, AsDims(Numbers(c_.attribute), rank, {}));
      }
      const DimIndices first = Numbers(c_.attribute);
      const DimIndices mended = AsDims(first, rank, {});
      if (mended != first) return NumbersAs(c_.attribute, mended);
      return NumbersAs(c_.second, AsDims(Numbers(c_.second), rank, first));
    }
    case ConstraintKind::kPermutation: {
      const Shape& operand = Operand(c_.other);
      const int64_t rank = operand.has_rank()
                               ? operand.rank()
                               : Number(Numbers(c_.attribute).size());
      return NumbersAs(c_.attribute,
                       AsDims(Resized(Numbers(c_.attribute), rank), rank, {}));
    }
    case ConstraintKind::kElementIndex:
      return NumbersAs(
          c_.attribute,
          {Numbers(c_.attribute)[0] < 0
               ? 0
               : std::max<int64_t>(Operand(at_).tuple_size() - 1, 0)});
    case ConstraintKind::kPairs:
      return Pairs();
    case ConstraintKind::kOneForEach:
      if (broken_.code != c_.codes[0]) {  // the list is empty
        if (Operand(0).is_scalar()) return std::nullopt;
        return NumbersAs(c_.second, {0});
      }
      return NumbersAs(
          c_.attribute,
          Resized(Numbers(c_.attribute), Number(Numbers(c_.second).size())));
    case ConstraintKind::kSizeInInt32: {
      Shape smaller = Operand(at_);
      smaller.set_dim(broken_.dim,
                      Dim::Static(std::numeric_limits<int32_t>::max()));
      return OperandAs(at_, smaller);
    }
    default:
      return std::nullopt;
  }
}

// A reducer of the first half of the operands.
Signature Fixer::ReducerOf() const {
  const size_t count = inputs_.operands.size() / 2;
  Signature reducer;
  for (size_t i = 0; i < count; ++i) {
    reducer.parameters.push_back(
        Shape::Scalar(Operand(static_cast<int>(i)).element_type()));
  }
  const std::vector<Shape> scalars = reducer.parameters;
  reducer.parameters.insert(reducer.parameters.end(), scalars.begin(),
                            scalars.end());
  reducer.result = count == 1 ? scalars[0] : Shape::Tuple(scalars);
  return reducer;
}

std::optional<Fix> Fixer::OfTheRest() const {
  const int count = static_cast<int>(inputs_.operands.size());
  switch (c_.kind) {
    case ConstraintKind::kRecordedArray:
    case ConstraintKind::kRecordedType:
      return RecordedAs(SomeArray(-1));
    case ConstraintKind::kRecordedForm:
      return RecordedAs(SampleOf(c_.form, SomeArray(-1)));
    case ConstraintKind::kElementCount:
      return RecordedAs(Operand(0));
    case ConstraintKind::kSizesForDims:
      return CountAs(c_.operands.first + inputs_.declared->rank());
    case ConstraintKind::kEven:
    case ConstraintKind::kOdd:
      return CountAs(count + 1);
    case ConstraintKind::kArguments:
    case ConstraintKind::kAtLeastOperands: {
      Signature callee = *inputs_.callees[0];
      callee.parameters.clear();
      for (const Shape* operand : inputs_.operands) {
        callee.parameters.push_back(operand->WithoutLayout());
      }
      return CalleeAs(std::move(callee));
    }
    case ConstraintKind::kReducer: {
      // If the code is about an initial value, change that.
      for (int i = 0; i < count / 2; ++i) {
        const Shape wanted = Shape::Scalar(Operand(i).element_type());
        if (!Compatible(Operand(count / 2 + i), wanted) &&
            (broken_.code == Code::kReducerInit)) {
          return OperandAs(count / 2 + i, wanted);
        }
      }
      return CalleeAs(ReducerOf());
    }
    case ConstraintKind::kComparator: {
      Signature comparator;
      for (const Shape* operand : inputs_.operands) {
        const Shape scalar = Shape::Scalar(operand->element_type());
        comparator.parameters.insert(comparator.parameters.end(), 2, scalar);
      }
      comparator.result = Shape::Scalar(ElementType::kPred);
      return CalleeAs(std::move(comparator));
    }
    default:
      return std::nullopt;
  }
}

std::vector<Fix> Fixer::All() const {
  if (c_.kind == ConstraintKind::kCommonType ||
      c_.kind == ConstraintKind::kSameType ||
      c_.kind == ConstraintKind::kSameFloatType) {
    // Prefer to keep the earlier operand.
    const int early = std::min(at_, other_), late = std::max(at_, other_);
    return {Typed(late, Operand(early).element_type()),
            Typed(early, Operand(late).element_type())};
  }
  for (auto family : {&Fixer::OneOperand, &Fixer::ToOther, &Fixer::OfAttribute,
                      &Fixer::OfTheRest}) {
    std::optional<Fix> fix = (this->*family)();
    if (fix) return {*std::move(fix)};
  }
  return {};
}

// The first error of `constraint`; nullopt: it holds.
std::optional<Diagnostic> BrokenBy(const OpInputs& inputs,
                                   const Constraint& constraint) {
  InferContext context(PolicyOf(constraint));
  if (CheckConstraint(&context, inputs, constraint)) return std::nullopt;
  for (const Diagnostic& d : context.diagnostics()) {
    if (d.severity() == Severity::kError) return d;
  }
  return std::nullopt;
}

// Whether counts are right and nothing is missing, as constraints require.
bool IsWhole(const OpInputs& inputs) {
  const OpInfo& op = Info(inputs.opcode);
  const int operands = static_cast<int>(inputs.operands.size());
  const int callees = static_cast<int>(inputs.callees.size());
  for (const Shape* operand : inputs.operands) {
    if (operand == nullptr || operand->is_none()) return false;
  }
  for (const Signature* callee : inputs.callees) {
    if (callee == nullptr) return false;
  }
  if (op.result == ResultSource::kGiven &&
      (inputs.declared == nullptr || inputs.declared->is_none())) {
    return false;
  }
  return operands >= op.min_operands &&
         (op.max_operands < 0 || operands <= op.max_operands) &&
         (op.callees < 0 || callees == op.callees);
}

// The result that the operands give: of an error that tells of one dim, or of
// the rank. kResultDiffers has it in its words.
std::optional<Fix> RecordedAsInferred(const OpInputs& inputs,
                                      const Diagnostic& diagnostic) {
  if (inputs.declared == nullptr ||
      (diagnostic.code != Code::kResultRankDiffers &&
       diagnostic.code != Code::kResultDimDiffers)) {
    return std::nullopt;
  }
  InferContext context;
  const std::optional<Shape> inferred = InferShape(&context, inputs);
  if (!inferred || context.has_error()) return std::nullopt;
  return RecordedAs(*inferred);
}

bool Works(const OpInputs& inputs, const Fix& fix) {
  return ResultOf(inputs, fix).has_value();
}

}  // namespace

ElementType TypeIn(TypeMask accepted, ElementType type) {
  if (Accepts(accepted, type)) return type;
  if (IsUnsigned(type)) {
    for (const ElementType candidate : TypesInsteadOf(type)) {
      if (Accepts(accepted, candidate)) return candidate;
    }
  }
  for (ElementType candidate : {ElementType::kF32, ElementType::kS32,
                                ElementType::kU32, ElementType::kPred}) {
    if (Accepts(accepted, candidate)) return candidate;
  }
  return ElementType::kF32;
}

std::optional<Fix> FixOf(const OpInputs& inputs, const Constraint& constraint) {
  const std::optional<Diagnostic> broken = BrokenBy(inputs, constraint);
  if (!broken) return std::nullopt;
  std::vector<Fix> fixes = Fixer(inputs, constraint, *broken).All();
  if (fixes.empty()) return std::nullopt;
  return std::move(fixes[0]);
}

std::optional<Fix> SuggestFix(const OpInputs& inputs,
                              const Diagnostic& diagnostic) {
  if (auto other = ResultOfSizes(inputs, diagnostic)) return other;
  if (!IsWhole(inputs)) return std::nullopt;
  if (diagnostic.fix_broadcast_dimensions) {
    return WithBroadcast(inputs, *diagnostic.fix_broadcast_dimensions);
  }
  if (auto other = OtherBroadcast(inputs, diagnostic)) return other;
  if (auto other = RecordedAsInferred(inputs, diagnostic)) return other;
  if (diagnostic.code == Code::kImplicitBroadcast) {
    return ExplicitBroadcast(inputs, diagnostic);
  }
  for (const Constraint& c : DeclarationOf(inputs.opcode).constraints) {
    const std::optional<Diagnostic> broken = BrokenBy(inputs, c);
    if (!broken) continue;
    if (broken->code != diagnostic.code ||
        broken->operand != diagnostic.operand) {
      if (c.judge == ConstraintJudge::kVerifier) {
        continue;  // the builder doesn't check it
      }
      return std::nullopt;
    }
    std::optional<Fix> likely = LikelyFix(inputs, c, *broken);
    if (likely) return likely;
    for (Fix& fix : Fixer(inputs, c, *broken).All()) {
      if (Works(inputs, fix)) return std::move(fix);
    }
    return std::nullopt;
  }
  return UndeclaredFix(inputs, diagnostic);
}

}  // namespace indim
