#include "indim/shape/ops/docs.h"

namespace indim {
namespace {

struct RuleRow {
  Rule rule;
  RuleDoc doc;
};
constexpr RuleRow kRules[] = {
#define INDIM_RULE_DOC(name, why, right, wrong) \
  {Rule::k##name, {why, right, wrong}},
#include "indim/shape/rules/rule_docs.def"
#undef INDIM_RULE_DOC
};

struct OpRow {
  Opcode opcode = Opcode::kInvalid;
  absl::string_view statement;
  absl::string_view result;
  absl::string_view example;
};
constexpr OpRow kOps[] = {
#define INDIM_OP_DOC(name, statement, result, example) \
  {Opcode::k##name, statement, result, example},
#include "indim/shape/ops/op_docs.def"
#undef INDIM_OP_DOC
};

constexpr RuleDoc kNoDoc;
constexpr OpRow kNoRow = {};

const OpRow& RowOf(Opcode opcode) {
  for (const OpRow& row : kOps) {
    if (row.opcode == opcode) return row;
  }
  return kNoRow;
}

}  // namespace

const RuleDoc& DocOf(Rule rule) {
  for (const RuleRow& row : kRules) {
    if (row.rule == rule) return row.doc;
  }
  return kNoDoc;
}

absl::string_view DocOf(Opcode opcode) { return RowOf(opcode).statement; }

absl::string_view ResultDocOf(Opcode opcode) { return RowOf(opcode).result; }

absl::string_view ExampleOf(Opcode opcode) { return RowOf(opcode).example; }

}  // namespace indim
