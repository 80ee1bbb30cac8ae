// SPDX-License-Identifier: Apache-2.0
// The vocabulary of the columns `constraints` and `form` of ops.def: functions
// that make a Constraint, one for each row of constraints.def and what varies
// it, or a ResultForm. Only constraint.cc reads those
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

namespace indim::declare {

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

// A number of `fields`, which says of what.
struct Other {
  int operand;
};
struct GivenNumber {
  int64_t number;
};

// Each sets the field of a constraint that is of the type.
constexpr void Set(OperandSet operands, Constraint* c) {
  c->operands = operands;
}
constexpr void Set(Other other, Constraint* c) {
  c->other = static_cast<int8_t>(other.operand);
}
constexpr void Set(GivenNumber number, Constraint* c) {
  c->number = number.number;
}
constexpr void Set(TypeMask elements, Constraint* c) { c->elements = elements; }
constexpr void Set(ElementType type, Constraint* c) { c->type = type; }
constexpr void Set(ShapeForm form, Constraint* c) { c->form = form; }
constexpr void Set(absl::string_view value, Constraint* c) { c->value = value; }
constexpr void Set(AttributeWord value, Constraint* c) {
  c->number = value.number;
  c->value = value.word;
}
constexpr void Set(const AttributeRef& attribute, Constraint* c) {
  (c->attribute == nullptr ? c->attribute : c->second) = &attribute;
}
constexpr void Set(Code code, Constraint* c) {
  c->codes[c->codes[0] == Code::kNone ? 0 : 1] = code;
}

struct Making {
  ConstraintKind kind;
  template <typename... Fields>
  constexpr Constraint operator()(const Fields&... fields) const {
    Constraint c;
    c.kind = kind;
    (Set(fields, &c), ...);
    return c;
  }
};

#define INDIM_CONSTRAINT(name, word, per, parameters, fields, text) \
  constexpr Constraint name parameters {                            \
    return Making{ConstraintKind::k##name} fields;                  \
  }
#include "indim/shape/ops/constraints.def"

constexpr Constraint WithOneCode(Constraint c) {
  c.codes[1] = Code::kNone;
  return c;
}
// Elements, for an operand that an earlier constraint has checked to be an
// array.
constexpr Constraint OfClass(Which which, TypeMask elements) {
  return WithOneCode(Elements(which, elements));
}
constexpr Constraint OrNone(Constraint c) {
  c.or_none = true;
  return c;
}
// A list of a slice: as long as `starts`, even where the rank is not known.
constexpr Constraint SliceList(const AttributeRef& attribute) {
  Constraint c = LengthIsRank(attribute, 0, Code::kSliceListLength);
  c.second = &kStarts;
  c.value = attribute.name;
  return c;
}
// Dims, for one number or a list of one.
constexpr Constraint OneDim(const AttributeRef& attribute, Which which) {
  return WithOneCode(Dims(attribute, which));
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
    const Constraint first =
        operand0 == TypeMask::kArray ? Array(0) : Elements(0, operand0);
    return {{{first, constraints...}}, operand0 != TypeMask::kAny};
  }
};

}  // namespace indim::declare

#endif  // INDIM_SHAPE_OPS_DECLARE_H_
