// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/shape/infer/declared_inputs.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "indim/shape/infer/check_constraint.h"
#include "indim/tests/shape/infer/attribute_fitter.h"

namespace indim {
namespace {

const ElementType kTypes[] = {
    ElementType::kPred, ElementType::kS8,  ElementType::kS32, ElementType::kU8,
    ElementType::kU16,  ElementType::kU32, ElementType::kU64, ElementType::kF16,
    ElementType::kBF16, ElementType::kF32, ElementType::kF64, ElementType::kC64,
    ElementType::kC128};

// One of `good` with changes, each the smallest of its kind.
class Breaker {
 public:
  Breaker(const OwnedInputs& good, const Constraint& c, Code code)
      : good_(good),
        c_(c),
        code_(code),
        count_(static_cast<int>(good.operands.size())) {}

  std::vector<OwnedInputs> Make();

 private:
  int begin() const { return c_.operands.begin(count_); }
  int end() const { return c_.operands.end(count_); }

  void Add(const std::function<void(OwnedInputs*)>& change) {
    found_.push_back(good_);
    change(&found_.back());
  }
  void OperandAs(int i, const Shape& shape) {
    Add([&](OwnedInputs* to) { to->operands[i] = shape; });
  }
  void NumbersAs(const AttributeRef* ref, const DimIndices& numbers) {
    Add([&](OwnedInputs* to) { ref->set(&to->attributes, numbers); });
  }
  void RecordedAs(const Shape& shape) {
    Add([&](OwnedInputs* to) { to->declared = shape; });
  }
  DimIndices Numbers(const AttributeRef* ref) const {
    const NumberList numbers = ref->numbers(good_.attributes);
    return DimIndices(numbers.begin(), numbers.end());
  }

  void NoArray(int i) {
    OperandAs(i, Shape::Token());
    OperandAs(i, Shape::Tuple({Shape::Scalar(ElementType::kF32)}));
  }
  void Types(int i) {
    if (!good_.operands[i].is_array()) return;
    for (const ElementType type : kTypes) {
      Shape shape = good_.operands[i];
      shape.set_element_type(type);
      OperandAs(i, shape);
    }
  }
  void OtherSize(int i, int dim) {
    Shape shape = good_.operands[i];
    if (dim < 0 || dim >= shape.rank() || !shape.dim(dim).has_upper()) return;
    shape.set_dim(dim, Dim::Static(shape.dim(dim).upper() + 1));
    OperandAs(i, shape);
  }
  void OtherSizes(int i) {
    for (int dim = 0; dim < good_.operands[i].rank(); ++dim) OtherSize(i, dim);
  }
  void OtherRanks(int i) {
    Shape shape = good_.operands[i];
    if (!shape.has_rank()) return;
    for (int k = 0; k < 3; ++k) {
      shape.add_dim(Dim::Static(2));
      OperandAs(i, shape);
    }
    for (int rank = 0; rank < good_.operands[i].rank(); ++rank) {
      OperandAs(
          i, Shape::Array(shape.element_type(),
                          shape.dims().subspan(0, static_cast<size_t>(rank))));
    }
  }
  void NoScalar(int i) {
    OperandAs(i, Shape::Of(good_.operands[i].element_type(), {2}));
  }
  void OneOperand(int i);
  void Against(int i);
  void Attribute();
  void OtherLengths(const AttributeRef* ref);
  void OtherDims();
  void Pairs();
  void Recorded();
  void OtherCounts();
  void Callee();

  const OwnedInputs& good_;
  const Constraint& c_;
  const Code code_;
  const int count_;
  std::vector<OwnedInputs> found_;
};

void Breaker::OneOperand(int i) {
  if (code_ == Code::kOperandNotArray) return NoArray(i);
  switch (c_.kind) {
    case ConstraintKind::kElements:
    case ConstraintKind::kOfType:
    case ConstraintKind::kSameWidth:
      return Types(i);
    case ConstraintKind::kElementsWhere:
      return NumbersAs(c_.attribute, {c_.number});
    case ConstraintKind::kScalar:
      return NoScalar(i);
    case ConstraintKind::kSizeScalar:
      OperandAs(i, Shape::Of(ElementType::kS32, {1}));
      OperandAs(i, Shape::Scalar(ElementType::kS64));
      return;
    case ConstraintKind::kToken:
    case ConstraintKind::kIsTuple:
    case ConstraintKind::kForm:
      OperandAs(i, Shape::Scalar(ElementType::kF32));
      if (c_.kind != ConstraintKind::kIsTuple) {
        OperandAs(i, Shape::Tuple({Shape::Scalar(ElementType::kF32)}));
      }
      return;
    case ConstraintKind::kRankAtLeast:
    case ConstraintKind::kRankAtMost:
      return OtherRanks(i);
    case ConstraintKind::kSquare:
      return OtherSize(i, good_.operands[i].rank() - 1);
    default:
      return;
  }
}

void Breaker::Against(int i) {
  switch (c_.kind) {
    case ConstraintKind::kCommonType:
      if (code_ == Code::kNoCommonType) {
        Add([&](OwnedInputs* to) {
          to->operands[i].set_element_type(ElementType::kF8E5M2);
          to->operands[c_.other].set_element_type(ElementType::kF8E5M2FNUZ);
        });
        return;
      }
      return Types(i);
    case ConstraintKind::kSameType:
    case ConstraintKind::kSameFloatType:
      return Types(i);
    case ConstraintKind::kSameRank:
      return OtherRanks(i);
    case ConstraintKind::kSameDims:
      if (code_ == Code::kOperandRanksDiffer) return OtherRanks(i);
      return OtherSizes(i);
    case ConstraintKind::kExactDims:
    case ConstraintKind::kScalarOrDims:
      OtherSizes(i);
      return OtherRanks(i);
    case ConstraintKind::kSameShape:
      Types(i);
      return OtherSizes(i);
    case ConstraintKind::kVector:
      OtherSizes(i);
      return OtherRanks(i);
    case ConstraintKind::kVectorOrMore:
      return OtherSize(i, 0);
    default:
      return;
  }
}

void Breaker::OtherLengths(const AttributeRef* ref) {
  DimIndices numbers = Numbers(ref);
  numbers.resize(static_cast<size_t>(ref->length(good_.attributes)));
  numbers.push_back(0);
  NumbersAs(ref, numbers);
  numbers.pop_back();
  if (numbers.empty()) return;
  numbers.pop_back();
  NumbersAs(ref, numbers);
}

void Breaker::OtherDims() {
  const AttributeRef* const ref = c_.attribute;
  const DimIndices good = Numbers(ref);
  if (code_ == Code::kDimIndexRepeated || code_ == Code::kNotAPermutation) {
    for (const AttributeRef* list : {c_.attribute, c_.second}) {
      if (list == nullptr || good.empty()) continue;
      DimIndices numbers = Numbers(list);
      numbers.push_back(good[0]);
      NumbersAs(list, numbers);
    }
  }
  if (code_ == Code::kDimIndexRepeated) return;
  for (const int64_t wrong : {int64_t{-1}, int64_t{99}}) {
    DimIndices numbers = good;
    if (numbers.empty()) numbers.push_back(0);
    numbers.back() = wrong;
    NumbersAs(ref, numbers);
  }
}

void Breaker::Pairs() {
  if (code_ == Code::kContractionCounts) {
    for (const AttributeRef* list : {c_.attribute, c_.second}) {
      DimIndices numbers = Numbers(list);
      if (!numbers.empty()) {
        numbers.pop_back();
        NumbersAs(list, numbers);
      }
      // A dim that isn't in use is at most one of these.
      for (int64_t dim = 0; dim < 5; ++dim) {
        numbers = Numbers(list);
        numbers.push_back(dim);
        NumbersAs(list, numbers);
      }
    }
    return;
  }
  for (const int64_t dim : Numbers(c_.second)) {
    OtherSize(1, static_cast<int>(dim));
  }
}

void Breaker::Attribute() {
  switch (c_.kind) {
    case ConstraintKind::kAtLeast:
      return NumbersAs(c_.attribute, {c_.number - 1});
    case ConstraintKind::kLength:
    case ConstraintKind::kLengthIsRank:
      return OtherLengths(c_.attribute);
    case ConstraintKind::kDims:
    case ConstraintKind::kPermutation:
      return OtherDims();
    case ConstraintKind::kElementIndex:
      NumbersAs(c_.attribute, {-1});
      return NumbersAs(c_.attribute, {100});
    case ConstraintKind::kPairs:
      return Pairs();
    case ConstraintKind::kOneForEach:
      if (code_ == c_.codes[0]) return OtherLengths(c_.attribute);
      return NumbersAs(c_.second, {});
    case ConstraintKind::kSizeInInt32:
      Add([&](OwnedInputs* to) {
        Shape& operand = to->operands[begin()];
        const DimIndices numbers = Numbers(c_.attribute);
        if (operand.has_rank()) {
          operand.set_dim(static_cast<int>(numbers[0]),
                          Dim::Static(int64_t{1} << 31));
        }
      });
      return;
    default:
      return;
  }
}

void Breaker::Recorded() {
  switch (c_.kind) {
    case ConstraintKind::kRecordedArray:
    case ConstraintKind::kRecordedType:
      return RecordedAs(code_ == Code::kResultShapeNeeded ? Shape()
                                                          : Shape::Token());
    case ConstraintKind::kRecordedForm:
      RecordedAs(Shape::Token());
      return RecordedAs(Shape::Tuple({Shape::Token()}));
    case ConstraintKind::kElementCount:
      for (int dim = 0; dim < good_.declared.rank(); ++dim) {
        Shape shape = good_.declared;
        if (!shape.dim(dim).has_upper()) continue;
        shape.set_dim(dim, Dim::Static(shape.dim(dim).upper() + 1));
        RecordedAs(shape);
      }
      Add([](OwnedInputs* to) { to->declared.add_dim(Dim::Static(7)); });
      return;
    case ConstraintKind::kSizesForDims:
      Add([](OwnedInputs* to) { to->declared.add_dim(Dim::Static(1)); });
      return;
    default:
      return;
  }
}

void Breaker::OtherCounts() {
  if (c_.kind != ConstraintKind::kEven && c_.kind != ConstraintKind::kOdd) {
    return;
  }
  Add([](OwnedInputs* to) { to->operands.push_back(to->operands.back()); });
}

void Breaker::Callee() {
  if (good_.callees.empty()) return;
  const Shape other = Shape::Token();
  switch (code_) {
    case Code::kCalleeArity:
    case Code::kReducerParameters:
    case Code::kComparatorSignature:
      Add([&](OwnedInputs* to) { to->callees[0].parameters.push_back(other); });
      return;
    case Code::kCalleeParameter:
    case Code::kComparatorParameter:
      Add([&](OwnedInputs* to) {
        if (!to->callees[0].parameters.empty()) {
          Shape& parameter = to->callees[0].parameters.back();
          parameter = parameter.is_token() ? Shape::Opaque() : other;
        }
      });
      return;
    case Code::kReducerResult:
      Add([&](OwnedInputs* to) { to->callees[0].result = other; });
      return;
    default:
      return;
  }
}

std::vector<OwnedInputs> Breaker::Make() {
  for (int i = begin(); i < end(); ++i) {
    OneOperand(i);
    Against(i);
  }
  Attribute();
  Recorded();
  OtherCounts();
  Callee();
  return std::move(found_);
}

}  // namespace

int64_t DeclaredInputs::Between(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random_() % (high - low + 1));
}

ElementType DeclaredInputs::Type() {
  return kTypes[Between(0, sizeof(kTypes) / sizeof(kTypes[0]) - 1)];
}

Shape DeclaredInputs::Array() {
  Shape shape = Shape::Scalar(Type());
  for (int64_t rank = Between(0, 4); rank > 0; --rank) {
    const int64_t size = Between(0, 5);
    const int64_t kind = Between(0, 11);
    shape.add_dim(kind == 0   ? Dim::Unknown()
                  : kind == 1 ? Dim::Bounded(size)
                              : Dim::Static(size));
  }
  return Between(0, 19) == 0 ? Shape::Unranked(shape.element_type()) : shape;
}

void DeclaredInputs::DrawAttributes(Opcode opcode, Attributes* attributes) {
  for (const Constraint& c : DeclarationOf(opcode).constraints) {
    for (const AttributeRef* ref : {c.attribute, c.second}) {
      if (ref == nullptr) continue;
      DimIndices numbers;
      const int64_t length = ref->length(*attributes) == 1 ? 1 : Between(0, 3);
      for (int64_t i = 0; i < length; ++i) numbers.push_back(Between(0, 3));
      ref->set(attributes, numbers);
    }
  }
}

OwnedInputs DeclaredInputs::Draw(Opcode opcode, absl::Span<const Shape> known) {
  const OpInfo& op = Info(opcode);
  OwnedInputs drawn;
  drawn.opcode = opcode;
  const int most = op.max_operands < 0 ? op.min_operands + 3 : op.max_operands;
  for (int64_t i = Between(op.min_operands, most); i > 0; --i) {
    const bool is_known = !known.empty() && Between(0, 7) > 0;
    drawn.operands.push_back(
        is_known ? known[static_cast<size_t>(
                       Between(0, static_cast<int64_t>(known.size()) - 1))]
                 : Array());
  }
  DrawAttributes(opcode, &drawn.attributes);
  for (int i = op.callees < 0 ? 1 : op.callees; i > 0; --i) {
    Signature callee;
    for (int64_t k = Between(0, 3); k > 0; --k) {
      callee.parameters.push_back(Array());
    }
    callee.result = Array();
    drawn.callees.push_back(callee);
  }
  if (op.result != ResultSource::kInferred) drawn.declared = Array();
  return drawn;
}

std::optional<OwnedInputs> DeclaredInputs::Keeping(
    Opcode opcode, absl::Span<const Shape> known) {
  OwnedInputs inputs = Draw(opcode, known);
  constexpr int64_t kFitted = 8;  // but one in so many
  if (Between(1, kFitted) > 1) AttributeFitter(&random_).Fit(&inputs);
  constexpr int kMaxFixes = 100;
  for (int fixes = 0; fixes < kMaxFixes; ++fixes) {
    bool all_hold = true;
    for (const Constraint& c : DeclarationOf(opcode).constraints) {
      const std::optional<Fix> fix = FixOf(inputs.View(), c);
      if (!fix) continue;
      inputs.Apply(*fix);
      all_hold = false;
      break;
    }
    if (all_hold) break;
  }
  for (const Constraint& c : DeclarationOf(opcode).constraints) {
    InferContext context(PolicyOf(c));
    if (!CheckConstraint(&context, inputs.View(), c)) return std::nullopt;
  }
  return inputs;
}

bool EarlierHold(const OpInputs& inputs, const Constraint& constraint) {
  for (const Constraint& c : DeclarationOf(inputs.opcode).constraints) {
    if (&c == &constraint) return true;
    InferContext context(PolicyOf(c));
    if (!CheckConstraint(&context, inputs, c)) return false;
  }
  return false;
}

std::vector<OwnedInputs> Breaking(const OwnedInputs& good,
                                  const Constraint& constraint, Code code) {
  std::vector<OwnedInputs> broken;
  for (OwnedInputs& candidate : Breaker(good, constraint, code).Make()) {
    if (EarlierHold(candidate.View(), constraint)) {
      broken.push_back(std::move(candidate));
    }
  }
  return broken;
}

}  // namespace indim
