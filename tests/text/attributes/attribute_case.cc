// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/text/attributes/attribute_case.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/ir/module_access.h"
#include "indim/tests/ir/module_maker.h"

namespace indim {
namespace {

absl::StatusOr<AttributeCase> ParseLine(absl::string_view line) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits('|', 3));
  if (parts.size() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("not a case: ", line));
  }
  AttributeCase c;
  c.opcode = OpcodeFromName(absl::StripAsciiWhitespace(parts[0]))
                 .value_or(Opcode::kInvalid);
  for (absl::string_view text :
       absl::StrSplit(parts[1], ';', absl::SkipWhitespace())) {
    absl::StatusOr<Shape> shape = ParseShape(text);
    if (!shape.ok()) return shape.status();
    c.operands.push_back(shape->WithDefaultLayout());
  }
  absl::StatusOr<Shape> result = ParseShape(parts[2]);
  if (!result.ok()) return result.status();
  c.result = result->WithDefaultLayout();
  c.text = std::string(absl::StripAsciiWhitespace(parts[3]));
  c.printed = c.text;
  return c;
}

}  // namespace

absl::StatusOr<std::vector<AttributeCase>> ParseAttributeCases(
    absl::string_view file) {
  std::vector<AttributeCase> cases;
  for (absl::string_view line : absl::StrSplit(file, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '!' && !cases.empty()) {
      cases.back().old_xla = false;
      continue;
    }
    if (absl::ConsumePrefix(&line, "=") && !cases.empty()) {
      cases.back().printed = std::string(absl::StripAsciiWhitespace(line));
      continue;
    }
    absl::StatusOr<AttributeCase> c = ParseLine(line);
    if (!c.ok()) return c.status();
    cases.push_back(*std::move(c));
  }
  return cases;
}

absl::StatusOr<AttributesRead> ReadCase(const AttributeCase& c,
                                        absl::string_view text) {
  const std::string after_operands =
      text.empty() ? "" : absl::StrCat(", ", text);
  TextErrors errors;
  Lexer lexer(after_operands, &errors);
  AttributesRead read;
  read.recorded = c.recorded;
  if (ReadAttributes(&lexer, c.opcode, /*is_async=*/false, 0, &read) &&
      lexer.token() != Token::kEnd) {
    lexer.Expected("the end");
  }
  const absl::Status status = errors.ToStatus("case", after_operands);
  if (!status.ok()) return status;
  std::vector<const Shape*> operands;
  for (const Shape& shape : c.operands) operands.push_back(&shape);
  FillImpliedFields(c.opcode, operands, c.result, &read);
  return read;
}

std::string ModuleOfCase(const AttributeCase& c) {
  constexpr absl::string_view kTwo =
      "  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n";
  std::string text = absl::StrCat("HloModule m\n\nadd_f32 {\n", kTwo,
                                  "  ROOT r = f32[] add(a, b)\n}\n");
  absl::StrAppend(&text, "ge_f32 {\n", kTwo,
                  "  ROOT r = pred[] compare(a, b), direction=GE\n}\n");
  absl::StrAppend(&text, "less_f32 {\n", kTwo,
                  "  ROOT r = pred[] compare(a, b), direction=LT\n}\n");
  absl::StrAppend(&text, "carry_f32 {\n", kTwo, "  s = f32[] add(a, b)\n",
                  "  ROOT r = (f32[], f32[]) tuple(s, s)\n}\n");
  for (const char* id : {"id_f32", "id2_f32"}) {
    absl::StrAppend(&text, id, " {\n  ROOT a = f32[] parameter(0)\n}\n");
  }
  absl::StrAppend(&text, "true_f32 {\n  a = f32[] parameter(0)\n",
                  "  ROOT r = pred[] constant(true)\n}\nENTRY main {\n");
  std::vector<std::string> names;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    names.push_back(absl::StrCat("p", i));
    absl::StrAppend(&text, "  ", names.back(), " = ", c.operands[i].ToString(),
                    " parameter(", i, ")\n");
  }
  const bool is_parameter = c.opcode == Opcode::kParameter;
  absl::StrAppend(&text, "  ROOT zz = ", c.result.ToString(), " ",
                  Name(c.opcode), "(",
                  is_parameter ? "0" : absl::StrJoin(names, ", "), ")",
                  c.text.empty() ? "" : ", ", c.text, "\n}\n");
  return text;
}

std::string PrintCase(const AttributeCase& c, const FieldList& fields,
                      const PrintOptions& options) {
  ModuleMaker maker;
  maker.Computation("main");
  std::vector<uint32_t> operands;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    operands.push_back(
        maker.Parameter(static_cast<int64_t>(i), c.operands[i].ToString()));
  }
  maker.Add(c.opcode, c.result.ToString(), operands);
  maker.data().instructions.back().attribute_bytes =
      maker.data().pools->AddAttributeBytes(fields.ToAttributeBytes().view());
  const Module module = maker.Make();
  const Instruction instruction = module.entry().root();
  std::string out;
  const AttributeBytesFields present(internal::AttributeBytesOf(instruction));
  AppendOpAttributes(instruction, present, options, /*recorded=*/false, &out);
  AppendDeviceAttributes(instruction, present, options, &out);
  AppendLateAttributes(instruction, present, options, /*recorded=*/false, &out);
  AppendBackendConfig(instruction, present, options, &out);
  return std::string(absl::StripPrefix(out, ", "));
}

}  // namespace indim
