// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/result_shapes.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/shape/ops/attributes.h"
#include "indim/text/parse/hlo_op_rules.h"

namespace indim {
namespace {

// Limit of the parts of omitted shapes, together, in addition to one for each
// byte of text: tuples of tuples double with each line.
constexpr size_t kMaxLeftOutParts = size_t{1} << 16;

}  // namespace

const Signature& ResultShapes::SignatureOf(uint32_t computation) {
  std::unique_ptr<Signature>& signature = module_.facts[computation].signature;
  if (signature == nullptr) {
    signature = std::make_unique<Signature>(
        internal::ComputationOf(module_.data.get(), computation).signature());
  }
  return *signature;
}

ResultShapes::List ResultShapes::OfOperands(
    const ParsedInstruction& node) const {
  const Column<InstructionRecord>& known = names_.body().instructions;
  List shapes;
  for (size_t i = node.first_operand; i < operands_.size(); ++i) {
    shapes.push_back(&module_.pools.shapes().shape(known[operands_[i]].shape));
  }
  return shapes;
}

bool ResultShapes::Set(ParsedInstruction* node) {
  ShapeTable& shapes = module_.pools.shapes();
  if (in_.recorded) return true;  // as given, or left to inference
  if (node->shape && !DerivesResultShape(node->opcode)) return true;
  const List operands = OfOperands(*node);
  if (DerivesResultShape(node->opcode)) {
    static const Shape* const kNone = new Shape();
    const Shape& declared = node->shape ? shapes.shape(node->shape) : *kNone;
    const std::optional<Shape> derived =
        DerivedResultShape(node->opcode, operands, declared);
    if (!derived.has_value() && node->shape) return true;
    if (!derived.has_value()) {
      return in_.lexer.ErrorAt(
          node->opcode_offset, node->opcode_text.size(),
          absl::StrCat(node->opcode_text,
                       "'s result is a tuple that begins with "
                       "the data"));
    }
    node->shape = shapes.Intern(*derived);
    return true;
  }
  return Infer(node);
}

bool ResultShapes::Infer(ParsedInstruction* node) {
  const List operands = OfOperands(*node);
  std::vector<const Signature*> callees;
  for (uint32_t callee : node->callees) callees.push_back(&SignatureOf(callee));
  FillForInference(node->opcode, operands, &node->attributes);
  const OwnedAttributeBytes attribute_bytes =
      node->attributes.fields.ToAttributeBytes();
  absl::StatusOr<Attributes> attributes =
      DecodeAttributes(node->opcode, attribute_bytes.view());
  const auto fail = [&](absl::string_view why) {
    return in_.lexer.ErrorAt(
        node->opcode_offset, node->opcode_text.size(),
        absl::StrCat("no result shape is given, and ", why));
  };
  if (!attributes.ok()) return fail(attributes.status().message());
  OpInputs inputs;
  inputs.opcode = node->opcode;
  inputs.operands = operands;
  inputs.attributes = &*attributes;
  inputs.callees = callees;
  std::string why;
  std::optional<Shape> shape = InferForText(inputs, &why);
  if (!shape.has_value()) return fail(why);
  if (!CountLeftOut(*shape)) {
    return fail(absl::StrCat(
        "the shapes that this text leaves out have more than ",
        kMaxLeftOutParts + in_.text.size(),
        " parts (arrays, tuples) together; to fix: nest fewer tuples"));
  }
  node->shape = module_.pools.shapes().Intern(
      in_.options.fill_missing_layouts ? shape->WithDefaultLayout() : *shape);
  return true;
}

bool ResultShapes::CountLeftOut(const Shape& shape) {
  if (++left_out_parts_ > kMaxLeftOutParts + in_.text.size()) return false;
  for (const Shape& element : shape.elements()) {
    if (!CountLeftOut(element)) return false;
  }
  return true;
}

bool ResultShapes::CheckOperand(uint32_t position, ShapeId shape,
                                size_t offset) {
  if (!shape || position == kBrokenPosition) return true;
  const ShapeTable& shapes = module_.pools.shapes();
  const ShapeId actual = names_.body().instructions[position].shape;
  if (actual == shape || shapes.structure(actual) == shapes.structure(shape) ||
      Compatible(shapes.shape(actual), shapes.shape(shape))) {
    return true;
  }
  return in_.lexer.ErrorAt(
      offset, 1,
      absl::StrCat("this operand is ", shapes.shape(shape).ToString(),
                   " here, but ", names_.body().names[position], " is ",
                   shapes.shape(actual).ToString()));
}

}  // namespace indim
