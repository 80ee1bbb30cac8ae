// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/query/answer_case.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/broadcast/broadcastable.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/suggest.h"
#include "indim/tools/query/infer_case.h"
#include "indim/tools/query/onnx_case.h"

namespace indim {
namespace {

constexpr absl::string_view kVerify = "verify";
constexpr absl::string_view kBroadcast = "broadcast";

// What the rules can be asked, the questions' names between blanks. "nary",
// "binary" and "prose" are other names of "infer" in recorded answers.
struct Answers {
  absl::string_view rule;
  absl::string_view queries;
};
constexpr Answers kAnswers[] = {
    {"xla", "infer verify element_type rank dims components"},
    {"onnx", "infer"},
    {"algebraic", "infer prose"},
    {"broadcastable", "infer verify"},
    {"none", "infer nary binary broadcast"},
    {"numpy", "infer nary binary broadcast"},
    {"pdpd", "infer nary binary broadcast"},
    {"bidirectional", "infer nary binary broadcast"},
    {"explicit", "broadcast"}};

// "a, b or c".
std::string ListOf(std::vector<absl::string_view> names) {
  const absl::string_view last = names.back();
  names.pop_back();
  return absl::StrCat(absl::StrJoin(names, ", "), names.empty() ? "" : " or ",
                      last);
}

// Why nobody answers this; "": somebody does.
std::string WhyNoAnswer(const Case& c) {
  std::vector<absl::string_view> rules;
  for (const Answers& row : kAnswers) {
    rules.push_back(row.rule);
    if (row.rule != c.rule) continue;
    const std::vector<absl::string_view> queries =
        absl::StrSplit(row.queries, ' ');
    if (absl::c_linear_search(queries, c.query)) return "";
    const absl::string_view near = NearestName(c.query, queries);
    return absl::StrCat(
        "query '", c.query,
        "': ", near.empty() ? "" : absl::StrCat("did you mean ", near, "? "),
        "expected ", ListOf(queries));
  }
  const absl::string_view near = NearestName(c.rule, rules);
  return absl::StrCat(
      "rule '", c.rule,
      "': ", near.empty() ? "" : absl::StrCat("did you mean ", near, "? "),
      "expected ", ListOf(std::move(rules)));
}

// What sizes that have names must meet, each once.
void AddConditions(const Case& c, const InferContext& context, Reply* answer) {
  if (!answer->shape) return;
  std::vector<Condition> all = context.conditions();
  std::stable_partition(all.begin(), all.end(),
                        [](const Condition& c) { return !c.has_place(); });
  for (const Condition& condition : all) {
    const std::optional<Condition> sizes =
        WithSizes(condition, c.OperandPointers(), &*answer->shape);
    if (!sizes) continue;
    const std::string text = ToString(Simplify(*sizes).value_or(*sizes));
    if ((sizes->a.size().is_symbolic() || sizes->b.size().is_symbolic()) &&
        std::find(answer->conditions.begin(), answer->conditions.end(), text) ==
            answer->conditions.end()) {
      answer->conditions.push_back(text);
    }
  }
}

// The axis that was asked for, of each array in `shape`: all of it is known.
void AddParts(const Shape& shape, absl::string_view query,
              std::vector<ShapedTypeComponents>* parts) {
  for (const Shape& element : shape.elements()) {
    AddParts(element, query, parts);
  }
  if (!shape.is_array()) return;
  const bool all = query == "components";
  ShapedTypeComponents part;
  if (all || query == "element_type") part.element_type = shape.element_type();
  if (shape.has_rank() && (all || query == "rank")) part.rank = shape.rank();
  if (shape.has_rank() && (all || query == "dims")) {
    part.dims = DimVector(shape.dims().begin(), shape.dims().end());
  }
  parts->push_back(std::move(part));
}

// Of each array of the result what was asked for. The forms that only builders
// speak know all or nothing.
Reply AnswerParts(const Case& c) {
  Reply answer;
  const CaseInputs inputs(c);
  const OpInputs& asked = inputs.inputs();
  std::vector<ShapedTypeComponents>& parts = answer.components.emplace();
  if (c.form != CaseForm::kOp) {
    InferContext context;
    const std::optional<Shape> shape = InferCase(&context, c);
    if (shape) {
      AddParts(*shape, c.query, &parts);
      return answer;
    }
  }
  const auto fill = [&parts](const auto& values, auto member) {
    if (!values) return;
    parts.resize(values->size());
    for (size_t i = 0; i < values->size(); ++i) parts[i].*member = (*values)[i];
  };
  if (c.query == "element_type") {
    fill(InferElementTypes(asked), &ShapedTypeComponents::element_type);
  } else if (c.query == "rank") {
    fill(InferRanks(asked), &ShapedTypeComponents::rank);
  } else if (c.query == "dims") {
    fill(InferDims(asked), &ShapedTypeComponents::dims);
  } else {
    parts = InferComponents(asked);
  }
  return answer;
}

// The recorded result held against the inferred one.
Reply VerifyXla(const Case& c) {
  Reply answer;
  if (!c.result) {
    answer.error = "a verify question needs a result";
    return answer;
  }
  InferContext context;
  if (c.form == CaseForm::kOp) {
    const CaseInputs inputs(c);
    answer.ok = VerifyNode(&context, inputs.inputs()).ok;
  } else {
    const std::optional<Shape> inferred = InferCase(&context, c);
    answer.ok = inferred && Compatible(*inferred, *c.result);
    if (inferred && !*answer.ok) {
      context.Diagnose(Code::kResultDiffers).Arg(*inferred);
    }
  }
  answer.diagnostics = context.diagnostics();
  return answer;
}

Reply AnswerXla(const Case& c) {
  if (IsPartQuery(c.query)) return AnswerParts(c);
  if (c.query == kVerify) return VerifyXla(c);
  Reply answer;
  InferContext context;
  answer.shape = InferCase(&context, c);
  answer.diagnostics = context.diagnostics();
  AddConditions(c, context, &answer);
  return answer;
}

Reply AnswerOnnx(const Case& c) {
  Reply answer;
  if (c.rule == "onnx" && !IsOnnxOperator(c.op)) {
    answer.error = absl::StrCat("what ONNX's operator '", c.op,
                                "' gives isn't known to Indim");
    return answer;
  }
  InferContext context;
  answer.shape = InferOnnxCase(&context, c);
  answer.diagnostics = context.diagnostics();
  AddConditions(c, context, &answer);
  return answer;
}

Reply AnswerBroadcastable(const Case& c) {
  Reply answer;
  const auto mode =
      BroadcastableModeFromName(c.mode.empty() ? "lenient" : c.mode);
  if (!mode) {
    answer.error =
        absl::StrCat("mode '", c.mode, "': expected lenient, strict or mlir");
    return answer;
  }
  const std::vector<const Shape*> operands = c.OperandPointers();
  if (c.query != kVerify) {
    answer.shape = InferBroadcastable(*mode, operands, &answer.diagnostics);
  } else if (!c.result) {
    answer.error = "a verify question needs a result";
  } else {
    answer.ok =
        VerifyBroadcastable(*mode, operands, *c.result, &answer.diagnostics);
  }
  return answer;
}

// OpenVINO's comparisons give booleans; all its other elementwise operations
// the operands' one type.
bool IsComparison(absl::string_view op) {
  return op == "compare" || absl::StartsWith(op, "Less") ||
         absl::StartsWith(op, "Greater") || absl::EndsWith(op, "Equal");
}

std::optional<Shape> ResultOf(const BroadcastPlan& plan, ElementType type) {
  return plan.unranked ? Shape::Unranked(type) : Shape::Array(type, plan.dims);
}

// Operands of rules other than XLA's are of one element type.
bool CheckOneType(const Case& c, Reply* answer) {
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (c.operands[i].is_array() &&
        c.operands[i].element_type() == c.operands[0].element_type()) {
      continue;
    }
    Diagnostic d;
    d.code = c.operands[i].is_array() ? Code::kOperandTypesDiffer
                                      : Code::kOperandNotArray;
    d.operand = static_cast<int>(i);
    d.other_operand = 0;
    answer->diagnostics.push_back(std::move(d));
    return false;
  }
  return true;
}

Reply AnswerElementwise(const Case& c, BroadcastRule rule) {
  Reply answer;
  if (!CheckOneType(c, &answer)) return answer;
  BroadcastSpec spec;
  spec.rule = rule;
  if (c.axis) spec.axis = *c.axis;
  BroadcastPlan plan;
  if (PlanBroadcast(spec, c.OperandPointers(), &plan, &answer.diagnostics)) {
    const ElementType type =
        c.operands.empty() ? ElementType::kF32 : c.operands[0].element_type();
    answer.shape =
        ResultOf(plan, IsComparison(c.op) ? ElementType::kPred : type);
  }
  return answer;
}

Reply AnswerBroadcastTo(const Case& c, BroadcastRule rule) {
  Reply answer;
  if (c.operands.size() != 1 || !c.target_shape) {
    answer.error = "a broadcast question needs one operand and a target_shape";
    return answer;
  }
  BroadcastPlan plan;
  if (PlanBroadcastTo(rule, c.operands[0], *c.target_shape, c.axes_mapping,
                      c.axis.value_or(-1), &plan, &answer.diagnostics)) {
    answer.shape = ResultOf(plan, c.operands[0].element_type());
  }
  return answer;
}

}  // namespace

bool IsPartQuery(absl::string_view query) {
  return query == "element_type" || query == "rank" || query == "dims" ||
         query == "components";
}

Reply AnswerCase(const Case& c) {
  Reply answer;
  answer.error = WhyNoAnswer(c);
  if (!answer.error.empty()) return answer;
  if (c.rule == "xla") return AnswerXla(c);
  if (c.rule == "broadcastable") return AnswerBroadcastable(c);
  if (c.rule == "onnx" || c.rule == "algebraic") return AnswerOnnx(c);
  // "explicit", OpenVINO's name for a mapping of axes, is no rule by itself.
  const BroadcastRule rule =
      BroadcastRuleFromName(c.rule).value_or(BroadcastRule::kNone);
  return c.query == kBroadcast ? AnswerBroadcastTo(c, rule)
                               : AnswerElementwise(c, rule);
}

}  // namespace indim
