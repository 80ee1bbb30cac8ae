// SPDX-License-Identifier: Apache-2.0
// Readers of values inside braces, `{name=value other=value}`: members, 32-bit
// numbers, UTF-8 text. For text/ only.

#ifndef INDIM_TEXT_BASE_BRACED_MEMBERS_H_
#define INDIM_TEXT_BASE_BRACED_MEMBERS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/text/base/lexer.h"

namespace indim {

// Reads `{`, members in any order with or without commas between them, and `}`.
// The current token must be the "{". `read(i)` reads the value of names[i],
// whose first token is then current. False after an error: an unknown name
// (with the nearest one; `what` names the whole), a duplicate name, or an error
// of `read`. At most 64 names.
bool ReadMembers(Lexer* lexer, absl::string_view what,
                 absl::Span<const absl::string_view> names,
                 absl::FunctionRef<bool(size_t)> read,
                 uint64_t* given = nullptr);

// Reads `{`, elements with commas between them, and `}`. `read` reads an
// element, whose first token is then current. False after an error.
bool ReadList(Lexer* lexer, absl::FunctionRef<bool()> read);

// Adds the error for `name` at `offset`: "unknown WHAT "x", did you mean "y"?",
// or the first `listed` of the known names if these are few. Returns false.
bool UnknownName(Lexer* lexer, size_t offset, absl::string_view name,
                 absl::string_view what,
                 absl::Span<const absl::string_view> names,
                 size_t listed = static_cast<size_t>(-1));

// Reads a 32-bit integer.
bool ReadInt32(Lexer* lexer, int64_t* value);

// Reads a number: an integer, a decimal, inf or nan, with or without a sign.
bool ReadDouble(Lexer* lexer, double* value);

// Reads a string in UTF-8; other strings are an error. The view refers to the
// text itself if the string has no escapes, else to `unescaped`.
bool ReadUtf8(Lexer* lexer, std::string* value);
bool ReadUtf8View(Lexer* lexer, std::string* unescaped,
                  absl::string_view* value);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_BRACED_MEMBERS_H_
