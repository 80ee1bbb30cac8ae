#include "indim/shape/check_constraint.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/infer_sizes.h"
#include "indim/shape/infer_util.h"
#include "indim/shape/reducer.h"

namespace indim {
namespace {

// One constraint about one operation.
class Checker {
 public:
  Checker(InferContext* context, const OpInputs& inputs, const Constraint& c)
      : context_(context),
        inputs_(inputs),
        c_(c),
        count_(static_cast<int>(inputs.operands.size())) {}

  bool Check();

 private:
  const Shape& Operand(int i) const { return *inputs_.operands[i]; }
  int begin() const { return c_.operands.begin(count_); }
  int end() const { return c_.operands.end(count_); }
  Rule rule() const { return c_.rules[0]; }
  NumberList Numbers(const AttributeRef* ref) const;
  int64_t LengthOf(const AttributeRef* ref) const;

  // `kStep` for each operand of the set, until one fails.
  template <bool (Checker::*kStep)(int operand)>
  bool Each() {
    const int last = end();
    for (int i = begin(); i < last; ++i) {
      if (!(this->*kStep)(i)) return false;
    }
    return true;
  }

  // --- One operand
  bool Array(int i) { return ExpectArray(context_, inputs_, i); }
  bool ArrayOrBuffer(int i);
  bool Elements(int i) {
    return ExpectClass(context_, inputs_, i, c_.elements);
  }
  bool ElementsWhere(int i);
  bool ElementTypeIs(int i);
  bool Scalar(int i) { return ExpectScalar(context_, inputs_, i); }
  bool SizeScalar(int i);
  bool Token(int i) { return ExpectToken(context_, inputs_, i); }
  bool IsTuple(int i);
  bool Form(int i);
  bool RankAtLeast(int i);
  bool RankAtMost(int i);
  bool Square(int i);
  // --- Operands
  bool SameType(int i);
  bool SameFloatType(int i);
  bool SameWidth(int i);
  bool CommonTypes(int i) {
    return Operand(i).element_type() == Operand(c_.other).element_type() ||
           CommonType(context_, inputs_, i, c_.other).has_value();
  }
  bool SameRank();
  bool SameDims();
  bool ExactDims(int i);
  bool ScalarOrDims();
  bool SameShape(int i);
  bool Vector(int i);
  bool VectorOrMore(int i);
  // --- Attributes
  bool AtLeast();
  bool Length();
  bool LengthIsRank();
  bool Dims();
  bool Permutation();
  bool Pairs();
  bool SizeInInt32(int i);
  bool ElementIndex(int i);
  // --- The recorded result, counts, callees
  bool RecordedType();
  bool RecordedForm();
  bool ElementCount();
  bool SizesForDims();
  bool Arguments(bool all);
  bool Reducer();

  // The operand that the set is compared with: `other`, or the first one of the
  // set whose rank is known; -1: none is.
  int Reference() const;
  // The number of features of a batch norm: the size of the dim named.
  Dim NamedDim() const;

  InferContext* const context_;
  const OpInputs& inputs_;
  const Constraint& c_;
  const int count_;
};

const Attributes& AttributesOf(const OpInputs& inputs) {
  static const Attributes* const kNothing = new Attributes();
  return inputs.attributes != nullptr ? *inputs.attributes : *kNothing;
}

NumberList Checker::Numbers(const AttributeRef* ref) const {
  return ref->numbers(AttributesOf(inputs_));
}

int64_t Checker::LengthOf(const AttributeRef* ref) const {
  return ref->length(AttributesOf(inputs_));
}

// --- One operand ------------------------------------------------------------

bool Checker::ArrayOrBuffer(int i) {
  return Operand(i).is_buffer() || Array(i);
}

bool Checker::ElementsWhere(int i) {
  if (Numbers(c_.attribute)[0] != c_.number ||
      Accepts(c_.elements, Operand(i).element_type())) {
    return true;
  }
  return context_->Error(rule(), i).Arg(std::string(c_.value));
}

bool Checker::ElementTypeIs(int i) {
  if (Operand(i).element_type() == c_.type) return true;
  return context_->Error(rule(), i).Arg(c_.type);
}

bool Checker::SizeScalar(int i) {
  const Shape& size = Operand(i);
  if (size.element_type() == ElementType::kS32 &&
      (size.is_scalar() || size.is_unranked())) {
    return true;
  }
  return context_->Error(rule(), i);
}

bool Checker::IsTuple(int i) {
  return Operand(i).is_tuple() || context_->Error(rule(), i);
}

bool Checker::Form(int i) {
  if (HasForm(Operand(i), c_.form)) return true;
  return context_->Error(rule(), i).Arg(std::string(Describe(c_.form)));
}

bool Checker::RankAtLeast(int i) {
  if (!Operand(i).has_rank() || Operand(i).rank() >= c_.number) return true;
  return context_->Error(rule(), i).Arg(c_.number);
}

bool Checker::RankAtMost(int i) {
  const Shape& operand = Operand(i);
  if (!operand.has_rank() ||
      (operand.rank() >= 1 && operand.rank() <= c_.number)) {
    return true;
  }
  return context_->Error(rule(), i);
}

bool Checker::Square(int i) {
  const Shape& matrix = Operand(i);
  if (!matrix.has_rank()) return true;
  const int last = matrix.rank() - 1;
  if (CompatibleDims(matrix.dim(last - 1), matrix.dim(last))) {
    context_->Require(
        {DimCondition::Kind::kEqual, matrix.dim(last - 1), matrix.dim(last)});
    return true;
  }
  return context_->Error(rule(), i, last).Other(i, last - 1);
}

// --- Operands ---------------------------------------------------------------

int Checker::Reference() const {
  if (Operand(c_.other).has_rank()) return c_.other;
  for (int i = begin(); i < end(); ++i) {
    if (Operand(i).has_rank()) return i;
  }
  return -1;
}

bool Checker::SameType(int i) {
  if (Operand(i).element_type() == Operand(c_.other).element_type()) {
    return true;
  }
  return context_->Error(rule(), i).Other(c_.other);
}

bool Checker::SameFloatType(int i) {
  if (SameTypeIgnoringFloatPrecision(Operand(c_.other).element_type(),
                                     Operand(i).element_type())) {
    return true;
  }
  return context_->Error(rule(), i).Other(c_.other);
}

bool Checker::SameWidth(int i) {
  const int bits = Info(Operand(c_.other).element_type()).bits;
  const ElementType type = Operand(i).element_type();
  if (IsUnsigned(type) && Info(type).bits == bits) return true;
  return context_->Error(rule(), i).Arg(absl::StrCat("u", bits));
}

bool Checker::SameRank() {
  const int other = Reference();
  for (int i = begin(); other >= 0 && i < end(); ++i) {
    if (Operand(i).has_rank() && Operand(i).rank() != Operand(other).rank()) {
      return context_->Error(rule(), i).Other(other);
    }
  }
  return true;
}

bool Checker::SameDims() {
  const int other = Reference();
  for (int i = begin(); other >= 0 && i < end(); ++i) {
    if (!ExpectEqualDims(context_, inputs_, other, i)) return false;
  }
  return true;
}

bool Checker::ExactDims(int i) {
  const Shape& a = Operand(i);
  const Shape& b = Operand(c_.other);
  bool ok = DimsAreCompatible(a, b);
  for (int dim = 0; ok && a.has_rank() && dim < b.rank(); ++dim) {
    // XLA takes neither for the other here, though it does elsewhere.
    ok = !(a.dim(dim).is_bounded() && b.dim(dim).is_static()) &&
         !(a.dim(dim).is_static() && b.dim(dim).is_bounded());
  }
  if (!ok) return context_->Error(rule(), i).Other(c_.other);
  NoteEqualDims(context_, a, b);
  return true;
}

bool Checker::ScalarOrDims() {
  int target = -1;
  for (int i = begin(); i < end(); ++i) {
    if (!Array(i)) return false;
    if (!Operand(i).has_rank() || Operand(i).is_scalar()) continue;
    if (target < 0) target = i;
    if (!DimsAreCompatible(Operand(target), Operand(i))) {
      return context_->Error(rule(), i).Other(target);
    }
    NoteEqualDims(context_, Operand(target), Operand(i));
  }
  return true;
}

bool Checker::SameShape(int i) {
  if (Compatible(Operand(i), Operand(c_.other))) {
    NoteEqualDims(context_, Operand(i), Operand(c_.other));
    return true;
  }
  return context_->Error(rule(), i).Other(c_.other);
}

Dim Checker::NamedDim() const {
  const Shape& operand = Operand(c_.other);
  if (!operand.has_rank()) return Dim::Unknown();
  return operand.dim(static_cast<int>(Numbers(c_.attribute)[0]));
}

bool Checker::Vector(int i) {
  const Shape& vector = Operand(i);
  if (!vector.has_rank()) return true;
  const Dim features = NamedDim();
  if (vector.rank() == 1 && CompatibleDims(vector.dim(0), features)) {
    context_->Require({DimCondition::Kind::kEqual, vector.dim(0), features});
    return true;
  }
  return context_->Error(rule(), i, vector.rank() == 1 ? 0 : -1).Arg(features);
}

// XLA does not look past the first dim; IND0376 is a warning.
bool Checker::VectorOrMore(int i) {
  const Shape& vector = Operand(i);
  if (vector.rank() < 2) return Vector(i);
  const Dim features = NamedDim();
  if (!CompatibleDims(vector.dim(0), features)) {
    return context_->Error(rule(), i, 0).Arg(features);
  }
  context_->Require({DimCondition::Kind::kEqual, vector.dim(0), features});
  context_->Error(Rule::kFeatureVectorOdd, i).Arg(features);
  return true;
}

// --- Attributes -------------------------------------------------------------

bool Checker::AtLeast() {
  const int64_t value = Numbers(c_.attribute)[0];
  if (value >= c_.number) return true;
  return context_->Error(rule())
      .Arg(std::string(c_.attribute->name))
      .Arg(value)
      .Arg(c_.number);
}

bool Checker::Length() {
  const int64_t length = LengthOf(c_.attribute);
  if (length == c_.number) return true;
  return context_->Error(rule()).Arg(c_.number).Arg(length);
}

bool Checker::LengthIsRank() {
  const Shape& operand = Operand(c_.other);
  const int64_t length = LengthOf(c_.attribute);
  if (c_.or_none && length == 0) return true;
  if (!operand.has_rank() && c_.second == nullptr) return true;
  const int64_t rank =
      operand.has_rank() ? operand.rank() : LengthOf(c_.second);
  if (length == rank) return true;
  DiagnosticBuilder error = context_->Error(rule(), c_.other);
  if (!c_.value.empty()) error.Arg(std::string(c_.value));
  return error.Arg(length).Arg(rank);
}

bool Checker::Dims() {
  const NumberList list = Numbers(c_.attribute);
  absl::Span<const int64_t> dims = list.span();
  absl::string_view what = c_.attribute->name;
  DimIndices both;
  if (c_.second != nullptr) {
    const NumberList more = Numbers(c_.second);
    what = c_.value;
    if (more.size() > 0) {
      both.assign(list.begin(), list.end());
      both.insert(both.end(), more.begin(), more.end());
      dims = both;
    }
  }
  for (int i = begin(); i < end(); ++i) {
    if (!ExpectUniqueDimIndices(context_, inputs_, i, dims, what)) return false;
  }
  return true;
}

bool Checker::Permutation() {
  const NumberList dims = Numbers(c_.attribute);
  const Shape& operand = Operand(c_.other);
  // An unranked operand has as many dims as the permutation.
  const int64_t rank =
      operand.has_rank() ? int64_t{operand.rank()} : Number(dims.size());
  bool ok = Number(dims.size()) == rank;
  absl::InlinedVector<bool, 16> seen(ok ? dims.size() : 0);
  for (size_t i = 0; ok && i < dims.size(); ++i) {
    ok = dims[i] >= 0 && dims[i] < rank && !seen[dims[i]];
    if (ok) seen[dims[i]] = true;
  }
  if (ok) return true;
  return context_->Error(rule(), c_.other).Arg(ListText(dims.span())).Arg(rank);
}

bool Checker::Pairs() {
  const NumberList lhs = Numbers(c_.attribute);
  const NumberList rhs = Numbers(c_.second);
  if (lhs.size() != rhs.size()) {
    return context_->Error(rule())
        .Arg(Number(lhs.size()))
        .Arg(Number(rhs.size()))
        .Arg(std::string(c_.value));
  }
  if (!Operand(0).has_rank() || !Operand(1).has_rank()) return true;
  bool ok = true;
  for (size_t i = 0; i < lhs.size(); ++i) {
    ok = ExpectEqualSizes(context_, inputs_, {0, static_cast<int>(lhs[i])},
                          {1, static_cast<int>(rhs[i])}) &&
         ok;
  }
  return ok;
}

// XLA keeps run-time sizes in 32 bits.
bool Checker::SizeInInt32(int i) {
  if (!Operand(i).has_rank()) return true;
  const int dim = static_cast<int>(Numbers(c_.attribute)[0]);
  const Dim size = Operand(i).dim(dim);
  const int64_t largest = size.is_symbolic() ? size.lower() : size.upper();
  if (largest == Dim::kInfinity ||
      largest <= std::numeric_limits<int32_t>::max()) {
    return true;
  }
  return context_->Error(rule(), i, dim);
}

bool Checker::ElementIndex(int i) {
  const int64_t index = Numbers(c_.attribute)[0];
  const int64_t elements = Operand(i).element_count();
  if (index >= 0 && index < elements) return true;
  return context_->Error(rule(), i).Arg(index).Arg(elements);
}

// --- The recorded result, counts, callees -----------------------------------

bool Checker::RecordedType() {
  if (inputs_.declared != nullptr && inputs_.declared->is_array()) return true;
  return context_->Error(rule());
}

// The row's ResultSource has made sure that there is one.
bool Checker::RecordedForm() {
  if (HasForm(*inputs_.declared, c_.form)) return true;
  return context_->Error(rule()).Arg(std::string(Describe(c_.form)));
}

bool Checker::ElementCount() {
  Shape result = inputs_.declared->WithoutLayout();
  result.set_element_type(Operand(0).element_type());
  if (!Operand(0).has_rank() || !result.has_rank()) return true;
  return ExpectEqualElementCounts(context_, Operand(0), result);
}

bool Checker::SizesForDims() {
  const int sizes = end() - begin();
  if (!inputs_.declared->has_rank() || sizes == inputs_.declared->rank()) {
    return true;
  }
  return context_->Error(rule())
      .Arg(int64_t{sizes})
      .Arg(int64_t{inputs_.declared->rank()});
}

bool Checker::Arguments(bool all) {
  const std::vector<Shape>& parameters = inputs_.callees[0]->parameters;
  const size_t used = parameters.size();
  if (all ? used != inputs_.operands.size() : used > inputs_.operands.size()) {
    return ExpectArity(context_, inputs_, 0, inputs_.operands.size());
  }
  for (size_t i = 0; i < used; ++i) {
    const int index = static_cast<int>(i);
    if (!ExpectArgument(context_, inputs_, index, 0, index)) return false;
  }
  return true;
}

bool Checker::Reducer() {
  const size_t inputs = inputs_.operands.size() / 2;
  std::vector<ElementType> types;
  for (size_t i = 0; i < inputs; ++i) {
    types.push_back(inputs_.operands[i]->element_type());
  }
  const Signature& reducer = *inputs_.callees[0];
  return ExpectReducer(context_, reducer, inputs_.operands.subspan(inputs),
                       types) &&
         ExpectParameterTypes(context_, inputs_, reducer, count_);
}

bool Checker::Check() {
  switch (c_.kind) {
    case ConstraintKind::kArray:
      return Each<&Checker::Array>();
    case ConstraintKind::kArrayOrBuffer:
      return Each<&Checker::ArrayOrBuffer>();
    case ConstraintKind::kElements:
      return Each<&Checker::Elements>();
    case ConstraintKind::kElementType:
      return Each<&Checker::ElementTypeIs>();
    case ConstraintKind::kElementsWhere:
      return Each<&Checker::ElementsWhere>();
    case ConstraintKind::kScalar:
      return Each<&Checker::Scalar>();
    case ConstraintKind::kSizeScalar:
      return Each<&Checker::SizeScalar>();
    case ConstraintKind::kToken:
      return Each<&Checker::Token>();
    case ConstraintKind::kTuple:
      return Each<&Checker::IsTuple>();
    case ConstraintKind::kForm:
      return Each<&Checker::Form>();
    case ConstraintKind::kRankAtLeast:
      return Each<&Checker::RankAtLeast>();
    case ConstraintKind::kRankAtMost:
      return Each<&Checker::RankAtMost>();
    case ConstraintKind::kSquare:
      return Each<&Checker::Square>();
    case ConstraintKind::kCommonType:
      return Each<&Checker::CommonTypes>();
    case ConstraintKind::kSameType:
      return Each<&Checker::SameType>();
    case ConstraintKind::kSameFloatType:
      return Each<&Checker::SameFloatType>();
    case ConstraintKind::kSameWidth:
      return Each<&Checker::SameWidth>();
    case ConstraintKind::kSameRank:
      return SameRank();
    case ConstraintKind::kSameDims:
      return SameDims();
    case ConstraintKind::kExactDims:
      return Each<&Checker::ExactDims>();
    case ConstraintKind::kScalarOrDims:
      return ScalarOrDims();
    case ConstraintKind::kSameShape:
      return Each<&Checker::SameShape>();
    case ConstraintKind::kVector:
      return Each<&Checker::Vector>();
    case ConstraintKind::kVectorOrMore:
      return Each<&Checker::VectorOrMore>();
    case ConstraintKind::kAtLeast:
      return AtLeast();
    case ConstraintKind::kLength:
      return Length();
    case ConstraintKind::kLengthIsRank:
      return LengthIsRank();
    case ConstraintKind::kDims:
      return Dims();
    case ConstraintKind::kPermutation:
      return Permutation();
    case ConstraintKind::kPairs:
      return Pairs();
    case ConstraintKind::kSizeInInt32:
      return Each<&Checker::SizeInInt32>();
    case ConstraintKind::kElementIndex:
      return Each<&Checker::ElementIndex>();
    case ConstraintKind::kRecordedArray:
      return ExpectDeclaredArray(context_, inputs_) != nullptr;
    case ConstraintKind::kRecordedType:
      return RecordedType();
    case ConstraintKind::kRecordedForm:
      return RecordedForm();
    case ConstraintKind::kElementCount:
      return ElementCount();
    case ConstraintKind::kSizesForDims:
      return SizesForDims();
    case ConstraintKind::kEven:
      return count_ % 2 == 0 || context_->Error(rule()).Arg(int64_t{count_});
    case ConstraintKind::kOdd:
      return count_ % 2 == 1 || context_->Error(rule()).Arg(int64_t{count_});
    case ConstraintKind::kArguments:
      return Arguments(/*all=*/true);
    case ConstraintKind::kSomeOfThem:
      return Arguments(/*all=*/false);
    case ConstraintKind::kReducer:
      return Reducer();
    case ConstraintKind::kComparator:
      return ExpectComparator(context_, inputs_, *inputs_.callees[0]);
  }
  return true;
}

}  // namespace

bool CheckConstraint(InferContext* context, const OpInputs& inputs,
                     const Constraint& constraint) {
  if (constraint.verifier_only && context->is_builder()) return true;
  return Checker(context, inputs, constraint).Check();
}

}  // namespace indim
