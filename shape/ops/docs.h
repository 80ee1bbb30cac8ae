// Documentation of rules and operations: the reason for a rule, an example that
// keeps it and one that breaks it; what an operation does. rule_docs.def and
// op_docs.def hold the texts; tools/docs/doc_tables.h makes docs/rules.md and
// docs/ops.md of them.

#ifndef INDIM_SHAPE_OPS_DOCS_H_
#define INDIM_SHAPE_OPS_DOCS_H_

#include "absl/strings/string_view.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/rules/diagnostic.h"

namespace indim {

struct RuleDoc {
  absl::string_view why;    // one sentence
  absl::string_view right;  // an example that keeps the rule
  absl::string_view wrong;  // an example that breaks it
};

// The rule's row of rule_docs.def; a row of empty texts where there is none.
const RuleDoc& DocOf(Rule rule);

// A line about the op; "" where op_docs.def has none.
absl::string_view DocOf(Opcode opcode);
// The result in words, for an op whose shape function determines it; else "".
absl::string_view ResultDocOf(Opcode opcode);
// A question about the op that `indim explain` answers.
absl::string_view ExampleOf(Opcode opcode);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_DOCS_H_
