// SPDX-License-Identifier: Apache-2.0
// Reads the tables of stack frames after a module's header.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/text/base/braced_members.h"
#include "indim/text/parse/hlo_header.h"

namespace indim {
namespace {

// Reads lines `1 "text"`, as field `number`.
bool ReadNames(Lexer* lexer, uint32_t number, std::string* wire) {
  while (lexer->Accept(Token::kInt)) {
    std::string name;
    if (!ReadUtf8(lexer, &name)) return false;
    wire_fields::AppendBytes(number, name, wire);
  }
  return true;
}

struct RowField {
  absl::string_view name;
  uint32_t number;
};

template <size_t kSize>
using RowFields = std::array<RowField, kSize>;

template <size_t kSize>
void AppendRow(const RowFields<kSize>& fields,
               const std::array<int64_t, kSize>& values, uint32_t number,
               std::string* wire) {
  std::array<std::pair<uint32_t, int64_t>, kSize> row;
  for (size_t i = 0; i < kSize; ++i) row[i] = {fields[i].number, values[i]};
  std::sort(row.begin(), row.end());
  wire_fields::AppendNested(number, wire, [&] {
    for (const auto& [field, value] : row) {
      wire_fields::AppendInt(field, static_cast<int32_t>(value), wire);
    }
  });
}

// Skips a number in printed form that fits into 32 bits.
const char* SkipPlainNumber(const char* p, const char* end, int64_t* value) {
  constexpr std::ptrdiff_t kFits = 9;
  const char* const begin = p;
  *value = 0;
  for (; p != end && absl::ascii_isdigit(*p); ++p) {
    if (p - begin == kFits) return nullptr;
    *value = 10 * *value + (*p - '0');
  }
  return p == begin ? nullptr : p;
}

// Reads the row that begins at `p` if it has the printed form; else returns
// null.
template <size_t kSize>
const char* SkipPlainRow(const char* p, const char* end,
                         const RowFields<kSize>& fields,
                         std::array<int64_t, kSize>* values) {
  int64_t number = 0;
  p = SkipPlainNumber(p, end, &number);
  absl::string_view before = " {";
  for (size_t i = 0; i < kSize; ++i) {
    if (p == nullptr) return nullptr;
    absl::string_view rest(p, static_cast<size_t>(end - p));
    if (!absl::ConsumePrefix(&rest, before) ||
        !absl::ConsumePrefix(&rest, fields[i].name) ||
        !absl::ConsumePrefix(&rest, "=")) {
      return nullptr;
    }
    p = SkipPlainNumber(rest.data(), end, &(*values)[i]);
    before = " ";
  }
  return p == nullptr || p == end || *p != '}' ? nullptr : p + 1;
}

// Reads such rows, each on a line of its own.
template <size_t kSize>
void ReadPlainRows(Lexer* lexer, uint32_t number,
                   const RowFields<kSize>& fields, int64_t last_stored,
                   std::string* wire) {
  const absl::string_view text = lexer->whole_text();
  const char* const end = text.data() + text.size();
  const char* const begin = text.data() + lexer->offset();
  const char* read = begin;
  const char* p = begin;
  std::array<int64_t, kSize> values;
  while ((p = SkipPlainRow(p, end, fields, &values)) != nullptr) {
    read = p;
    values[kSize - 1] += last_stored;
    AppendRow(fields, values, number, wire);
    if (p == end || *p != '\n') break;
    ++p;
  }
  if (read == begin) return;
  lexer->Seek(lexer->offset() + static_cast<size_t>(read - begin));
}

// Reads lines `1 {name=value ...}` with all of `fields`, as field `number`.
// Adds `last_stored` to the last field's value.
template <size_t kSize>
bool ReadRows(Lexer* lexer, absl::string_view what, uint32_t number,
              const RowFields<kSize>& fields, int64_t last_stored,
              std::string* wire) {
  ReadPlainRows(lexer, number, fields, last_stored, wire);
  std::array<absl::string_view, kSize> names;
  for (size_t i = 0; i < kSize; ++i) names[i] = fields[i].name;
  while (lexer->Accept(Token::kInt)) {
    std::array<int64_t, kSize> values{};
    uint64_t given = 0;
    const size_t at = lexer->offset();
    if (!ReadMembers(
            lexer, what, names,
            [&](size_t i) { return ReadInt32(lexer, &values[i]); }, &given)) {
      return false;
    }
    for (size_t i = 0; i < kSize; ++i) {
      if ((given >> i & 1) == 0) {
        return lexer->ErrorAt(at, 1,
                              absl::StrCat("a ", what, " needs ", names[i]));
      }
    }
    values[kSize - 1] += last_stored;
    AppendRow(fields, values, number, wire);
  }
  return true;
}

}  // namespace

bool ReadFrameTables(Lexer* lexer, std::string* wire) {
  static constexpr RowFields<6> kLocation = {{{"file_name_id", 1},
                                              {"function_name_id", 2},
                                              {"line", 3},
                                              {"end_line", 5},
                                              {"column", 4},
                                              {"end_column", 6}}};
  // Numbers in the text are one more than in the field: 1 means no parent.
  static constexpr RowFields<2> kFrame = {
      {{"file_location_id", 1}, {"parent_frame_id", 2}}};
  if (!lexer->AcceptWord("FileNames")) return true;
  return ReadNames(lexer, 1, wire) && lexer->ExpectWord("FunctionNames") &&
         ReadNames(lexer, 2, wire) && lexer->ExpectWord("FileLocations") &&
         ReadRows(lexer, "location", 3, kLocation, 0, wire) &&
         lexer->ExpectWord("StackFrames") &&
         ReadRows(lexer, "frame", 4, kFrame, -1, wire);
}

}  // namespace indim
