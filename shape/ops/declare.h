// The vocabulary of the columns `constraints` and `form` of ops.def: functions
// that make a Constraint or a ResultForm. Only constraint.cc reads those
// columns.
//
//   (Array(1), CommonType(0, 1))   Broadcast()
//   (Token(kAll))                  Part(TokenPart())

#ifndef INDIM_SHAPE_OPS_DECLARE_H_
#define INDIM_SHAPE_OPS_DECLARE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/declare_attributes.h"

namespace indim {
namespace declare {

// --- Types and operands -----------------------------------------------------

inline constexpr TypeMask kIntegral = TypeMask::kIntegral;
inline constexpr TypeMask kFloat = TypeMask::kFloat;
inline constexpr TypeMask kFloatComplex = TypeMask::kFloatComplex;
inline constexpr TypeMask kSignedIntegers = TypeMask::kSigned;
inline constexpr TypeMask kPredUnsigned = TypeMask::kPredUnsigned;
inline constexpr ElementType kPred = ElementType::kPred;
inline constexpr ElementType kS32 = ElementType::kS32;
inline constexpr ElementType kU32 = ElementType::kU32;
inline constexpr ElementType kU64 = ElementType::kU64;

constexpr OperandSet From(int8_t first) { return {first, OperandSet::kLast}; }
inline constexpr OperandSet kAll = From(0);
inline constexpr OperandSet kFirstHalf = {0, OperandSet::kHalf};
inline constexpr OperandSet kMiddle = {OperandSet::kMiddle,
                                       OperandSet::kMiddle};

// A position or a set of operands.
struct Which : OperandSet {
  // NOLINTNEXTLINE(google-explicit-constructor): Array(1) in the table.
  constexpr Which(int i)
      : OperandSet{static_cast<int8_t>(i), static_cast<int8_t>(i)} {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Which(OperandSet set) : OperandSet(set) {}
};

// --- Constraints ------------------------------------------------------------

constexpr Constraint Make(ConstraintKind kind, OperandSet operands, Code code,
                          Code second = Code::kNone) {
  Constraint c;
  c.kind = kind;
  c.operands = operands;
  c.codes = {code, second};
  return c;
}
constexpr Constraint Against(ConstraintKind kind, OperandSet operands,
                             int other, Code code, Code second = Code::kNone) {
  Constraint c = Make(kind, operands, code, second);
  c.other = static_cast<int8_t>(other);
  return c;
}
constexpr Constraint About(ConstraintKind kind, const AttributeRef& attribute,
                           OperandSet operands, Code code,
                           Code second = Code::kNone) {
  Constraint c = Make(kind, operands, code, second);
  c.attribute = &attribute;
  return c;
}

constexpr Constraint Array(Which which) {
  return Make(ConstraintKind::kArray, which, Code::kOperandNotArray);
}
constexpr Constraint ArrayOrBuffer(Which which) {
  return Make(ConstraintKind::kArrayOrBuffer, which, Code::kOperandNotArray);
}
constexpr Constraint Elements(Which which, TypeMask elements) {
  Constraint c = Make(ConstraintKind::kElements, which, Code::kOperandTypeClass,
                      Code::kOperandNotArray);
  if (elements == TypeMask::kArray) return Array(which);
  c.elements = elements;
  return c;
}
// Elements, for an operand that an earlier constraint has checked to be an
// array.
constexpr Constraint OfClass(Which which, TypeMask elements) {
  Constraint c = Elements(which, elements);
  c.codes[1] = Code::kNone;
  return c;
}
constexpr Constraint ElementsWhere(const AttributeRef& attribute,
                                   AttributeWord value, Which which,
                                   TypeMask elements) {
  Constraint c = About(ConstraintKind::kElementsWhere, attribute, which,
                       Code::kComparisonType);
  c.number = value.number;
  c.value = value.word;
  c.elements = elements;
  return c;
}
constexpr Constraint OfType(Which which, ElementType type) {
  Constraint c = Make(ConstraintKind::kElementType, which, Code::kTypeMismatch);
  c.type = type;
  return c;
}
constexpr Constraint Scalar(Which which) {
  return Make(ConstraintKind::kScalar, which, Code::kOperandNotScalar);
}
constexpr Constraint SizeScalar(Which which) {
  return Make(ConstraintKind::kSizeScalar, which, Code::kDynamicSizeNotS32);
}
constexpr Constraint Token(Which which) {
  return Make(ConstraintKind::kToken, which, Code::kOperandNotToken);
}
constexpr Constraint IsTuple(Which which) {
  return Make(ConstraintKind::kTuple, which, Code::kOperandNotTuple);
}
constexpr Constraint Form(Which which, ShapeForm form) {
  Constraint c = Make(ConstraintKind::kForm, which, Code::kOperandShape);
  c.form = form;
  return c;
}
constexpr Constraint RankAtLeast(Which which, int64_t rank) {
  Constraint c = Make(ConstraintKind::kRankAtLeast, which, Code::kRankTooLow);
  c.number = rank;
  return c;
}
constexpr Constraint RankAtMost(Which which, int64_t rank, Code code) {
  Constraint c = Make(ConstraintKind::kRankAtMost, which, code);
  c.number = rank;
  return c;
}
constexpr Constraint Square(Which which) {
  return Make(ConstraintKind::kSquare, which, Code::kNotSquare);
}

constexpr Constraint CommonType(Which which, int other) {
  return Against(ConstraintKind::kCommonType, which, other,
                 Code::kOperandTypesDiffer, Code::kNoCommonType);
}
constexpr Constraint SameType(Which which, int other) {
  return Against(ConstraintKind::kSameType, which, other,
                 Code::kOperandTypesDiffer);
}
constexpr Constraint SameFloatType(Which which, int other) {
  return Against(ConstraintKind::kSameFloatType, which, other,
                 Code::kOperandTypesDiffer);
}
constexpr Constraint SameWidth(Which which, int other) {
  return Against(ConstraintKind::kSameWidth, which, other, Code::kTypeMismatch);
}
constexpr Constraint SameRank(Which which, int other) {
  return Against(ConstraintKind::kSameRank, which, other,
                 Code::kOperandRanksDiffer);
}
constexpr Constraint SameDims(Which which, int other) {
  return Against(ConstraintKind::kSameDims, which, other, Code::kSizesMustMatch,
                 Code::kOperandRanksDiffer);
}
constexpr Constraint ExactDims(Which which, int other) {
  return Against(ConstraintKind::kExactDims, which, other, Code::kShapesDiffer);
}
constexpr Constraint ScalarOrDims(Which which) {
  return Make(ConstraintKind::kScalarOrDims, which, Code::kShapesDiffer,
              Code::kOperandNotArray);
}
constexpr Constraint SameShape(Which which, int other, Code code) {
  return Against(ConstraintKind::kSameShape, which, other, code);
}
constexpr Constraint Vector(Which which, int other, const AttributeRef& dim) {
  Constraint c =
      Against(ConstraintKind::kVector, which, other, Code::kFeatureVector);
  c.attribute = &dim;
  return c;
}
constexpr Constraint VectorOrMore(Which which, int other,
                                  const AttributeRef& dim) {
  Constraint c = Vector(which, other, dim);
  c.kind = ConstraintKind::kVectorOrMore;
  return c;
}

inline constexpr OperandSet kNone = {};

constexpr Constraint AtLeast(const AttributeRef& attribute, int64_t least) {
  Constraint c =
      About(ConstraintKind::kAtLeast, attribute, kNone, Code::kAttributeRange);
  c.number = least;
  return c;
}
constexpr Constraint Length(const AttributeRef& attribute, int64_t length,
                            Code code = Code::kDimensionsCount) {
  Constraint c = About(ConstraintKind::kLength, attribute, kNone, code);
  c.number = length;
  return c;
}
constexpr Constraint LengthIsRank(const AttributeRef& attribute, int other,
                                  Code code) {
  Constraint c = About(ConstraintKind::kLengthIsRank, attribute, kNone, code);
  c.other = static_cast<int8_t>(other);
  return c;
}
// A list of a slice: as long as `starts`, even where the rank is not known.
constexpr Constraint SliceList(const AttributeRef& attribute) {
  Constraint c = LengthIsRank(attribute, 0, Code::kSliceListLength);
  c.second = &kStarts;
  c.value = attribute.name;
  return c;
}
constexpr Constraint OrNone(Constraint c) {
  c.or_none = true;
  return c;
}
constexpr Constraint Dims(const AttributeRef& attribute, Which which) {
  return About(ConstraintKind::kDims, attribute, which, Code::kDimIndexRange,
               Code::kDimIndexRepeated);
}
// Dims, for one number or a list of one.
constexpr Constraint OneDim(const AttributeRef& attribute, Which which) {
  Constraint c = Dims(attribute, which);
  c.codes[1] = Code::kNone;
  return c;
}
// Dims, for two lists taken together and named `what`.
constexpr Constraint Dims(const AttributeRef& attribute,
                          const AttributeRef& second, Which which,
                          absl::string_view what) {
  Constraint c = Dims(attribute, which);
  c.second = &second;
  c.value = what;
  return c;
}
constexpr Constraint Permutation(const AttributeRef& attribute, int other) {
  Constraint c = About(ConstraintKind::kPermutation, attribute, kNone,
                       Code::kNotAPermutation);
  c.other = static_cast<int8_t>(other);
  return c;
}
constexpr Constraint Pairs(const AttributeRef& lhs, const AttributeRef& rhs,
                           absl::string_view what) {
  Constraint c = About(ConstraintKind::kPairs, lhs, kNone,
                       Code::kContractionCounts, Code::kSizesMustMatch);
  c.second = &rhs;
  c.value = what;
  return c;
}
constexpr Constraint SizeInInt32(const AttributeRef& attribute, Which which) {
  return About(ConstraintKind::kSizeInInt32, attribute, which,
               Code::kSizeNotInt32);
}

constexpr Constraint ElementIndex(const AttributeRef& attribute, Which which) {
  return About(ConstraintKind::kElementIndex, attribute, which,
               Code::kTupleIndexRange);
}

constexpr Constraint RecordedArray() {
  return Make(ConstraintKind::kRecordedArray, kNone, Code::kResultNotArray,
              Code::kResultShapeNeeded);
}
constexpr Constraint RecordedType() {
  return Make(ConstraintKind::kRecordedType, kNone, Code::kResultShapeNeeded);
}
constexpr Constraint RecordedForm(ShapeForm form) {
  Constraint c =
      Make(ConstraintKind::kRecordedForm, kNone, Code::kDeclaredShape);
  c.form = form;
  return c;
}
constexpr Constraint ElementCount() {
  return Make(ConstraintKind::kElementCount, kNone, Code::kElementCountsDiffer);
}
constexpr Constraint SizesForDims(Which which) {
  return Make(ConstraintKind::kSizesForDims, which, Code::kDynamicSizesCount);
}

constexpr Constraint Even(Code code) {
  return Make(ConstraintKind::kEven, kNone, code);
}
constexpr Constraint Odd(Code code) {
  return Make(ConstraintKind::kOdd, kNone, code);
}
constexpr Constraint Arguments() {
  return Make(ConstraintKind::kArguments, kAll, Code::kCalleeArity,
              Code::kCalleeParameter);
}
constexpr Constraint AtLeastOperands() {
  return Make(ConstraintKind::kTakesAtLeastArguments, kAll, Code::kCalleeArity,
              Code::kCalleeParameter);
}
constexpr Constraint Reducer() {
  return Make(ConstraintKind::kReducer, kAll, Code::kReducerParameters,
              Code::kReducerResult);
}
constexpr Constraint Comparator() {
  return Make(ConstraintKind::kComparator, kAll, Code::kComparatorSignature,
              Code::kComparatorParameter);
}

constexpr Constraint VerifierOnly(Constraint c) {
  c.judge = ConstraintJudge::kVerifier;
  return c;
}
constexpr Constraint BuilderOnly(Constraint c) {
  c.judge = ConstraintJudge::kBuilder;
  return c;
}

// --- Results ----------------------------------------------------------------

constexpr ResultForm MakeResult(ResultForm::Kind kind) {
  ResultForm form;
  form.kind = kind;
  return form;
}
constexpr ResultForm Own() { return MakeResult(ResultForm::Kind::kFunction); }
constexpr ResultForm As(int operand) {
  ResultForm form = MakeResult(ResultForm::Kind::kOperand);
  form.operand = static_cast<int8_t>(operand);
  return form;
}
constexpr ResultForm RankedOf(int operand, int other) {
  ResultForm form = MakeResult(ResultForm::Kind::kRankedOf);
  form.operand = static_cast<int8_t>(operand);
  form.other = static_cast<int8_t>(other);
  return form;
}
constexpr ResultForm Broadcast() {
  return MakeResult(ResultForm::Kind::kBroadcast);
}
constexpr ResultForm Fixed(ElementType type, int64_t size = -1) {
  ResultForm form = MakeResult(ResultForm::Kind::kFixed);
  form.type = type;
  form.size = size;
  return form;
}
constexpr ResultForm OperandTuple() {
  return MakeResult(ResultForm::Kind::kOperandTuple);
}
constexpr ResultForm Operands() {
  return MakeResult(ResultForm::Kind::kOperands);
}
constexpr ResultForm Recorded() {
  return MakeResult(ResultForm::Kind::kRecorded);
}
constexpr ResultForm RecordedDims() {
  return MakeResult(ResultForm::Kind::kRecordedDims);
}
constexpr ResultForm CalleeResult() {
  return MakeResult(ResultForm::Kind::kCallee);
}

constexpr ResultPart Operand(int operand) {
  ResultPart part;
  part.kind = ResultPart::Kind::kOperand;
  part.operand = static_cast<int8_t>(operand);
  return part;
}
constexpr ResultPart Element(int operand, int element) {
  ResultPart part = Operand(operand);
  part.kind = ResultPart::Kind::kElement;
  part.element = static_cast<int8_t>(element);
  return part;
}
constexpr ResultPart ElementAt(int operand, const AttributeRef& attribute) {
  ResultPart part = Element(operand, 0);
  part.attribute = &attribute;
  return part;
}
constexpr ResultPart VectorPart(int operand, const AttributeRef& attribute) {
  ResultPart part = ElementAt(operand, attribute);
  part.kind = ResultPart::Kind::kVector;
  return part;
}
constexpr ResultPart ScalarPart(ElementType type) {
  ResultPart part;
  part.kind = ResultPart::Kind::kScalar;
  part.type = type;
  return part;
}
constexpr ResultPart TokenPart() { return {}; }
constexpr ResultForm Part(ResultPart part) {
  ResultForm form = MakeResult(ResultForm::Kind::kPart);
  form.part_count = 1;
  form.parts[0] = part;
  return form;
}
constexpr ResultForm Tuple(ResultPart a, ResultPart b) {
  ResultForm form = MakeResult(ResultForm::Kind::kTuple);
  form.part_count = 2;
  form.parts = {a, b};
  return form;
}
constexpr ResultForm Tuple(ResultPart a, ResultPart b, ResultPart c) {
  ResultForm form = MakeResult(ResultForm::Kind::kTuple);
  form.part_count = 3;
  form.parts = {a, b, c};
  return form;
}

constexpr ResultForm WithElements(ResultForm form, ResultType type) {
  form.element = type;
  return form;
}

// The constraints of a row, preceded by the class of operand 0.
template <size_t kCount>
struct ConstraintList {
  std::array<Constraint, kCount + 1> all;
  bool has_class = false;
};
struct WithOperand0 {
  TypeMask operand0;
  template <typename... C>
  constexpr ConstraintList<sizeof...(C)> operator()(C... constraints) const {
    return {{{Elements(0, operand0), constraints...}},
            operand0 != TypeMask::kAny};
  }
};

}  // namespace declare
}  // namespace indim

#endif  // INDIM_SHAPE_OPS_DECLARE_H_
