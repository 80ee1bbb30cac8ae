// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/parsed_module.h"

#include "absl/strings/str_cat.h"
#include "indim/text/base/name_uniquer.h"

namespace indim {

TextInput::TextInput(absl::string_view text, const ParseOptions& options,
                     int depth)
    : text(text),
      options(options),
      depth(depth),
      lexer(text, &errors),
      line_counter(text) {
  if (!options.symbols) return;
  scopes.common = options.scope;
  lexer.AllowSymbols(&scopes.common);
}

bool TextInput::Enter() {
  // Each level takes about 2 KB of stack. (XLA's limit is 8192, but its parser
  // runs out of stack before.)
  constexpr int kMaxNesting = 500;
  if (nesting >= kMaxNesting) {
    return lexer.Error(absl::StrCat("bodies and operands nest deeper than ",
                                    kMaxNesting, " levels"));
  }
  ++nesting;
  return true;
}

bool TextInput::ReadNewName(absl::string_view* name) {
  if (lexer.token() == Token::kWord && IsReservedWord(lexer.text())) {
    return lexer.Error(
        absl::StrCat("\"", lexer.text(), "\" can't be a name: it is reserved"));
  }
  return lexer.ReadName(name);
}

ParsedModule::ParsedModule(const ParseOptions& options)
    : pools(data->MutablePools()),
      shapes(&pools.shapes(), options.fill_missing_layouts),
      no_metadata(pools.AddMetadata("")),
      places(std::make_shared<TextPositions>(
          options.file.empty() ? std::string(kNamelessText) : options.file)) {}

void ParsedModule::AddCaller(Opcode opcode, size_t offset, uint32_t callee) {
  ComputationFacts& of = facts[callee];
  if (opcode == Opcode::kFusion) of.is_fusion = true;
  if (opcode == Opcode::kAsyncStart) {
    of.is_async = true;
  } else if (of.other_caller == absl::string_view::npos) {
    of.other_caller = offset;
  }
}

int64_t ParsedModule::ComputationId(const TextInput& in,
                                    uint32_t computation) const {
  // As builders number them.
  if (in.recorded) return computation + int64_t{1};
  if (!in.bare) return computation;
  return computation == entry ? 0 : int64_t{computation} + 1;
}

}  // namespace indim
