#include "indim/shape/docs.h"

namespace indim {
namespace {

struct RuleRow {
  Rule rule;
  RuleDoc doc;
};
constexpr RuleRow kRules[] = {
#define INDIM_RULE_DOC(name, why, right, wrong) \
  {Rule::k##name, {why, right, wrong}},
#include "indim/shape/rule_docs.def"
#undef INDIM_RULE_DOC
};

struct OpRow {
  Opcode opcode;
  absl::string_view statement;
};
constexpr OpRow kOps[] = {
#define INDIM_OP_DOC(name, statement) {Opcode::k##name, statement},
#include "indim/shape/op_docs.def"
#undef INDIM_OP_DOC
};

constexpr RuleDoc kNoDoc;

}  // namespace

const RuleDoc& DocOf(Rule rule) {
  for (const RuleRow& row : kRules) {
    if (row.rule == rule) return row.doc;
  }
  return kNoDoc;
}

absl::string_view DocOf(Opcode opcode) {
  for (const OpRow& row : kOps) {
    if (row.opcode == opcode) return row.statement;
  }
  return "";
}

}  // namespace indim
