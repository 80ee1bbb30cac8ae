// SPDX-License-Identifier: Apache-2.0
// JSON in HLO text: backend configs and frontend attributes in braces, without
// quotes. Indim doesn't interpret it.

#ifndef INDIM_TEXT_BASE_JSON_TEXT_H_
#define INDIM_TEXT_BASE_JSON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// Whether XLA's lexer would read `text` as JSON: one pair of balanced braces,
// taking account of strings, with only blanks and comments around it. The
// printer prints such text unchanged, other text in quotes.
bool LexesAsJson(absl::string_view text);

// The JSON without blanks, with the members of each object sorted by their
// text, as in XLA's SortJson. `text` itself if it isn't JSON or nests deeper
// than 200.
std::string SortedJson(absl::string_view text);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_JSON_TEXT_H_
