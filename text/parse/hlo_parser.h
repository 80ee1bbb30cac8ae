// SPDX-License-Identifier: Apache-2.0
// HloParser: the parser behind ParseHloText (parse_hlo_text.h). It takes one
// pass over the text and builds no syntax tree.
//
// Its parts: parsed_module.h, what they share; computation_parser.h,
// instruction_parser.h (with attribute_parser.h, async_parser.h,
// result_shapes.h) and known_lines.h read; name_scopes.h knows the names;
// module_finisher.h makes the Module.
//
// For text/ only.

#ifndef INDIM_TEXT_PARSE_HLO_PARSER_H_
#define INDIM_TEXT_PARSE_HLO_PARSER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/text/parse/computation_parser.h"
#include "indim/text/parse/hlo_header.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/parse/parsed_module.h"

namespace indim {

class HloParser {
 public:
  // `text` and `options` must outlive the parser. `depth` is the number of
  // texts that this one is inside of (origin_recovery_table).
  HloParser(absl::string_view text, const ParseOptions& options, int depth = 0);

  absl::StatusOr<Module> Parse();

 private:
  static constexpr int kMaxTexts = 4;

  void ReadModule();
  void ReadHeader();
  // Reads the header's facts about symbols, before anything else.
  void ReadSymbolFacts();
  // Whether the header's first line says that sizes may have names: it has the
  // mark of a recorded module, or facts.
  bool HeaderHasSymbols() const;
  // Reads the text of a module inside this one to its bytes.
  bool ReadInnerModule(const std::string& text, std::string* wire,
                       std::string* error);

  TextInput in_;
  Lexer& lexer_;
  ParsedModule module_;
  ComputationParser computations_;
  ModuleHeader header_;
  std::string frame_tables_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_HLO_PARSER_H_
