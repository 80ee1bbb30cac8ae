// SPDX-License-Identifier: Apache-2.0
// An operation on shapes that a test draws at random.

#ifndef INDIM_TESTS_SHAPE_INFER_OP_ON_SHAPES_H_
#define INDIM_TESTS_SHAPE_INFER_OP_ON_SHAPES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

struct OpOnShapes {
  Opcode opcode = Opcode::kInvalid;
  std::vector<Shape> operands = {};
  Attributes attributes = NoAttributes();
  Signature callee = {};  // no parameters: none
  std::optional<Shape> declared = std::nullopt;

  std::vector<const Shape*> operand_pointers() const {
    std::vector<const Shape*> pointers;
    for (const Shape& shape : operands) pointers.push_back(&shape);
    return pointers;
  }
  std::string text() const {
    std::string text(Name(opcode));
    for (const Shape& shape : operands) {
      absl::StrAppend(&text, " ", shape.ToString());
    }
    return text;
  }
};

inline std::optional<Shape> InferShape(InferContext* context,
                                       const OpOnShapes& op) {
  const std::vector<const Shape*> operands = op.operand_pointers();
  const Signature* const callee = &op.callee;
  OpInputs inputs;
  inputs.opcode = op.opcode;
  inputs.operands = operands;
  inputs.attributes = &op.attributes;
  if (!op.callee.parameters.empty()) {
    inputs.callees = absl::MakeConstSpan(&callee, 1);
  }
  if (op.declared) inputs.declared = &*op.declared;
  return InferShape(context, inputs);
}

}  // namespace indim

#endif  // INDIM_TESTS_SHAPE_INFER_OP_ON_SHAPES_H_
