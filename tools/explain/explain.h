// SPDX-License-Identifier: Apache-2.0
// Explanations: how the operands of an operation are matched, drawn; where the
// dims of a result come from; what a code, an operation or a word of
// broadcasting means.

#ifndef INDIM_TOOLS_EXPLAIN_EXPLAIN_H_
#define INDIM_TOOLS_EXPLAIN_EXPLAIN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/broadcast/broadcastable.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tools/explain/explain_question.h"

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
  // Draws the operands' elements, step by step (explain_values.h has what this
  // may be); nullopt: sizes alone.
  std::optional<std::string> values;
  // What an instruction was before it was HLO: stands before it.
  std::string statement;
  // The drawing as SVG: with elements, which are counted up where `values` says
  // none, where sizes are known and small; else of sizes.
  bool svg = false;
};

struct Explanation {
  std::string text;
  bool ok = true;  // the operands match, and the result behind "->" passes
};

// Answers any question about an operation: one that broadcasts
// (explain_question.h has the notations), or any other with its attributes
// (explain_call.h): where each dim goes or comes from, what stretches (with the
// shape between the two steps), what is left to run time, the result, and, for
// a result behind "->", what is inferred and recorded of each dim and whether
// they agree. InvalidArgument for text that is no such question.
absl::StatusOr<Explanation> ExplainQuestion(absl::string_view question,
                                            const ExplainOptions& options = {});

// The same of a question that was read. InvalidArgument: values that don't fit.
absl::StatusOr<Explanation> ExplainBroadcast(
    BroadcastQuestion question, const ExplainOptions& options = {});

// The same of an instruction of `module`, by the rules that its module is
// checked by. InvalidArgument: an operand has no shape yet, or the op isn't in
// the table.
absl::StatusOr<Explanation> ExplainInstruction(
    const Module& module, const Instruction& instruction,
    const ExplainOptions& options = {});

// The instruction that `name` names: "y" or "%y", or with its computation
// before it, "main/y". NotFound proposes near names; InvalidArgument lists
// those that have the name, where there are several.
absl::StatusOr<Instruction> FindInstruction(const Module& module,
                                            absl::string_view name);

// That no computation of the module is called `name`; proposes near names, or
// lists some.
absl::Status NoComputation(const Module& module, absl::string_view name);

// What a word by itself says: a code ("IND0007", "ind7", "7", "dim-mismatch"),
// an operation, a word of the documents, a name of another system, or all of
// "ops", "codes" or "words". "": it is none of these.
std::string ExplainTerm(absl::string_view word, bool json = false);

// What `indim explain` says to a word or a question. InvalidArgument: it is
// neither; of a word it proposes one that is near.
absl::StatusOr<Explanation> ExplainText(absl::string_view text,
                                        const ExplainOptions& options = {});

// What a code of codes.def says, why it is, and an example that is right and
// one that is wrong (JSON: lines for `indim query`).
std::string ExplainCode(Code code, bool json = false);

// What a word of the documents means ("InDim", "degenerate", "outer product"),
// with a question to try; "" for no such word. Capitals don't matter.
std::string ExplainWord(absl::string_view word, bool json = false);
// All of them, with commas between.
std::string KnownWords();

// What `opcode` does, what its row declares, with the codes that are reported,
// what its result is, and a question to try.
std::string ExplainOp(Opcode opcode);
// The same for programs: one JSON object on one line, with the element types
// that operand 0 may have, and each constraint by its fields (kind, operands,
// other, types, type, number, attributes).
std::string OpJson(Opcode opcode);
// All constraints of the row on one line: "operand 1 is an array (IND0101);
// ...".
std::string DeclaredText(Opcode opcode);
// What the result is: what the row declares, or op_docs.def's words.
std::string ResultWords(Opcode opcode);
// Whether MLIR's trait Broadcastable holds: "yes", or "no, it has no operand".
std::string BroadcastableWords(Opcode opcode);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_EXPLAIN_H_
