// What readers of values inside braces share: `{name=value other=value}`,
// numbers of 32 bits, text in UTF-8. For text/ alone.

#ifndef INDIM_TEXT_BASE_BRACED_MEMBERS_H_
#define INDIM_TEXT_BASE_BRACED_MEMBERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/text/base/lexer.h"

namespace indim {

// Reads `{`, members in any order with or without commas between them, `}`.
// The present token is the "{". `read(i)` reads the value of names[i], whose
// first token is then present. False after an error: an unknown name (with the
// nearest one; `what` names the whole), one given twice, or `read` said so. At
// most 64 names.
bool ReadMembers(Lexer* lexer, absl::string_view what,
                 absl::Span<const absl::string_view> names,
                 absl::FunctionRef<bool(size_t)> read,
                 uint64_t* given = nullptr);

// An error about `name` at `offset`: "unknown WHAT "x", did you mean "y"?", or
// the few names that are known. False.
bool UnknownName(Lexer* lexer, size_t offset, absl::string_view name,
                 absl::string_view what,
                 absl::Span<const absl::string_view> names);

// An integer of 32 bits.
bool ReadInt32(Lexer* lexer, int64_t* value);

// A number: an integer, a decimal, inf, nan, with a sign or without.
bool ReadDouble(Lexer* lexer, double* value);

// A string for a field of text: an error when it isn't UTF-8. The view is of
// the text itself where nothing is escaped, else of `unescaped`.
bool ReadUtf8(Lexer* lexer, std::string* value);
bool ReadUtf8View(Lexer* lexer, std::string* unescaped,
                  absl::string_view* value);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_BRACED_MEMBERS_H_
