// The escapes in strings, as XLA prints them.

#ifndef INDIM_TEXT_BASE_ESCAPED_TEXT_H_
#define INDIM_TEXT_BASE_ESCAPED_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// Whether `text` has nothing to escape.
bool NothingToEscape(absl::string_view text);
// `text` with C's escapes (\n, \", \\, \t, \r, \', octal for other bytes),
// without quotes.
std::string EscapeText(absl::string_view text);
// Writes EscapeText(text) to `to`, which has room for four times as many
// characters; returns the end.
char* WriteEscaped(absl::string_view text, char* to);
// Appends EscapeText(text) to `out`; fast for texts without escapes, which are
// most.
void AppendEscaped(absl::string_view text, std::string* out);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_ESCAPED_TEXT_H_
