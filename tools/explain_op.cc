// Explanations of operations: what their rows declare.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/constraint.h"
#include "indim/shape/constraint_text.h"
#include "indim/shape/docs.h"
#include "indim/tools/explain.h"
#include "indim/tools/json_writer.h"

namespace indim {
namespace {

std::string RulesText(const Constraint& constraint) {
  std::vector<std::string> rules;
  for (const Rule rule : constraint.rules) {
    if (rule != Rule::kNone) rules.push_back(RuleId(rule));
  }
  return absl::StrJoin(rules, ", ");
}

std::vector<std::string> Quoted(absl::Span<const std::string> texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(JsonString(text));
  return quoted;
}

// The element types of operand `operand` that the row's classes allow; all that
// there are where it says nothing.
std::vector<std::string> ElementTypes(Opcode opcode, int operand) {
  std::vector<std::string> names;
  for (const ElementTypeInfo& type : AllElementTypes()) {
    bool ok = true;
    for (const Constraint& c : DeclarationOf(opcode).constraints) {
      const bool about = c.operands.is_one() && c.operands.first == operand;
      if (c.kind == ConstraintKind::kElements && about) {
        ok = ok && Accepts(c.elements, type.type);
      }
      if (c.kind == ConstraintKind::kElementType && about) {
        ok = ok && c.type == type.type;
      }
    }
    if (ok) names.emplace_back(type.name);
  }
  return names;
}

}  // namespace

std::string DeclaredText(Opcode opcode) {
  std::vector<std::string> texts;
  for (const Constraint& c : DeclarationOf(opcode).constraints) {
    texts.push_back(absl::StrCat(ConstraintText(c), " (", RulesText(c), ")"));
  }
  return absl::StrJoin(texts, "; ");
}

std::string ExplainOp(Opcode opcode) {
  const OpInfo& op = Info(opcode);
  std::string text = absl::StrCat(op.wire, "  ", DocOf(opcode), "\n");
  for (const Constraint& c : DeclarationOf(opcode).constraints) {
    absl::StrAppend(&text, "  ", ConstraintText(c), "  [", RulesText(c), "]\n");
  }
  const std::string result = ResultText(opcode);
  absl::StrAppend(&text, "  result: ",
                  result.empty() ? "its shape function says" : result, "\n");
  return text;
}

std::string OpJson(Opcode opcode) {
  const OpInfo& op = Info(opcode);
  std::vector<std::string> constraints;
  for (const Constraint& c : DeclarationOf(opcode).constraints) {
    std::vector<std::string> rules;
    for (const Rule rule : c.rules) {
      if (rule != Rule::kNone) rules.push_back(JsonString(RuleId(rule)));
    }
    JsonWriter json;
    json.Add("text", ConstraintText(c)).AddList("rules", rules);
    constraints.push_back(json.text());
  }
  JsonWriter json;
  json.Add("op", op.wire)
      .Add("min_operands", int64_t{op.min_operands})
      .Add("max_operands", int64_t{op.max_operands})
      .Add("elementwise", op.has(kElementwise))
      .Add("broadcastable", op.has(kBroadcastable))
      .Add("attributes", op.attributes != AttributesKind::kNo)
      .Add("given", op.result == ResultSource::kInferred     ? "inferred"
                    : op.result == ResultSource::kTypeGiven  ? "type"
                    : op.result == ResultSource::kSizesGiven ? "sizes"
                                                             : "shape")
      .AddList("types", Quoted(ElementTypes(opcode, 0)))
      .AddList("constraints", constraints)
      .Add("result", ResultText(opcode));
  return json.text();
}

}  // namespace indim
