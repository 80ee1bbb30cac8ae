// SPDX-License-Identifier: Apache-2.0
// AsyncParser: asynchronous ops. `negate-start(p)`, `negate-update(s)`,
// `negate-done(u)` are short for an async-start, async-update, async-done that
// call a computation of parameters and a negate; the start has the attributes
// of the negate. Attributes that any instruction may have (sharding, metadata
// ...) belong to the async op; most are repeated inside.
//
// For text/ only.

#ifndef INDIM_TEXT_PARSE_ASYNC_PARSER_H_
#define INDIM_TEXT_PARSE_ASYNC_PARSER_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/text/parse/name_scopes.h"
#include "indim/text/parse/parsed_module.h"

namespace indim {

class InstructionParser;

class AsyncParser {
 public:
  AsyncParser(TextInput* in, ParsedModule* module, NameScopes* names,
              InstructionParser* instructions)
      : in_(*in),
        module_(*module),
        names_(*names),
        instructions_(*instructions) {}

  // Splits "negate-start"; false: the opcode isn't such a word.
  static bool Split(ParsedInstruction* node);
  // Checks and completes an async op; does nothing to others.
  bool Finish(ParsedInstruction* node);

 private:
  bool Wrap(ParsedInstruction* node);
  AttributesRead TakeInnerAttributes(AttributesRead* outer,
                                     absl::string_view thread);
  // Parameters of the open computation, by the elements of a tuple's shape.
  std::vector<uint32_t> AddParameters(const Shape& shapes,
                                      const TextPlace& place);
  bool Follow(ParsedInstruction* node);
  void ShareWithRoot(const AttributesRead& attributes, uint32_t computation);
  // The async-start at the beginning of the chain; null: there is none.
  const InstructionRecord* ChainStart(uint32_t position);
  // An error about the op. Returns false.
  bool Fail(const ParsedInstruction& node, absl::string_view why);

  TextInput& in_;
  ParsedModule& module_;
  NameScopes& names_;
  InstructionParser& instructions_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_ASYNC_PARSER_H_
