// SPDX-License-Identifier: Apache-2.0
// Explanations of operations: what their rows declare.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/constraint_text.h"
#include "indim/shape/ops/docs.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

std::vector<std::string> CodesOf(const Constraint& constraint) {
  std::vector<std::string> codes;
  for (const Code code : constraint.codes) {
    if (code != Code::kNone) codes.push_back(CodeText(code));
  }
  return codes;
}

std::string CodesText(const Constraint& constraint) {
  return absl::StrJoin(CodesOf(constraint), ", ");
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
      if (c.kind == ConstraintKind::kOfType && about) {
        ok = ok && c.type == type.type;
      }
    }
    if (ok) names.emplace_back(type.name);
  }
  return names;
}

// What programs that draw or break operands need of it. Operands are positions
// as OperandSet has them: -1 the last one, -2 the last of the first half, -3
// the one after it.
std::string ConstraintJson(const Constraint& c) {
  JsonWriter json;
  json.Add("text", ConstraintText(c))
      .AddTexts("codes", CodesOf(c))
      .Add("kind", WordOf(c.kind));
  if (c.operands.first != OperandSet::kNoOperand) {
    json.AddNumbers("operands", {c.operands.first, c.operands.last});
  }
  if (c.other >= 0) json.Add("other", int64_t{c.other});
  if (c.kind == ConstraintKind::kElements ||
      c.kind == ConstraintKind::kElementsWhere) {
    std::vector<std::string> types;
    for (const ElementTypeInfo& type : AllElementTypes()) {
      if (Accepts(c.elements, type.type)) {
        types.push_back(std::string(type.name));
      }
    }
    json.AddTexts("types", types);
  }
  if (c.type != ElementType::kInvalid) json.Add("type", Name(c.type));
  if (c.number != 0) json.Add("number", c.number);
  std::vector<std::string> attributes;
  for (const AttributeRef* ref : {c.attribute, c.second}) {
    if (ref != nullptr) attributes.push_back(std::string(ref->name));
  }
  if (!attributes.empty()) json.AddTexts("attributes", attributes);
  if (c.judge == ConstraintJudge::kVerifier) json.Add("verifier_only", true);
  if (c.judge == ConstraintJudge::kBuilder) json.Add("builder_only", true);
  return json.text();
}

}  // namespace

std::string DeclaredText(Opcode opcode) {
  std::vector<std::string> texts;
  for (const Constraint& c : DeclarationOf(opcode).constraints) {
    texts.push_back(absl::StrCat(ConstraintText(c), " (", CodesText(c), ")"));
  }
  return absl::StrJoin(texts, "; ");
}

std::string ResultWords(Opcode opcode) {
  const std::string declared = ResultText(opcode);
  return declared.empty() ? std::string(ResultDocOf(opcode)) : declared;
}

std::string BroadcastableWords(Opcode opcode) {
  const Broadcastability b = Info(opcode).broadcastable;
  return absl::StrCat(b == Broadcastability::kYes ? "" : "no, ", Describe(b));
}

std::string ExplainOp(Opcode opcode) {
  const OpInfo& op = Info(opcode);
  std::string text = absl::StrCat(op.wire, "  ", DocOf(opcode), "\n");
  for (const Constraint& c : DeclarationOf(opcode).constraints) {
    absl::StrAppend(&text, "  ", ConstraintText(c), "  [", CodesText(c), "]\n");
  }
  absl::StrAppend(&text, "  result: ", ResultWords(opcode),
                  "\n  broadcastable: ", BroadcastableWords(opcode),
                  "\n  example: indim explain '", ExampleOf(opcode), "'\n");
  return text;
}

std::string OpJson(Opcode opcode) {
  const OpInfo& op = Info(opcode);
  std::vector<std::string> constraints;
  for (const Constraint& c : DeclarationOf(opcode).constraints) {
    constraints.push_back(ConstraintJson(c));
  }
  JsonWriter json;
  json.Add("op", op.wire)
      .Add("min_operands", int64_t{op.min_operands})
      .Add("max_operands", int64_t{op.max_operands})
      .Add("elementwise", op.has(kElementwise))
      .Add("broadcasts", op.has(kBroadcasts))
      .Add("broadcastable", op.broadcastable == Broadcastability::kYes)
      .Add("broadcastable_why", Name(op.broadcastable))
      .Add("attributes", op.attributes != AttributesKind::kNo)
      .Add("given", op.result == ResultSource::kInferred     ? "inferred"
                    : op.result == ResultSource::kTypeGiven  ? "type"
                    : op.result == ResultSource::kSizesGiven ? "sizes"
                                                             : "shape")
      .AddTexts("types", ElementTypes(opcode, 0))
      .AddList("constraints", constraints)
      .Add("result", ResultText(opcode))
      .Add("result_rule", ResultWords(opcode))
      .Add("does", DocOf(opcode))
      .Add("example", ExampleOf(opcode));
  return json.text();
}

}  // namespace indim
