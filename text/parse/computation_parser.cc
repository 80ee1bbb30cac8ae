// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/computation_parser.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/shape/types/suggest.h"
#include "indim/text/attributes/attribute_text.h"

namespace indim {
namespace {

constexpr size_t kNoOffset = absl::string_view::npos;
// Most bytes of a line that are looked at; names aren't longer.
constexpr size_t kMaxLineBytes = 1000;

// Whether the line is one of a body: `[ROOT] name =`.
bool LooksLikeInstruction(absl::string_view line) {
  absl::ConsumePrefix(&line, "ROOT ");
  line = absl::StripLeadingAsciiWhitespace(line);
  absl::ConsumePrefix(&line, "%");
  size_t end = 0;
  while (end < line.size() &&
         (absl::ascii_isalnum(line[end]) || line[end] == '_' ||
          line[end] == '.' || line[end] == '-')) {
    ++end;
  }
  // `name=`, without a blank, is an attribute.
  return end > 0 && end < line.size() && absl::ascii_isspace(line[end]) &&
         absl::StartsWith(absl::StripLeadingAsciiWhitespace(line.substr(end)),
                          "=");
}

// Whether the line begins something other than the rest of an instruction.
bool EndsInstruction(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  return absl::StartsWith(line, "}") || absl::StartsWith(line, "ENTRY ") ||
         LooksLikeInstruction(line);
}

// Whether only blanks precede `offset` in its line.
bool BeginsLine(absl::string_view text, size_t offset) {
  const size_t from = offset > kMaxLineBytes ? offset - kMaxLineBytes : 0;
  const absl::string_view before = text.substr(from, offset - from);
  const size_t newline = before.rfind('\n');
  return newline != kNoOffset &&
         absl::StripAsciiWhitespace(before.substr(newline)).empty();
}

}  // namespace

void ComputationParser::UseSymbolsOf(absl::string_view computation) {
  if (in_.scopes.own.empty()) return;
  const auto own = in_.scopes.own.find(computation);
  const SymbolScope* const scope =
      own == in_.scopes.own.end() ? &in_.scopes.common : &own->second;
  if (lexer_.symbols() == scope) return;
  lexer_.AllowSymbols(scope);
  // Shapes that were read so far had other symbols.
  module_.shapes.Forget();
  known_.Forget();
}

void ComputationParser::ReadBareInstructions() {
  in_.bare = true;
  if (lexer_.token() == Token::kEnd) {
    lexer_.Expected("an HLO module or an instruction");
    return;
  }
  names_.Open("_");
  const size_t begin = lexer_.offset();
  if (IsShapeAhead(lexer_)) {
    ParsedInstruction node;
    node.name = "_";
    node.offset = lexer_.offset();
    node.place = in_.line_counter.PlaceOf(node.offset);
    uint32_t position;
    if (instructions_.ReadRightSide(&node, &position) &&
        lexer_.token() != Token::kEnd) {
      lexer_.Error("expected nothing after an instruction without a name");
    }
  } else {
    while (lexer_.token() != Token::kEnd && !in_.TooManyErrors()) {
      const size_t from = lexer_.offset();
      if (!instructions_.Read(LineText())) SkipInstruction(from);
    }
  }
  if (!in_.errors.empty() || !CheckParameters(begin)) return;
  if (!names_.body().has_root) {
    names_.body().root =
        static_cast<uint32_t>(names_.body().instructions.size()) - 1;
  }
  module_.entry = names_.Close();
}

// A tool has put another module into the text.
void ComputationParser::ReportSecondModule() {
  lexer_.Error(
      "a second module begins here, and a text holds one; to fix: put each "
      "into a file of its own");
  lexer_.Seek(in_.text.size());
}

void ComputationParser::Read() {
  if (lexer_.token() == Token::kWord && lexer_.text() == "HloModule") {
    return ReportSecondModule();
  }
  const size_t mark = lexer_.offset();
  const bool is_entry = lexer_.AcceptWord("ENTRY");
  const size_t name_offset = lexer_.offset();
  absl::string_view name;
  ShapeId result;
  size_t result_offset = 0;
  if (!in_.ReadNewName(&name)) return SkipComputation();
  UseSymbolsOf(name);
  if (lexer_.token() == Token::kLeftParen &&
      !ReadSignature(&result, &result_offset)) {
    return SkipComputation();
  }
  if (lexer_.token() != Token::kLeftBrace) {
    lexer_.Expected("\"{\" and the computation's instructions");
    return SkipComputation();
  }
  uint32_t computation;
  const bool complete = ReadBody(name, &computation);
  // Broken computations get names too, so that calls of them cause no errors.
  auto [it, is_new] = module_.computation_names.emplace(name, computation);
  if (!is_new) {
    lexer_.ErrorAt(name_offset, name.size(),
                   absl::StrCat("there is a computation ", name, " already"));
  }
  if (is_entry) {
    if (has_entry_mark_) {
      lexer_.ErrorAt(mark, 5, "a module has one ENTRY; this is the second");
    }
    has_entry_mark_ = true;
  }
  if (!complete) {
    // A body without an end ends where the next computation begins.
    const bool at_next =
        lexer_.token() == Token::kWord && lexer_.text() == "ENTRY";
    return at_next ? void() : SkipComputation();
  }
  if (computation == kBrokenPosition) {
    if (lexer_.Accept(Token::kComma)) SkipComputation();
    return;
  }
  if (is_entry || !has_entry_mark_) module_.entry = computation;
  if (result) CheckSignature(computation, result, result_offset);
  while (lexer_.Accept(Token::kComma)) {
    if (!ReadEnding(computation)) return SkipComputation();
  }
}

bool ComputationParser::ReadEnding(uint32_t computation) {
  ComputationFacts& facts = module_.facts[computation];
  const bool is_name = lexer_.token() == Token::kAttributeName;
  const bool is_config = is_name && lexer_.text() == "backend_config";
  if (!is_config && (!is_name || lexer_.text() != "execution_thread")) {
    return lexer_.Expected("execution_thread= or backend_config=");
  }
  std::string& value = is_config ? facts.backend_config : facts.thread;
  if (!value.empty()) {
    return lexer_.Expected(is_config ? "backend_config=, once"
                                     : "execution_thread=, once");
  }
  lexer_.Next();
  return is_config ? ReadJsonOrText(&lexer_, &value)
                   : lexer_.ReadString(&value);
}

bool ComputationParser::ReadBody(absl::string_view name,
                                 uint32_t* computation) {
  *computation = kBrokenPosition;
  if (!in_.Enter()) return false;
  const size_t begin = lexer_.offset();
  lexer_.Next();  // the brace
  names_.Open(name);
  LineText line;
  do {
    if (lexer_.token() == Token::kEnd ||
        (lexer_.token() == Token::kWord && lexer_.text() == "ENTRY")) {
      ExpectedBodyEnd(name, begin);
      break;
    }
    if (known_.Read(&line)) continue;
    const size_t from = lexer_.offset();
    if (!instructions_.Read(line)) SkipInstruction(from);
  } while (lexer_.token() != Token::kRightBrace && !in_.TooManyErrors());
  in_.Leave();
  const bool complete =
      lexer_.token() == Token::kRightBrace && !in_.TooManyErrors();
  OpenBody& body = names_.body();
  if (in_.errors.calls() != body.errors_before || body.is_broken || !complete ||
      !CheckParameters(begin)) {
    names_.Drop();
  } else {
    if (body.root == kBrokenPosition) {
      body.root = static_cast<uint32_t>(body.instructions.size()) - 1;
    }
    *computation = names_.Close();
  }
  lexer_.Accept(Token::kRightBrace);
  return complete;
}

// The brace may be on the line of a broken instruction.
void ComputationParser::ExpectedBodyEnd(absl::string_view name, size_t begin) {
  if (lexer_.token() == Token::kEnd &&
      in_.errors.calls() != names_.body().errors_before) {
    return;
  }
  lexer_.Expected(absl::StrCat("an instruction, or \"}\" at the end of ", name,
                               ", which begins in line ",
                               PositionOf(in_.text, begin).line));
}

// --- Signatures --------------------------------------------------------------

bool ComputationParser::ReadSignature(ShapeId* result, size_t* offset) {
  lexer_.Next();
  if (lexer_.token() != Token::kRightParen && !ReadSignatureParameters()) {
    return false;
  }
  if (!lexer_.Expect(Token::kRightParen) || !lexer_.Expect(Token::kArrow)) {
    return false;
  }
  *offset = lexer_.offset();
  if (!IsShapeAhead(lexer_)) return lexer_.Expected("the result's shape");
  return module_.shapes.Read(&lexer_, result);
}

bool ComputationParser::ReadSignatureParameters() {
  ShapeId parameter;
  do {
    if (lexer_.token() != Token::kSignatureName) {
      // `%name :`, or `%name:`, which is two tokens.
      absl::string_view name;
      if (!lexer_.ReadName(&name)) return false;
      lexer_.Accept(Token::kColon);
    } else {
      lexer_.Next();
    }
    if (!IsShapeAhead(lexer_)) return lexer_.Expected("a shape");
    if (!module_.shapes.Read(&lexer_, &parameter)) return false;
  } while (lexer_.Accept(Token::kComma));
  return true;
}

bool ComputationParser::CheckSignature(uint32_t computation, ShapeId result,
                                       size_t offset) {
  const ComputationRecord& record = module_.data->computations[computation];
  const ShapeTable& shapes = module_.pools.shapes();
  const ShapeId root =
      module_.data->instructions[record.first + record.root].shape;
  if (shapes.structure(root) == shapes.structure(result) ||
      Compatible(shapes.shape(root), shapes.shape(result))) {
    return true;
  }
  return lexer_.ErrorAt(
      offset, 1,
      absl::StrCat("the result of ", module_.facts[computation].name, " is ",
                   shapes.shape(result).WithoutLayout().ToString(),
                   " here, but its root has ",
                   shapes.shape(root).WithoutLayout().ToString()));
}

bool ComputationParser::CheckParameters(size_t offset) {
  absl::InlinedVector<int64_t, 16> numbers;
  for (const InstructionRecord& r : names_.body().instructions) {
    if (r.opcode != Opcode::kParameter) continue;
    numbers.push_back(module_.data->ParameterNumber(r));
  }
  std::sort(numbers.begin(), numbers.end());
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == static_cast<int64_t>(i)) continue;
    const bool twice = i > 0 && numbers[i] == numbers[i - 1];
    return lexer_.ErrorAt(
        offset, 1,
        twice ? absl::StrCat("parameter(", numbers[i], ") is here twice")
              : absl::StrCat("parameter(", i,
                             ") is missing here, but there is "
                             "parameter(",
                             numbers[i], ")"));
  }
  return true;
}

// --- Called computations -----------------------------------------------------

bool ComputationParser::ResolveCallees(ParsedInstruction* node) {
  const size_t after = lexer_.offset();
  bool read_body = false;
  for (const CalleeText& callee : node->attributes.callees) {
    uint32_t computation = kBrokenPosition;
    if (callee.name.empty()) {
      read_body = true;
      lexer_.Seek(callee.offset);
      if (IsNameInBraces()) {
        node->broken = true;
        continue;
      }
      if (!ReadInlineBody(&computation)) return false;
    } else if (!FindCallee(callee, &computation)) {
      computation = kBrokenPosition;
    }
    node->broken |= computation == kBrokenPosition;
    node->callees.push_back(computation);
  }
  if (read_body) lexer_.Seek(after);
  return true;
}

// A body is in braces; a name of a callee isn't. Reports a name in braces.
bool ComputationParser::IsNameInBraces() {
  const size_t brace = lexer_.offset();
  lexer_.Next();
  const size_t offset = lexer_.offset();
  const absl::string_view name = lexer_.text();
  bool found = lexer_.token() == Token::kName || lexer_.token() == Token::kWord;
  if (found) {
    lexer_.Next();
    found = lexer_.token() == Token::kRightBrace;
  }
  if (found) {
    lexer_.ErrorAt(offset, name.size(),
                   absl::StrCat("braces hold a computation's instructions; to "
                                "fix: name one without them, %",
                                name));
  }
  lexer_.Seek(brace);
  return found;
}

// A broken body ends at its brace.
bool ComputationParser::ReadInlineBody(uint32_t* computation) {
  const size_t begin = lexer_.offset();
  if (!lexer_.SkipBraces()) return false;
  const size_t end = lexer_.previous_end();
  lexer_.Seek(begin);
  const size_t outer_end = skip_limit_;
  skip_limit_ = end - 1;
  const bool ok = ReadBody("_", computation);
  skip_limit_ = outer_end;
  return ok;
}

bool ComputationParser::FindCallee(const CalleeText& callee,
                                   uint32_t* computation) {
  auto it = module_.computation_names.find(callee.name);
  if (it != module_.computation_names.end()) {
    *computation = it->second;
    return true;
  }
  std::vector<absl::string_view> names;
  for (const ComputationFacts& facts : module_.facts) {
    if (names.size() < 2000) names.push_back(facts.name);
  }
  const absl::string_view near = NearestName(callee.name, names);
  std::string message = absl::StrCat(
      "no computation before this one is named \"", callee.name, "\"");
  if (!near.empty()) {
    absl::StrAppend(&message, ", did you mean \"", near, "\"?");
  }
  return lexer_.ErrorAt(callee.offset, callee.name.size(), std::move(message));
}

// --- Going on after an error -------------------------------------------------

void ComputationParser::SkipInstruction(size_t from) {
  if (in_.errors.empty()) lexer_.Error("this can't be read");
  size_t at = std::max(lexer_.offset(), in_.errors.errors().back().offset);
  // The error may have been found at the instruction's end.
  if (at > from && at < skip_limit_ && BeginsLine(in_.text, at) &&
      EndsInstruction(in_.text.substr(at, kMaxLineBytes))) {
    return lexer_.Seek(at);
  }
  while (true) {
    at = in_.text.find('\n', at);
    if (at == kNoOffset || at >= skip_limit_) {
      return lexer_.Seek(std::min(skip_limit_, in_.text.size()));
    }
    if (EndsInstruction(in_.text.substr(at + 1, kMaxLineBytes))) {
      return lexer_.Seek(at + 1);
    }
    ++at;
  }
}

void ComputationParser::SkipComputation() {
  size_t at = lexer_.offset();
  while (true) {
    at = in_.text.find('\n', at);
    if (at == kNoOffset) return lexer_.Seek(in_.text.size());
    ++at;
    if (at < in_.text.size() &&
        (absl::ascii_isalpha(in_.text[at]) || in_.text[at] == '_' ||
         in_.text[at] == '%') &&
        !LooksLikeInstruction(in_.text.substr(at, kMaxLineBytes))) {
      return lexer_.Seek(at);
    }
  }
}

}  // namespace indim
