// Explanations: how the operands of an operation are matched, drawn.

#ifndef INDIM_TOOLS_EXPLAIN_H_
#define INDIM_TOOLS_EXPLAIN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/broadcast.h"
#include "indim/shape/diagnostic.h"
#include "indim/shape/opcode.h"

namespace indim {

struct Explanation {
  std::string text;
  bool ok = true;  // the operands match
};

// Explains a question such as "f32[4] + f32[1,2] {0}": shapes around one
// operator (+ - * / % & | ^ or the name of an elementwise operation), then
// broadcast_dimensions. kNumpy takes any number of operands. InvalidArgument
// for text that is no such question.
absl::StatusOr<Explanation> ExplainBroadcast(absl::string_view question,
                                             BroadcastRule rule, int64_t axis);

// What a rule of rules.def says, why it is, and an example that keeps it and
// one that breaks it (JSON: lines for `indim query`).
std::string ExplainRule(Rule rule);

// What `opcode` does, what its row declares, with the rules that are reported,
// and what its result is.
std::string ExplainOp(Opcode opcode);
// The same for programs: one JSON object on one line, with the element types
// that operand 0 may have, and each constraint by its fields (kind, operands,
// other, types, type, number, attributes).
std::string OpJson(Opcode opcode);
// All constraints of the row on one line: "operand 1 is an array (IND0101);
// ...".
std::string DeclaredText(Opcode opcode);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_H_
