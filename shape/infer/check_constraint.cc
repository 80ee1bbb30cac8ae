#include "indim/shape/infer/check_constraint.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/shape/infer/constraint_checker.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/infer/reducer.h"

namespace indim {
namespace {

const Attributes& AttributesOf(const OpInputs& inputs) {
  static const Attributes* const kNothing = new Attributes();
  return inputs.attributes != nullptr ? *inputs.attributes : *kNothing;
}

}  // namespace

NumberList ConstraintChecker::Numbers(const AttributeRef* ref) const {
  return ref->numbers(AttributesOf(inputs_));
}

int64_t ConstraintChecker::LengthOf(const AttributeRef* ref) const {
  return ref->length(AttributesOf(inputs_));
}

// --- One operand ------------------------------------------------------------

bool ConstraintChecker::ArrayOrBuffer(int i) {
  return Operand(i).is_buffer() || Array(i);
}

bool ConstraintChecker::ElementsWhere(int i) {
  if (Numbers(c_.attribute)[0] != c_.number ||
      Accepts(c_.elements, Operand(i).element_type())) {
    return true;
  }
  return context_->Diagnose(code(), i).Arg(std::string(c_.value));
}

bool ConstraintChecker::ElementTypeIs(int i) {
  if (Operand(i).element_type() == c_.type) return true;
  return context_->Diagnose(code(), i).Arg(c_.type);
}

bool ConstraintChecker::SizeScalar(int i) {
  const Shape& size = Operand(i);
  if (size.element_type() == ElementType::kS32 &&
      (size.is_scalar() || size.is_unranked())) {
    return true;
  }
  return context_->Diagnose(code(), i);
}

bool ConstraintChecker::IsTuple(int i) {
  return Operand(i).is_tuple() || context_->Diagnose(code(), i);
}

bool ConstraintChecker::Form(int i) {
  if (HasForm(Operand(i), c_.form)) return true;
  return context_->Diagnose(code(), i).Arg(std::string(Describe(c_.form)));
}

bool ConstraintChecker::RankAtLeast(int i) {
  if (!Operand(i).has_rank() || Operand(i).rank() >= c_.number) return true;
  return context_->Diagnose(code(), i).Arg(c_.number);
}

bool ConstraintChecker::RankAtMost(int i) {
  const Shape& operand = Operand(i);
  if (!operand.has_rank() ||
      (operand.rank() >= 1 && operand.rank() <= c_.number)) {
    return true;
  }
  return context_->Diagnose(code(), i);
}

bool ConstraintChecker::Square(int i) {
  const Shape& matrix = Operand(i);
  if (!matrix.has_rank()) return true;
  const int last = matrix.rank() - 1;
  if (CompatibleDims(matrix.dim(last - 1), matrix.dim(last))) {
    context_->Require(
        {Condition::Kind::kEqual, matrix.dim(last - 1), matrix.dim(last)});
    return true;
  }
  return context_->Diagnose(code(), i, last).Other(i, last - 1);
}

// --- Operands ---------------------------------------------------------------

int ConstraintChecker::Reference() const {
  if (Operand(c_.other).has_rank()) return c_.other;
  for (int i = begin(); i < end(); ++i) {
    if (Operand(i).has_rank()) return i;
  }
  return -1;
}

bool ConstraintChecker::SameType(int i) {
  if (Operand(i).element_type() == Operand(c_.other).element_type()) {
    return true;
  }
  return context_->Diagnose(code(), i).Other(c_.other);
}

bool ConstraintChecker::SameFloatType(int i) {
  if (SameTypeIgnoringFloatPrecision(Operand(c_.other).element_type(),
                                     Operand(i).element_type())) {
    return true;
  }
  return context_->Diagnose(code(), i).Other(c_.other);
}

bool ConstraintChecker::SameWidth(int i) {
  const int bits = Info(Operand(c_.other).element_type()).bits;
  const ElementType type = Operand(i).element_type();
  if (IsUnsigned(type) && Info(type).bits == bits) return true;
  return context_->Diagnose(code(), i).Arg(absl::StrCat("u", bits));
}

bool ConstraintChecker::SameRank() {
  const int other = Reference();
  for (int i = begin(); other >= 0 && i < end(); ++i) {
    if (Operand(i).has_rank() && Operand(i).rank() != Operand(other).rank()) {
      return context_->Diagnose(code(), i).Other(other);
    }
  }
  return true;
}

bool ConstraintChecker::SameDims() {
  const int other = Reference();
  for (int i = begin(); other >= 0 && i < end(); ++i) {
    if (!ExpectEqualDims(context_, inputs_, other, i)) return false;
  }
  return true;
}

bool ConstraintChecker::ExactDims(int i) {
  const Shape& a = Operand(i);
  const Shape& b = Operand(c_.other);
  bool ok = DimsAreCompatible(a, b);
  for (int dim = 0; ok && a.has_rank() && dim < b.rank(); ++dim) {
    // XLA accepts a bound and a size as equal elsewhere, but not here.
    ok = !(a.dim(dim).is_bounded() && b.dim(dim).is_static()) &&
         !(a.dim(dim).is_static() && b.dim(dim).is_bounded());
  }
  if (!ok) return context_->Diagnose(code(), i).Other(c_.other);
  AddEqualDimsConditions(context_, a, b);
  return true;
}

bool ConstraintChecker::ScalarOrDims() {
  int target = -1;
  for (int i = begin(); i < end(); ++i) {
    if (!Array(i)) return false;
    if (!Operand(i).has_rank() || Operand(i).is_scalar()) continue;
    if (target < 0) target = i;
    if (!DimsAreCompatible(Operand(target), Operand(i))) {
      return context_->Diagnose(code(), i).Other(target);
    }
    AddEqualDimsConditions(context_, Operand(target), Operand(i));
  }
  return true;
}

bool ConstraintChecker::SameShape(int i) {
  if (Compatible(Operand(i), Operand(c_.other))) {
    AddEqualDimsConditions(context_, Operand(i), Operand(c_.other));
    return true;
  }
  return context_->Diagnose(code(), i).Other(c_.other);
}

Dim ConstraintChecker::NamedDim() const {
  const Shape& operand = Operand(c_.other);
  if (!operand.has_rank()) return Dim::Unknown();
  return operand.dim(static_cast<int>(Numbers(c_.attribute)[0]));
}

bool ConstraintChecker::Vector(int i) {
  const Shape& vector = Operand(i);
  if (!vector.has_rank()) return true;
  const Dim features = NamedDim();
  if (vector.rank() == 1 && CompatibleDims(vector.dim(0), features)) {
    context_->Require({Condition::Kind::kEqual, vector.dim(0), features});
    return true;
  }
  return context_->Diagnose(code(), i, vector.rank() == 1 ? 0 : -1)
      .Arg(features);
}

// XLA checks only the first dim; more dims get the warning IND0376.
bool ConstraintChecker::VectorOrMore(int i) {
  const Shape& vector = Operand(i);
  if (vector.rank() < 2) return Vector(i);
  const Dim features = NamedDim();
  if (!CompatibleDims(vector.dim(0), features)) {
    return context_->Diagnose(code(), i, 0).Arg(features);
  }
  context_->Require({Condition::Kind::kEqual, vector.dim(0), features});
  context_->Diagnose(Code::kFeatureVectorOdd, i).Arg(features);
  return true;
}

bool ConstraintChecker::RecordedArray() {
  return ExpectDeclaredArray(context_, inputs_) != nullptr;
}

bool ConstraintChecker::Comparator() {
  return ExpectComparator(context_, inputs_, *inputs_.callees[0]);
}

struct ConstraintChecker::Row {
  ConstraintKind kind;
  bool (ConstraintChecker::*check)();
};

// In the order of ConstraintKind.
constexpr ConstraintChecker::Row ConstraintChecker::kRows[] = {
    {ConstraintKind::kArray,
     &ConstraintChecker::Each<&ConstraintChecker::Array>},
    {ConstraintKind::kArrayOrBuffer,
     &ConstraintChecker::Each<&ConstraintChecker::ArrayOrBuffer>},
    {ConstraintKind::kElements,
     &ConstraintChecker::Each<&ConstraintChecker::Elements>},
    {ConstraintKind::kElementType,
     &ConstraintChecker::Each<&ConstraintChecker::ElementTypeIs>},
    {ConstraintKind::kElementsWhere,
     &ConstraintChecker::Each<&ConstraintChecker::ElementsWhere>},
    {ConstraintKind::kScalar,
     &ConstraintChecker::Each<&ConstraintChecker::Scalar>},
    {ConstraintKind::kSizeScalar,
     &ConstraintChecker::Each<&ConstraintChecker::SizeScalar>},
    {ConstraintKind::kToken,
     &ConstraintChecker::Each<&ConstraintChecker::Token>},
    {ConstraintKind::kTuple,
     &ConstraintChecker::Each<&ConstraintChecker::IsTuple>},
    {ConstraintKind::kForm, &ConstraintChecker::Each<&ConstraintChecker::Form>},
    {ConstraintKind::kRankAtLeast,
     &ConstraintChecker::Each<&ConstraintChecker::RankAtLeast>},
    {ConstraintKind::kRankAtMost,
     &ConstraintChecker::Each<&ConstraintChecker::RankAtMost>},
    {ConstraintKind::kSquare,
     &ConstraintChecker::Each<&ConstraintChecker::Square>},
    {ConstraintKind::kCommonType,
     &ConstraintChecker::Each<&ConstraintChecker::CommonTypes>},
    {ConstraintKind::kSameType,
     &ConstraintChecker::Each<&ConstraintChecker::SameType>},
    {ConstraintKind::kSameFloatType,
     &ConstraintChecker::Each<&ConstraintChecker::SameFloatType>},
    {ConstraintKind::kSameWidth,
     &ConstraintChecker::Each<&ConstraintChecker::SameWidth>},
    {ConstraintKind::kSameRank, &ConstraintChecker::SameRank},
    {ConstraintKind::kSameDims, &ConstraintChecker::SameDims},
    {ConstraintKind::kExactDims,
     &ConstraintChecker::Each<&ConstraintChecker::ExactDims>},
    {ConstraintKind::kScalarOrDims, &ConstraintChecker::ScalarOrDims},
    {ConstraintKind::kSameShape,
     &ConstraintChecker::Each<&ConstraintChecker::SameShape>},
    {ConstraintKind::kVector,
     &ConstraintChecker::Each<&ConstraintChecker::Vector>},
    {ConstraintKind::kVectorOrMore,
     &ConstraintChecker::Each<&ConstraintChecker::VectorOrMore>},
    {ConstraintKind::kAtLeast, &ConstraintChecker::AtLeast},
    {ConstraintKind::kLength, &ConstraintChecker::Length},
    {ConstraintKind::kLengthIsRank, &ConstraintChecker::LengthIsRank},
    {ConstraintKind::kDims, &ConstraintChecker::Dims},
    {ConstraintKind::kPermutation, &ConstraintChecker::Permutation},
    {ConstraintKind::kPairs, &ConstraintChecker::Pairs},
    {ConstraintKind::kSizeInInt32,
     &ConstraintChecker::Each<&ConstraintChecker::SizeInInt32>},
    {ConstraintKind::kElementIndex,
     &ConstraintChecker::Each<&ConstraintChecker::ElementIndex>},
    {ConstraintKind::kRecordedArray, &ConstraintChecker::RecordedArray},
    {ConstraintKind::kRecordedType, &ConstraintChecker::RecordedType},
    {ConstraintKind::kRecordedForm, &ConstraintChecker::RecordedForm},
    {ConstraintKind::kElementCount, &ConstraintChecker::ElementCount},
    {ConstraintKind::kSizesForDims, &ConstraintChecker::SizesForDims},
    {ConstraintKind::kEven, &ConstraintChecker::Even},
    {ConstraintKind::kOdd, &ConstraintChecker::Odd},
    {ConstraintKind::kArguments, &ConstraintChecker::AllArguments},
    {ConstraintKind::kTakesAtLeastArguments, &ConstraintChecker::SomeArguments},
    {ConstraintKind::kReducer, &ConstraintChecker::Reducer},
    {ConstraintKind::kComparator, &ConstraintChecker::Comparator},
};

constexpr bool ConstraintChecker::RowsAreInOrder() {
  size_t number = 0;
  for (const Row& row : kRows) {
    if (static_cast<size_t>(row.kind) != number++) return false;
  }
  return number == static_cast<size_t>(ConstraintKind::kComparator) + 1;
}

bool ConstraintChecker::Check() {
  static_assert(RowsAreInOrder(), "a row for each kind");
  const Row& row = kRows[static_cast<size_t>(c_.kind)];
  return (this->*row.check)();
}

bool CheckConstraint(InferContext* context, const OpInputs& inputs,
                     const Constraint& constraint) {
  const ConstraintJudge other = context->is_builder()
                                    ? ConstraintJudge::kVerifier
                                    : ConstraintJudge::kBuilder;
  if (constraint.judge == other) return true;
  return ConstraintChecker(context, inputs, constraint).Check();
}

}  // namespace indim
