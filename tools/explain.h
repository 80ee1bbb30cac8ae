// Explanations: how the operands of an operation are matched, drawn; what a
// rule, an operation or a word of broadcasting means.

#ifndef INDIM_TOOLS_EXPLAIN_H_
#define INDIM_TOOLS_EXPLAIN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/broadcast.h"
#include "indim/shape/broadcastable.h"
#include "indim/shape/diagnostic.h"
#include "indim/shape/opcode.h"

namespace indim {

struct ExplainOptions {
  // nullopt: the rule that the question names, or its notation implies.
  std::optional<BroadcastRule> rule;
  // One line for each rule: what it gives.
  bool all_rules = false;
  std::optional<int64_t> axis;  // of kPdpd; nullopt: the question's, or -1
  // Which mode of the Broadcastable trait decides whether a result passes.
  BroadcastableMode mode = BroadcastableMode::kLenient;
  // One JSON object on one line, instead of a drawing.
  bool json = false;
};

struct Explanation {
  std::string text;
  bool ok = true;  // the operands match, and the result behind "->" passes
};

// Explains a question such as "f32[4] + f32[1,2] {0}"
// (explain_question.h has the notations): where each dim goes, what stretches
// (with the shape between the two steps), what is left to run time, the result,
// and, for a result behind "->", what is inferred and recorded of each dim and
// what the three modes of the Broadcastable trait say. InvalidArgument for text
// that is no such question.
absl::StatusOr<Explanation> ExplainBroadcast(
    absl::string_view question, const ExplainOptions& options = {});

// What a rule of rules.def says, why it is, and an example that keeps it and
// one that breaks it (JSON: lines for `indim query`).
std::string ExplainRule(Rule rule);

// What a word of the documents means ("InDim", "degenerate", "outer product"),
// with a question to try; "" for no such word. Capitals don't matter.
std::string ExplainWord(absl::string_view word);
// All of them, with commas between.
std::string KnownWords();

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
