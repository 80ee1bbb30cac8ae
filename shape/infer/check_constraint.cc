// SPDX-License-Identifier: Apache-2.0
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

bool ConstraintChecker::Array(int i) {
  return ExpectArray(context_, inputs_, i);
}

bool ConstraintChecker::ArrayOrBuffer(int i) {
  return Operand(i).is_buffer() || Array(i);
}

bool ConstraintChecker::Elements(int i) {
  return ExpectClass(context_, inputs_, i, c_.elements);
}

bool ConstraintChecker::ElementsWhere(int i) {
  if (Numbers(c_.attribute)[0] != c_.number ||
      Accepts(c_.elements, Operand(i).element_type())) {
    return true;
  }
  return context_->Diagnose(code(), i).Arg(std::string(c_.value));
}

bool ConstraintChecker::OfType(int i) {
  if (Operand(i).element_type() == c_.type) return true;
  return context_->Diagnose(code(), i).Arg(c_.type);
}

bool ConstraintChecker::Scalar(int i) {
  return ExpectScalar(context_, inputs_, i);
}

bool ConstraintChecker::SizeScalar(int i) {
  const Shape& size = Operand(i);
  if (size.element_type() == ElementType::kS32 &&
      (size.is_scalar() || size.is_unranked())) {
    return true;
  }
  return context_->Diagnose(code(), i);
}

bool ConstraintChecker::Token(int i) {
  return ExpectToken(context_, inputs_, i);
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

bool ConstraintChecker::CommonType(int i) {
  return Operand(i).element_type() == Operand(c_.other).element_type() ||
         indim::CommonType(context_, inputs_, i, c_.other).has_value();
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

bool ConstraintChecker::SameRank(int) {
  const int other = Reference();
  for (int i = begin(); other >= 0 && i < end(); ++i) {
    if (Operand(i).has_rank() && Operand(i).rank() != Operand(other).rank()) {
      return context_->Diagnose(code(), i).Other(other);
    }
  }
  return true;
}

bool ConstraintChecker::SameDims(int) {
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

bool ConstraintChecker::ScalarOrDims(int) {
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

bool ConstraintChecker::RecordedArray(int) {
  return ExpectDeclaredArray(context_, inputs_) != nullptr;
}

bool ConstraintChecker::Comparator(int) {
  return ExpectComparator(context_, inputs_, *inputs_.callees[0]);
}

bool ConstraintChecker::Check() {
  static constexpr bool (ConstraintChecker::*kChecks[])() = {
#define INDIM_CONSTRAINT(name, word, per, ...) \
  &ConstraintChecker::per<&ConstraintChecker::name>,
#include "indim/shape/ops/constraints.def"
  };
  return (this->*kChecks[static_cast<size_t>(c_.kind)])();
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
