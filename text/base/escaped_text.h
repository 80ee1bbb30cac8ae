// The characters of strings as XLA prints them.

#ifndef INDIM_TEXT_BASE_ESCAPED_TEXT_H_
#define INDIM_TEXT_BASE_ESCAPED_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// Whether `text` stays as it is when it is escaped.
bool NothingToEscape(absl::string_view text);
// `text` with C's escapes made (\n, \", \\, \t, \r, \', octal for the rest);
// without the quotes.
std::string EscapeText(absl::string_view text);
// The same written to `to`, where there is room for four times as many
// characters; returns the end.
char* WriteEscaped(absl::string_view text, char* to);
// The same at the end of `out`. Most texts have nothing to escape: this is
// quick to see that.
void AppendEscaped(absl::string_view text, std::string* out);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_ESCAPED_TEXT_H_
