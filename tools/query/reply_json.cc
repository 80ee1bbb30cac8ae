// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/query/reply_json.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/fixes/fix.h"
#include "indim/shape/infer/infer.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

std::string ComponentsJson(const ShapedTypeComponents& components) {
  JsonWriter json;
  if (components.element_type) {
    json.Add("element_type", Name(*components.element_type));
  }
  if (components.rank) json.Add("rank", int64_t{*components.rank});
  if (components.dims) {
    std::vector<std::string> dims;
    for (const Dim dim : *components.dims) {
      const std::string text = dim.ToString();
      dims.push_back(dim.is_static() ? text : JsonString(text));
    }
    json.AddList("dims", dims);
  }
  return json.text();
}

std::string MessageOf(const Diagnostic& d, const Case& c,
                      absl::Span<const Shape* const> operands) {
  DiagnosticSubject subject;
  subject.op = c.op.empty() ? absl::string_view(c.rule) : c.op;
  subject.operands = operands;
  subject.declared = c.result     ? &*c.result
                     : c.declared ? &*c.declared
                                  : nullptr;
  return FormatMessage(d, subject);
}

// One change of the question, by its fields. Of a list that holds no plain
// numbers (padding) only words tell.
std::string ChangeJson(const Fix& fix, const OpInputs& inputs) {
  JsonWriter json;
  switch (fix.what) {
    case Fix::What::kOperand:
      json.Add("operand", int64_t{fix.index}).Add("to", fix.shape.ToString());
      break;
    case Fix::What::kAttribute:
      if (!HasNumbers(fix, inputs)) return "";
      json.Add("attribute", fix.attribute->name);
      break;
    case Fix::What::kBroadcast:
      json.Add("attribute", "broadcast_dimensions");
      break;
    case Fix::What::kRecorded:
      json.Add("result", fix.shape.ToString());
      break;
    case Fix::What::kCallee: {
      std::vector<std::string> parameters;
      for (const Shape& parameter : fix.callee.parameters) {
        parameters.push_back(parameter.ToString());
      }
      json.Add("computation", int64_t{fix.index})
          .AddTexts("parameters", parameters)
          .Add("result", fix.callee.result.ToString());
      break;
    }
    case Fix::What::kOperandCount:
      json.Add("operands", int64_t{fix.index});
      break;
    case Fix::What::kSwapped:
      json.AddRaw("swap", "[0,1]");
      break;
    case Fix::What::kUnwrapped:
    case Fix::What::kContraction:
      return "";  // no one field: the words tell
  }
  if (fix.what == Fix::What::kAttribute || fix.what == Fix::What::kBroadcast) {
    json.AddNumbers("to", fix.numbers);
  }
  return json.text();
}

// What would have worked, of an operation that is asked as itself.
void AddFix(const Case& c, const Diagnostic& d, JsonWriter* json) {
  if (c.rule != "xla" || c.form != CaseForm::kOp || IsPartQuery(c.query)) {
    return;
  }
  const CaseInputs inputs(c);
  const std::optional<Fix> fix = SuggestFix(inputs.inputs(), d);
  if (!fix) return;
  std::vector<std::string> names;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    names.push_back(absl::StrCat("x", i));
  }
  json->Add("fix", FixText(*fix, inputs.inputs(), names));
  const std::string change = ChangeJson(*fix, inputs.inputs());
  if (!change.empty()) json->AddRaw("change", change);
}

}  // namespace

std::string ReplyJson(const Case& c, const Reply& answer) {
  JsonWriter json;
  if (c.id && c.id_is_number) {
    json.AddRaw("id", *c.id);
  } else if (c.id) {
    json.Add("id", *c.id);
  } else {
    json.AddNull("id");
  }
  if (answer.shape) json.Add("shape", answer.shape->ToString());
  if (answer.ok) json.Add("ok", *answer.ok);
  if (answer.components) {
    std::vector<std::string> components;
    for (const ShapedTypeComponents& one : *answer.components) {
      components.push_back(ComponentsJson(one));
    }
    json.AddList("components", components);
  }
  if (!answer.conditions.empty()) {
    json.AddTexts("conditions", answer.conditions);
  }
  const std::vector<const Shape*> operands = c.OperandPointers();
  bool error = false;
  std::vector<std::string> warnings;
  for (const Diagnostic& d : answer.diagnostics) {
    const std::string message = MessageOf(d, c, operands);
    if (d.severity() == Severity::kWarning) {
      warnings.push_back(JsonWriter()
                             .Add("code", CodeText(d.code))
                             .Add("message", message)
                             .text());
    } else if (!error) {
      json.Add("error", message).Add("code", CodeText(d.code));
      AddFix(c, d, &json);
      error = true;
    }
  }
  if (!error && !answer.error.empty()) {
    json.Add("error", answer.error).Add("code", CodeText(Code::kQuestion));
  }
  for (const std::string& warning : c.warnings) {
    warnings.push_back(JsonWriter()
                           .Add("code", CodeText(Code::kQuestionAttribute))
                           .Add("message", warning)
                           .text());
  }
  if (!warnings.empty()) json.AddList("warnings", warnings);
  return json.text();
}

}  // namespace indim
