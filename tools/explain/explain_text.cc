// SPDX-License-Identifier: Apache-2.0
// Whatever somebody asks in a line: a word by itself, or a question.

#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "indim/proto/wire/printable.h"
#include "indim/shape/types/suggest.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/explain/name_table.h"

namespace indim {
namespace {

bool IsOneWord(absl::string_view text) {
  return !text.empty() &&
         text.find_first_of("[](){}<>+*/%&|^\"=,:") == absl::string_view::npos;
}

// "IND0007", "ind7", "7" or the code's slug.
std::optional<Code> CodeNamed(absl::string_view word) {
  if (const auto code = FindCode(word)) return code;
  if (absl::StartsWithIgnoreCase(word, "IND")) word.remove_prefix(3);
  int number;
  if (!absl::SimpleAtoi(word, &number)) return std::nullopt;
  return FindCode(absl::StrFormat("IND%04d", number));
}

// What codes, operations and words are called; what is near.
absl::Status UnknownWord(absl::string_view word) {
  std::vector<absl::string_view> known;
  for (const OpInfo& op : AllOps()) known.push_back(op.wire);
  for (const CodeInfo& code : AllCodes()) known.push_back(code.slug);
  const std::string words = KnownWords();
  for (absl::string_view one : absl::StrSplit(words, ", ")) {
    known.push_back(one);
  }
  absl::c_copy(KnownNames(), std::back_inserter(known));
  const absl::string_view near = NearestName(word, known);
  return absl::InvalidArgumentError(absl::StrCat(
      "'", Printable(word), "' is not a code, an operation or a word",
      near.empty() ? absl::StrCat(" (words are ", words, ")")
                   : absl::StrCat(" (did you mean ", near, "?)"),
      "; a question looks like 'f32[4] + f32[1,2] {0}'"));
}

std::string OpText(Opcode opcode, bool json) {
  return json ? OpJson(opcode) + "\n" : ExplainOp(opcode);
}

}  // namespace

std::string ExplainTerm(absl::string_view word, bool json) {
  std::string text;
  if (word == "ops") {
    for (const OpInfo& op : AllOps()) text += OpText(op.opcode, json);
  } else if (word == "codes") {
    for (const CodeInfo& code : AllCodes()) {
      text += ExplainCode(code.code, json);
    }
  } else if (word == "words") {
    const std::string words = KnownWords();
    for (absl::string_view one : absl::StrSplit(words, ", ")) {
      text += ExplainWord(one, json);
    }
  } else if (const auto code = CodeNamed(word)) {
    text = ExplainCode(*code, json);
  } else if (const auto opcode = OpcodeFromName(word)) {
    text = OpText(*opcode, json);
  } else {
    text = ExplainWord(word, json);
    if (text.empty()) text = ExplainName(word, json);
  }
  return text;
}

absl::StatusOr<Explanation> ExplainText(absl::string_view text,
                                        const ExplainOptions& options) {
  const absl::string_view word = absl::StripAsciiWhitespace(text);
  Explanation term;
  term.text = ExplainTerm(word, options.json);
  if (!term.text.empty()) return term;
  if (IsOneWord(word)) return UnknownWord(word);
  return ExplainQuestion(text, options);
}

}  // namespace indim
