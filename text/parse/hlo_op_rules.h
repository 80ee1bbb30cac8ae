// SPDX-License-Identifier: Apache-2.0
// Rules of XLA's text parser about single ops, beside their attributes: where
// the result's shape may be omitted, which shapes it computes itself, what it
// refuses. A graph can hold an instruction with wrong shapes, and the verifier
// reports them, even if XLA's parser stops at them.
//
// For text/ only.

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

// Whether the result's shape follows from the operands, whatever is written
// (send, after-all), or from the written data shape (infeed, recv).
bool DerivesResultShape(Opcode opcode);
// The shape of such a result. nullopt: the written shape, or the operand, isn't
// a tuple that begins with the data; then the written shape stays. `declared`
// may be Kind::kNone.
std::optional<Shape> DerivedResultShape(Opcode opcode,
                                        absl::Span<const Shape* const> operands,
                                        const Shape& declared);

// The inferred shape of the result, with XLA's layouts (those of an operand
// that the result resembles; elsewhere none). nullopt: *why has the error.
std::optional<Shape> InferForText(const OpInputs& inputs, std::string* why);

struct OpText {
  Opcode opcode = Opcode::kInvalid;
  absl::Span<const Shape* const> operands;
  const Shape* declared = nullptr;  // null: not written
  const AttributesRead* attributes = nullptr;
  size_t callee_count = 0;
};
// The error of XLA's parser about an instruction whose parts are well-formed;
// empty: none.
std::string XlaParserError(const OpText& op);

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_HLO_OP_RULES_H_
