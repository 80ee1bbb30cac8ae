// SPDX-License-Identifier: Apache-2.0
// Values that name computations, instructions or threads. They aren't fields;
// the parser resolves them.

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/text/attributes/attribute_values.h"
#include "indim/text/base/braced_members.h"

namespace indim {
namespace {

// Reads %name, name, or a body in braces, which it skips.
bool ReadCallee(Lexer* lexer, CalleeText* callee) {
  callee->offset = lexer->offset();
  if (lexer->token() == Token::kLeftBrace) return lexer->SkipBraces();
  if (lexer->token() != Token::kName && lexer->token() != Token::kWord) {
    return lexer->Expected("a computation's name or its body");
  }
  return lexer->ReadName(&callee->name);
}

// Reads a callee into its place, whichever comes first in the text.
bool ReadCalleeAt(size_t place, Lexer* lexer, AttributesRead* to) {
  CalleeText callee;
  if (!ReadCallee(lexer, &callee)) return false;
  if (to->callees.size() <= place) to->callees.resize(place + 1);
  to->callees[place] = callee;
  return true;
}

}  // namespace

bool ReadFirstCallValue(const TextAttribute&, Lexer* lexer,
                        AttributesRead* to) {
  return ReadCalleeAt(0, lexer, to);
}

bool ReadSecondCallValue(const TextAttribute&, Lexer* lexer,
                         AttributesRead* to) {
  return ReadCalleeAt(1, lexer, to);
}

bool ReadCallsValue(const TextAttribute& row, Lexer* lexer,
                    AttributesRead* to) {
  const size_t offset = lexer->offset();
  if (!to->callees.empty()) {
    return lexer->ErrorAt(
        offset, 1,
        absl::StrCat(row.name, " stands beside another computation"));
  }
  return ReadList(
      lexer, [&] { return ReadCallee(lexer, &to->callees.emplace_back()); });
}

bool ReadNamesValue(const TextAttribute&, Lexer* lexer, AttributesRead* to) {
  return ReadList(lexer, [&] {
    auto& [name, offset] = to->control_predecessors.emplace_back();
    offset = lexer->offset();
    return lexer->ReadName(&name);
  });
}

bool ReadThreadValue(const TextAttribute&, Lexer* lexer, AttributesRead* to) {
  std::string thread;
  if (!ReadUtf8(lexer, &thread)) return false;
  to->async_thread = std::move(thread);
  return true;
}

}  // namespace indim
