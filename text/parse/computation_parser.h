// SPDX-License-Identifier: Apache-2.0
// ComputationParser: parses computations, and the bodies of computations inside
// instructions.
//
// At the "}" of a body its instructions are appended to the module's arrays, so
// that callees precede their callers. After an error in an instruction the
// parser continues at the next line that looks like one.
//
// For text/ only.

#ifndef INDIM_TEXT_PARSE_COMPUTATION_PARSER_H_
#define INDIM_TEXT_PARSE_COMPUTATION_PARSER_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "indim/text/parse/instruction_parser.h"
#include "indim/text/parse/known_lines.h"
#include "indim/text/parse/name_scopes.h"
#include "indim/text/parse/parsed_module.h"

namespace indim {

class ComputationParser {
 public:
  ComputationParser(TextInput* in, ParsedModule* module)
      : in_(*in),
        lexer_(in->lexer),
        module_(*module),
        names_(in, module),
        known_(in, module, &names_),
        instructions_(in, module, &names_, &known_, this) {}

  // Reads `[ENTRY] name [(p: shape, ...) -> shape] { ... }[,
  // execution_thread="t"]`.
  void Read();
  // Reads text without a module: instructions, or one without a name; missing
  // operands become parameters.
  void ReadBareInstructions();
  // Finds the computations that an instruction calls, and reads those that are
  // in it. False after an error from which the instruction can't go on.
  bool ResolveCallees(ParsedInstruction* node);
  // Uses the symbols of that computation from here on.
  void UseSymbolsOf(absl::string_view computation);
  // Skips to the next computation.
  void SkipComputation();

 private:
  void ReportSecondModule();
  // Reads `{ instruction* }`. False: the body couldn't be read to its end.
  bool ReadBody(absl::string_view name, uint32_t* computation);
  void ExpectedBodyEnd(absl::string_view name, size_t begin);
  // Skips to the next line that looks like an instruction or the end of a body,
  // and is after `from`, the beginning of the broken instruction.
  void SkipInstruction(size_t from);

  // (name: shape, ...) -> shape. Only the result counts, as in XLA.
  bool ReadSignature(ShapeId* result, size_t* offset);
  bool ReadSignatureParameters();
  bool CheckSignature(uint32_t computation, ShapeId result, size_t offset);
  bool ReadEnding(uint32_t computation);
  // Parameters are numbered from 0, each number once.
  bool CheckParameters(size_t offset);

  bool IsNameInBraces();
  bool ReadInlineBody(uint32_t* computation);
  bool FindCallee(const CalleeText& callee, uint32_t* computation);

  TextInput& in_;
  Lexer& lexer_;
  ParsedModule& module_;
  NameScopes names_;
  KnownLines known_;
  InstructionParser instructions_;
  bool has_entry_mark_ = false;
  // The end of the innermost inline body, even if there are errors in it.
  size_t skip_limit_ = absl::string_view::npos;
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_COMPUTATION_PARSER_H_
