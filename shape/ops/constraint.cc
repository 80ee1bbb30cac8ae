// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/ops/constraint.h"

#include "indim/shape/ops/declare.h"

namespace indim {
namespace {

namespace lists {
using namespace declare;  // NOLINT: the words of the table
#define INDIM_OP(number, name, wire, min, max, attributes, callees, operand, \
                 constraints, type, form, result, function, traits,          \
                 broadcastable)                                              \
  constexpr auto k##name##List = WithOperand0{TypeMask::operand} constraints;
#include "indim/shape/ops/ops.def"
#undef INDIM_OP
}  // namespace lists

template <size_t kCount>
constexpr absl::Span<const Constraint> Constraints(
    const declare::ConstraintList<kCount>& list) {
  const size_t first = list.has_class ? 0 : 1;
  return absl::Span<const Constraint>(list.all.data() + first,
                                      kCount + 1 - first);
}

namespace forms {
using namespace declare;  // NOLINT: the words of the table
#define INDIM_OP(number, name, wire, min, max, attributes, callees, operand, \
                 constraints, type, form, result, function, traits,          \
                 broadcastable)                                              \
  constexpr ResultForm k##name##Form = WithElements(form, ResultType::type);
#include "indim/shape/ops/ops.def"
#undef INDIM_OP
}  // namespace forms

struct DeclaredOp {
  Opcode opcode;
  OpDeclaration declaration;
};
constexpr DeclaredOp kRows[] = {
#define INDIM_OP(number, name, ...) \
  {Opcode::k##name, {Constraints(lists::k##name##List), forms::k##name##Form}},
#include "indim/shape/ops/ops.def"
#undef INDIM_OP
};

constexpr OpDeclaration kNothing = {};

// The index into kRows for every value of Opcode; -1: none.
constexpr std::array<int16_t, 256> IndexByNumber() {
  std::array<int16_t, 256> index = {};
  for (size_t i = 0; i < index.size(); ++i) index[i] = -1;
  for (size_t i = 0; i < sizeof(kRows) / sizeof(kRows[0]); ++i) {
    index[static_cast<size_t>(kRows[i].opcode)] = static_cast<int16_t>(i);
  }
  return index;
}
constexpr std::array<int16_t, 256> kIndexByNumber = IndexByNumber();

bool IsTupleOf(const Shape& shape, int count) {
  return shape.is_tuple() && shape.tuple_size() == count;
}

}  // namespace

absl::string_view Describe(ShapeForm form) {
  switch (form) {
    case ShapeForm::kArray:
      return "an array";
    case ShapeForm::kStarted:
      return "a tuple of what is read and what is written";
    case ShapeForm::kTransfer:
      return "a tuple of data, u32[] and token[]";
    case ShapeForm::kCopied:
      return "a tuple of destination, source and u32[]";
    case ShapeForm::kReceived:
      return "a tuple of data and token[]";
  }
  return "";
}

bool HasForm(const Shape& shape, ShapeForm form) {
  switch (form) {
    case ShapeForm::kArray:
      return shape.is_array();
    case ShapeForm::kStarted:
      return shape.is_tuple() && shape.tuple_size() >= 2;
    case ShapeForm::kTransfer:
      return IsTupleOf(shape, 3) &&
             SameStructure(shape.elements()[1],
                           Shape::Scalar(ElementType::kU32)) &&
             shape.elements()[2].is_token();
    case ShapeForm::kCopied:
      return IsTupleOf(shape, 3) &&
             Compatible(shape.elements()[0], shape.elements()[1]);
    case ShapeForm::kReceived:
      return IsTupleOf(shape, 2) && shape.elements()[1].is_token();
  }
  return false;
}

const OpDeclaration& DeclarationOf(Opcode opcode) {
  const int16_t index = kIndexByNumber[static_cast<uint8_t>(opcode)];
  return index < 0 ? kNothing : kRows[index].declaration;
}

}  // namespace indim
