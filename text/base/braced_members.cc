// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/braced_members.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/proto/wire/wire.h"
#include "indim/shape/types/suggest.h"

namespace indim {

bool ReadList(Lexer* lexer, absl::FunctionRef<bool()> read) {
  if (!lexer->Expect(Token::kLeftBrace)) return false;
  while (lexer->token() != Token::kRightBrace) {
    if (!read()) return false;
    if (!lexer->Accept(Token::kComma)) break;
  }
  return lexer->Expect(Token::kRightBrace);
}

bool ReadMembers(Lexer* lexer, absl::string_view what,
                 absl::Span<const absl::string_view> names,
                 absl::FunctionRef<bool(size_t)> read, uint64_t* given) {
  if (!lexer->Expect(Token::kLeftBrace)) return false;
  uint64_t seen = 0;
  size_t next = 0;  // members usually have the order of their names
  while (lexer->token() != Token::kRightBrace) {
    if (seen != 0) lexer->Accept(Token::kComma);
    if (lexer->token() != Token::kAttributeName) {
      return lexer->Expected(absl::StrCat("a member of ", what, " or \"}\""));
    }
    const absl::string_view name = lexer->text();
    const size_t offset = lexer->offset();
    size_t i = next;
    if (i >= names.size() || names[i] != name) {
      for (i = 0; i < names.size() && names[i] != name;) ++i;
    }
    next = i + 1;
    if (i == names.size()) {
      return UnknownName(lexer, offset, name, absl::StrCat("member of ", what),
                         names);
    }
    if ((seen >> i & 1) != 0) {
      return lexer->ErrorAt(offset, name.size(),
                            absl::StrCat("\"", name, "\" is given twice"));
    }
    seen |= uint64_t{1} << i;
    lexer->Next();
    if (!read(i)) return false;
  }
  if (given != nullptr) *given = seen;
  return lexer->Expect(Token::kRightBrace);
}

bool UnknownName(Lexer* lexer, size_t offset, absl::string_view name,
                 absl::string_view what,
                 absl::Span<const absl::string_view> names, size_t listed) {
  const absl::string_view nearest = NearestName(name, names);
  std::string message = absl::StrCat(
      "unknown ", what, " \"", absl::CHexEscape(name.substr(0, 64)), "\"");
  constexpr size_t kFew = 8;
  const absl::Span<const absl::string_view> known =
      names.first(std::min(listed, names.size()));
  if (!nearest.empty()) {
    absl::StrAppend(&message, ", did you mean \"", nearest, "\"?");
  } else if (!known.empty() && known.size() <= kFew) {
    absl::StrAppend(&message, ", known ", known.size() == 1 ? "is " : "are ",
                    absl::StrJoin(known, ", "));
  }
  return lexer->ErrorAt(offset, name.size(), message);
}

bool ReadInt32(Lexer* lexer, int64_t* value) {
  const size_t offset = lexer->offset();
  const size_t length = lexer->end() - offset;
  if (!lexer->ReadInt(value)) return false;
  if (*value < std::numeric_limits<int32_t>::min() ||
      *value > std::numeric_limits<int32_t>::max()) {
    return lexer->ErrorAt(
        offset, length,
        absl::StrCat("\"", lexer->whole_text().substr(offset, length),
                     "\" doesn't fit into 32 bits"));
  }
  return true;
}

bool ReadDouble(Lexer* lexer, double* value) {
  if (lexer->token() == Token::kInt) {
    const bool negative = absl::StartsWith(lexer->text(), "-");
    int64_t number = 0;
    if (!lexer->ReadInt(&number)) return false;
    *value = static_cast<double>(number);
    if (negative && number == 0) *value = -0.0;
    return true;
  }
  if (lexer->token() == Token::kDecimal) {
    if (!absl::SimpleAtod(lexer->text(), value) || std::isinf(*value)) {
      return lexer->Error("this number is too large");
    }
    lexer->Next();
    return true;
  }
  const bool negative = lexer->Accept(Token::kMinus);
  if (lexer->AcceptWord("inf")) {
    *value = std::numeric_limits<double>::infinity();
  } else if (lexer->AcceptWord("nan")) {
    *value = std::numeric_limits<double>::quiet_NaN();
  } else {
    return lexer->Expected("a number");
  }
  if (negative) *value = -*value;
  return true;
}

bool ReadUtf8View(Lexer* lexer, std::string* unescaped,
                  absl::string_view* value) {
  const size_t offset = lexer->offset();
  const size_t length = lexer->end() - offset;
  if (lexer->token() == Token::kString &&
      lexer->text().find('\\') == absl::string_view::npos) {
    *value = lexer->text();
    lexer->Next();
  } else {
    if (!lexer->ReadString(unescaped)) return false;
    *value = *unescaped;
  }
  return IsValidUtf8(*value) ||
         lexer->ErrorAt(offset, length, "this text isn't UTF-8");
}

bool ReadUtf8(Lexer* lexer, std::string* value) {
  std::string unescaped;
  absl::string_view view;
  if (!ReadUtf8View(lexer, &unescaped, &view)) return false;
  value->assign(view.data(), view.size());
  return true;
}

}  // namespace indim
