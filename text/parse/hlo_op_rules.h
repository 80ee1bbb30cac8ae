// What XLA's text parser knows about single ops beside their attributes: where
// the result's shape may be left out, what shape it makes itself, what it
// refuses. What is wrong with an instruction's shape and those of its operands
// the graph can hold and the verifier says, also where XLA's parser ends at it.
//
// For text/ alone.

#ifndef INDIM_TEXT_PARSE_HLO_OP_RULES_H_
#define INDIM_TEXT_PARSE_HLO_OP_RULES_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/text/attributes/attribute_text.h"

namespace indim {

// The result's shape is made of the operands, whatever is written (send,
// after-all), or of the data's part of what is written (infeed, recv).
bool DerivesResultShape(Opcode opcode);
// That shape. nullopt: what is written, or the operand, is no tuple that begins
// with the data; then what is written stays. `declared` may be Kind::kNone.
std::optional<Shape> DerivedResultShape(Opcode opcode,
                                        absl::Span<const Shape* const> operands,
                                        const Shape& declared);

// The result's shape, inferred, with the layouts that XLA gives it (those of
// the operand that the result looks like; elsewhere none). nullopt: *why says
// what is wrong.
std::optional<Shape> InferForText(const OpInputs& inputs, std::string* why);

struct OpText {
  Opcode opcode = Opcode::kInvalid;
  absl::Span<const Shape* const> operands;
  const Shape* declared = nullptr;  // null: not written
  const AttributesRead* attributes = nullptr;
  size_t callee_count = 0;
};
// What XLA's parser refuses about one instruction whose parts are well-formed;
// empty: nothing.
std::string WhatXlaRefuses(const OpText& op);

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_HLO_OP_RULES_H_
