// SPDX-License-Identifier: Apache-2.0
// The escapes in strings, as XLA prints them.

#ifndef INDIM_TEXT_BASE_ESCAPED_TEXT_H_
#define INDIM_TEXT_BASE_ESCAPED_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "indim/text/base/text_buffer.h"

namespace indim {

// `text` with C's escapes (\n, \", \\, \t, \r, \', octal for other bytes),
// without quotes.
std::string EscapeText(absl::string_view text);
// Appends EscapeText(text); fast for texts without escapes, which are most.
void AppendEscaped(absl::string_view text, TextBuffer* out);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_ESCAPED_TEXT_H_
