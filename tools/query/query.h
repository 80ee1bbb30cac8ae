// SPDX-License-Identifier: Apache-2.0
// Answers to questions about single operations, one JSON object a line: what
// `indim query` does. case_reader.h tells what a line holds.
//
//   {"id":"a","shape":"f32[4,2]"}
//   {"id":"b","ok":true}                           of a "verify" question
//   {"id":"c","ok":false,"error":"...","code":"IND0032"}
//   {"id":"d","error":"...","code":"IND0012"}
//   {"id":"e","components":[{"rank":2}]}           of a "rank" question
// Where one change would make an operation right, an error has it beside it
// (shape/fixes/fix.h): in words, x0, x1, ... being the operands, and by fields:
//   {"id":"f","error":"...","code":"IND0007","fix":"Add(x0, x1, {1}) matches
//   dim
//    0 of x1 with dim 1 of x0 (10 = 10)",
//    "change":{"attribute":"broadcast_dimensions","to":[1]}}
// and, where there are some, "warnings": a list of {"code","message"}, and
// "conditions" that symbolic sizes must meet: ["b == c", "n % 2 == 0"].

// Questions ("query") are "infer", "verify", "broadcast", and of rule "xla" one
// axis alone, of each array of the result: "element_type", "rank", "dims", or
// all three, "components" (shape/infer/infer_components.h). What isn't known is
// left out.

#ifndef INDIM_TOOLS_QUERY_QUERY_H_
#define INDIM_TOOLS_QUERY_QUERY_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// The answer to one line, without a newline. A line that can't be read gets an
// object with its error (and its id, when that much could be read).
std::string AnswerLine(absl::string_view line);

}  // namespace indim

#endif  // INDIM_TOOLS_QUERY_QUERY_H_
