// SPDX-License-Identifier: Apache-2.0
// ResultShapes: the shapes of operands and results while an instruction is
// read.
//
// For text/ only.

#ifndef INDIM_TEXT_PARSE_RESULT_SHAPES_H_
#define INDIM_TEXT_PARSE_RESULT_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape.h"
#include "indim/text/parse/name_scopes.h"
#include "indim/text/parse/parsed_module.h"

namespace indim {

class ResultShapes {
 public:
  using List = absl::InlinedVector<const Shape*, 6>;

  // `operands` are those of the instructions that are being read.
  ResultShapes(TextInput* in, ParsedModule* module, NameScopes* names,
               const std::vector<uint32_t>* operands)
      : in_(*in), module_(*module), names_(*names), operands_(*operands) {}

  // The shapes of the operands of `node`.
  List OfOperands(const ParsedInstruction& node) const;
  // Checks that the op can have the given result shape, and sets the shape that
  // XLA makes of it.
  bool Set(ParsedInstruction* node);
  // Checks the shape that is written before an operand.
  bool CheckOperand(uint32_t position, ShapeId shape, size_t offset);

 private:
  bool Infer(ParsedInstruction* node);
  // Counts the parts of an omitted shape; false: too many, in all.
  bool CountLeftOut(const Shape& shape);
  const Signature& SignatureOf(uint32_t computation);

  TextInput& in_;
  ParsedModule& module_;
  NameScopes& names_;
  const std::vector<uint32_t>& operands_;
  size_t left_out_parts_ = 0;
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_RESULT_SHAPES_H_
