// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/output/diagnostic_json.h"

#include <optional>
#include <utility>

#include "indim/shape/diagnostics/status_errors.h"

namespace indim {
namespace {

absl::string_view Name(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
}

// Which operands and dims it is about, by number; a dim without an operand is
// the result's.
void AddPositions(int32_t operand, int32_t dim, int32_t other_operand,
                  int32_t other_dim, JsonWriter* json) {
  const std::pair<absl::string_view, int32_t> positions[] = {
      {"operand", operand},
      {"dimension", dim},
      {"other_operand", other_operand},
      {"other_dimension", other_dim}};
  for (const auto& [key, position] : positions) {
    if (position >= 0) json->Add(key, int64_t{position});
  }
}

}  // namespace

void AddInstruction(const Instruction& instruction, JsonWriter* json) {
  json->Add("instruction", instruction.text_name())
      .Add("computation", instruction.computation().name());
  const SourceLocation source = instruction.location();
  if (!source.file.empty()) {
    json->Add("source_file", source.file)
        .Add("source_line", int64_t{source.line});
  }
  const SourceLocation text = instruction.text_location();
  if (text.file.empty()) return;
  json->Add("line", int64_t{text.line}).Add("column", int64_t{text.column});
}

std::string DiagnosticJson(const Module& module, const ModuleDiagnostic& d) {
  const std::optional<Instruction> instruction = InstructionAt(module, d);
  JsonWriter json;
  json.Add("code", CodeText(d.diagnostic.code))
      .Add("name", Info(d.diagnostic.code).slug)
      .Add("severity", Name(d.diagnostic.severity()));
  if (instruction) {
    AddInstruction(*instruction, &json);
  } else {
    json.Add("instruction", "");
  }
  AddPositions(d.diagnostic.operand, d.diagnostic.dim,
               d.diagnostic.other_operand, d.diagnostic.other_dim, &json);
  json.Add("message", MessageText(module, d));
  const std::string fix = FixText(module, d);
  if (!fix.empty()) json.Add("fix", fix);
  return json.text();
}

std::vector<std::string> ErrorsJson(const absl::Status& status) {
  std::vector<std::string> errors;
  for (const PlacedError& e : ErrorsOf(status)) {
    JsonWriter error;
    error.Add("code", CodeText(e.code))
        .Add("name", Info(e.code).slug)
        .Add("severity", Name(Info(e.code).severity()))
        .Add("instruction", "");
    if (e.position.line > 0) {
      error.Add("line", e.position.line).Add("column", e.position.column);
    }
    AddPositions(e.operand, e.dim, -1, -1, &error);
    error.Add("message", e.text);
    if (!e.fix.empty()) error.Add("fix", e.fix);
    errors.push_back(error.text());
  }
  return errors;
}

}  // namespace indim
