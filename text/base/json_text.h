// JSON in HLO text: backend configs and frontend attributes that stand in their
// braces, without quotes. Nobody interprets it here.

#ifndef INDIM_TEXT_BASE_JSON_TEXT_H_
#define INDIM_TEXT_BASE_JSON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// XLA's lexer would read `text` as JSON: one pair of balanced braces, strings
// respected, nothing but blanks and comments around it. Such text is printed as
// it is, any other in quotes.
bool LexesAsJson(absl::string_view text);

// The same JSON without blanks, the members of each object sorted by their
// text, as XLA's SortJson gives it. `text` itself where it isn't JSON, or nests
// deeper than 200.
std::string SortedJson(absl::string_view text);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_JSON_TEXT_H_
