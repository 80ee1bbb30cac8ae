// What people read about the tables: why a rule is, what keeps and breaks it,
// what an operation does. The texts are rule_docs.def and op_docs.def; the
// documents docs/rules.md and docs/ops.md are made of them
// (tools/docs/doc_tables.h).

#ifndef INDIM_SHAPE_OPS_DOCS_H_
#define INDIM_SHAPE_OPS_DOCS_H_

#include "absl/strings/string_view.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/rules/diagnostic.h"

namespace indim {

struct RuleDoc {
  absl::string_view why;    // one sentence
  absl::string_view right;  // an example that the rule says nothing about
  absl::string_view wrong;  // an example that gives this rule
};

// The rule's row of rule_docs.def; a row of empty texts where there is none.
// Never fails.
const RuleDoc& DocOf(Rule rule);

// One line about the op; "" where op_docs.def has none. Never fails.
absl::string_view DocOf(Opcode opcode);
// What its result is, of an op whose shape function says it; else "".
absl::string_view ResultDocOf(Opcode opcode);
// A question that `indim explain` answers, of every op.
absl::string_view ExampleOf(Opcode opcode);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_DOCS_H_
