// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain/explain_call_module.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/text/attributes/attribute_table.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {

absl::Status NoCall(absl::string_view rest, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      rest.empty() ? "the end of the question" : absl::StrCat("'", rest, "'"),
      " isn't ", expected,
      "; a question looks like 'transpose(f32[2,3]), dimensions={1,0}'"));
}

size_t LengthUntil(absl::string_view text, absl::string_view ends) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
      continue;
    }
    if (depth == 0 && absl::StrContains(ends, c)) return i;
    quoted = c == '"';
    if (c == '{' || c == '(' || c == '[') ++depth;
    if (c == '}' || c == ')' || c == ']') --depth;
    if (depth < 0) return i;
  }
  return text.size();
}

void SkipBlanks(absl::string_view* text) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
}

bool Accept(absl::string_view prefix, absl::string_view* text) {
  SkipBlanks(text);
  return absl::ConsumePrefix(text, prefix);
}

bool IsCallee(Opcode opcode, absl::string_view name, bool* several) {
  for (const TextAttribute* row : TextAttributesOf(opcode)) {
    if (row->name != name) continue;
    *several = row->kind == ValueSpelling::kCalls;
    return *several || row->kind == ValueSpelling::kFirstCall ||
           row->kind == ValueSpelling::kSecondCall;
  }
  return false;
}

absl::StatusOr<Signature> ConsumeSignature(absl::string_view* text) {
  constexpr absl::string_view kExpected =
      "a computation's signature, as (f32[], f32[]) -> f32[]";
  Signature signature;
  if (!Accept("(", text)) return NoCall(*text, kExpected);
  if (!Accept(")", text)) {
    do {
      SkipBlanks(text);
      absl::StatusOr<Shape> shape = ConsumeShape(text);
      if (!shape.ok()) return shape.status();
      signature.parameters.push_back(*std::move(shape));
    } while (Accept(",", text));
    if (!Accept(")", text)) return NoCall(*text, "',' or ')'");
  }
  if (!Accept("->", text)) return NoCall(*text, kExpected);
  SkipBlanks(text);
  absl::StatusOr<Shape> result = ConsumeShape(text);
  if (!result.ok()) return result.status();
  signature.result = *std::move(result);
  return signature;
}

namespace {

// The text of a module with one operation, and the computations that it calls.
class ModuleText {
 public:
  explicit ModuleText(const WrittenCall& call) : call_(call) {}

  absl::StatusOr<std::string> Make();

 private:
  // What stands for `value` in the module's text.
  absl::StatusOr<std::string> Callee(absl::string_view name,
                                     absl::string_view value);
  absl::StatusOr<std::string> ValueText(const WrittenAttribute& attribute);
  std::string AddComputation(const std::vector<Shape>& parameters,
                             const Shape* result, absl::string_view op);

  const WrittenCall& call_;
  std::string computations_;
  int count_ = 0;
};

std::string ModuleText::AddComputation(const std::vector<Shape>& parameters,
                                       const Shape* result,
                                       absl::string_view op) {
  const std::string name = absl::StrCat("%callee", count_++);
  absl::StrAppend(&computations_, name, " {\n");
  std::vector<std::string> names;
  for (size_t i = 0; i < parameters.size(); ++i) {
    names.push_back(absl::StrCat("p", i));
    absl::StrAppend(&computations_, "  p", i, " = ", parameters[i].ToString(),
                    " parameter(", i, ")\n");
  }
  absl::StrAppend(&computations_, "  ROOT r = ",
                  result == nullptr ? "" : result->ToString() + " ", op, "(",
                  absl::StrJoin(names, ", "), ")");
  if (op == "custom-call") {
    absl::StrAppend(&computations_, ", custom_call_target=\"any\"");
  } else if (op == "compare") {
    absl::StrAppend(&computations_, ", direction=LT");
  }
  computations_ += "\n}\n";
  return name;
}

absl::StatusOr<std::string> ModuleText::Callee(absl::string_view name,
                                               absl::string_view value) {
  value = absl::StripAsciiWhitespace(value);
  if (absl::StartsWith(value, "(")) {
    absl::string_view rest = value;
    const absl::StatusOr<Signature> signature = ConsumeSignature(&rest);
    if (!signature.ok()) return signature.status();
    SkipBlanks(&rest);
    if (!rest.empty()) return NoCall(rest, "the end of a signature");
    return AddComputation(signature->parameters, &signature->result,
                          "custom-call");
  }
  const std::optional<Opcode> op = OpcodeFromName(value);
  if (op && Info(*op).has(kElementwise) && !call_.operands.empty() &&
      call_.operands[0].is_array()) {
    const size_t count = Info(*op).max_operands > 0
                             ? static_cast<size_t>(Info(*op).max_operands)
                             : call_.operands.size();
    const Shape scalar = Shape::Scalar(call_.operands[0].element_type());
    return AddComputation(std::vector<Shape>(count, scalar), nullptr, value);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      name, "=", value,
      " names no computation here: give an elementwise operation (", name,
      "=add), a signature (", name,
      "=(f32[], f32[]) -> f32[]) or a body in braces"));
}

absl::StatusOr<std::string> ModuleText::ValueText(
    const WrittenAttribute& attribute) {
  bool several = false;
  if (!IsCallee(call_.opcode, attribute.name, &several)) {
    return attribute.value;
  }
  absl::string_view value = attribute.value;
  if (!several) {
    if (absl::StartsWith(value, "{")) return attribute.value;
    return Callee(attribute.name, value);
  }
  if (!absl::ConsumePrefix(&value, "{") || !absl::ConsumeSuffix(&value, "}")) {
    return NoCall(attribute.value, "computations in braces");
  }
  std::vector<std::string> names;
  while (!value.empty()) {
    const size_t length = LengthUntil(value, ",");
    absl::StatusOr<std::string> callee =
        Callee(attribute.name, value.substr(0, length));
    if (!callee.ok()) return callee.status();
    names.push_back(*std::move(callee));
    value.remove_prefix(std::min(length + 1, value.size()));
  }
  return absl::StrCat("{", absl::StrJoin(names, ", "), "}");
}

absl::StatusOr<std::string> ModuleText::Make() {
  std::string entry = "ENTRY %question {\n";
  std::vector<std::string> names;
  for (size_t i = 0; i < call_.operands.size(); ++i) {
    names.push_back(absl::StrCat("%operand", i));
    absl::StrAppend(&entry, "  ", names.back(), " = ",
                    call_.operands[i].ToString(), " parameter(", i, ")\n");
  }
  // Where none is recorded any shape will do, as inference is asked later; but
  // the reader takes a map's dimensions from it.
  const Shape result = call_.recorded ? *call_.recorded
                       : call_.operands.empty()
                           ? Shape::Scalar(ElementType::kF32)
                           : call_.operands[0];
  absl::StrAppend(
      &entry, "  ROOT %result = ", result.ToString(), " ", Name(call_.opcode),
      "(", names.empty() ? call_.raw_operands : absl::StrJoin(names, ", "),
      ")");
  for (const WrittenAttribute& attribute : call_.attributes) {
    absl::StatusOr<std::string> value = ValueText(attribute);
    if (!value.ok()) return value.status();
    absl::StrAppend(&entry, ", ", attribute.name, "=", *value);
  }
  return absl::StrCat("HloModule question\n", computations_, entry, "\n}\n");
}

// Errors are in the question's own words, and the first is all there is.
absl::StatusOr<Module> Parse(const WrittenCall& call) {
  const absl::StatusOr<std::string> text = ModuleText(call).Make();
  if (!text.ok()) return text.status();
  ParseOptions options;
  options.symbols = true;
  absl::StatusOr<Module> module = ParseHloText(*text, options);
  if (module.ok()) return module;
  return absl::InvalidArgumentError(ErrorsOf(module.status())[0].message);
}

constexpr char kAnySignature[] = "(f32[], f32[]) -> f32[]";

// Whether this error of the call is that it lacks to_apply=.
bool IsForLackOfCallee(const WrittenCall& call, const absl::Status& error) {
  const auto is_to_apply = [](const auto& a) { return a.name == "to_apply"; };
  bool several = false;
  if (!IsCallee(call.opcode, "to_apply", &several) ||
      absl::c_any_of(call.attributes, is_to_apply)) {
    return false;
  }
  WrittenCall with_callee = call;
  with_callee.attributes.push_back({"to_apply", kAnySignature});
  return Parse(with_callee).status() != error;
}

}  // namespace

absl::StatusOr<Module> AsModule(const WrittenCall& call) {
  absl::StatusOr<Module> module = Parse(call);
  if (module.ok() || !IsForLackOfCallee(call, module.status())) return module;
  return WithNote(
      module.status(),
      absl::StrCat(": to_apply=add, or a signature, to_apply=", kAnySignature));
}

}  // namespace indim
