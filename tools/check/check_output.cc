// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/check/check_output.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/ir/report.h"
#include "indim/proto/wire/printable.h"
#include "indim/tools/check/check_findings.h"
#include "indim/tools/check/github_output.h"
#include "indim/tools/check/junit_output.h"
#include "indim/tools/check/sarif_output.h"
#include "indim/tools/output/diagnostic_json.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

class TextOutput : public CheckOutput {
 public:
  TextOutput(const CheckOutputOptions& options, std::ostream& out)
      : options_(options), out_(out) {}

  void Add(const CheckedFile& file) override {
    out_ << RenderStatus(file);
    if (file.module != nullptr) {
      out_ << RenderReport(*file.module, file.result->report, file.path);
    }
    if (!options_.quiet) {
      out_ << PrintedPath(file) << ": " << CheckSummary(file, options_) << "\n";
    }
    if (!options_.verbose || file.module == nullptr) return;
    for (const NotBroadcastable& node : NotBroadcastables(*file.module)) {
      const Instruction& i = node.instruction;
      out_ << "  " << Printable(i.computation().name()) << "/%"
           << Printable(i.text_name())
           << ": MLIR's trait Broadcastable doesn't "
           << "apply to " << Printable(i.opcode_name()) << ": "
           << Describe(node.why) << "\n";
    }
  }

 private:
  const CheckOutputOptions options_;
  std::ostream& out_;
};

// {"no-operand":2,...}: how many instructions there are of each reason.
std::string NotBroadcastableJson(const VerifyResult& counts) {
  JsonWriter json;
  for (size_t i = 0; i < kBroadcastabilityCount; ++i) {
    const auto why = static_cast<Broadcastability>(i);
    const int64_t count = counts.by_broadcastability[i];
    if (why != Broadcastability::kYes && count > 0) json.Add(Name(why), count);
  }
  return json.text();
}

std::string NotBroadcastableJson(const NotBroadcastable& node) {
  const Instruction& i = node.instruction;
  JsonWriter json;
  json.Add("instruction", i.text_name())
      .Add("computation", i.computation().name())
      .Add("op", i.opcode_name())
      .Add("why", Name(node.why));
  return json.text();
}

// One object a line for each file; docs/check.schema.json is their schema.
class JsonOutput : public CheckOutput {
 public:
  JsonOutput(const CheckOutputOptions& options, std::ostream& out)
      : options_(options), out_(out) {}

  void Add(const CheckedFile& file) override {
    std::vector<std::string> errors, warnings;
    int64_t instructions = 0;
    VerifyResult counts;
    if (!file.status.ok()) errors = ErrorsJson(file.status);
    if (file.module != nullptr) {
      counts = *file.result;
      instructions = file.module->instruction_count();
      for (const ModuleDiagnostic& d : counts.report.diagnostics()) {
        (d.diagnostic.severity() == Severity::kError ? errors : warnings)
            .push_back(DiagnosticJson(*file.module, d));
      }
    }
    if (options_.quiet && errors.empty() && warnings.empty()) return;
    JsonWriter json;
    json.Add("version", int64_t{kCheckJsonVersion})
        .Add("file", file.path)
        .Add("instructions", instructions)
        .Add("inferred", counts.inferred)
        .Add("related", counts.related)
        .Add("unchecked", counts.unchecked)
        .Add("broadcastable", counts.broadcastable)
        .AddRaw("not_broadcastable", NotBroadcastableJson(counts))
        .AddList("errors", errors)
        .AddList("warnings", warnings);
    if (file.count > 1) {
      json.Add("module", file.module->name()).Add("module_number", file.number);
    }
    if (options_.verbose && file.module != nullptr) {
      std::vector<std::string> nodes;
      for (const NotBroadcastable& node : NotBroadcastables(*file.module)) {
        nodes.push_back(NotBroadcastableJson(node));
      }
      json.AddList("not_broadcastable_instructions", nodes);
    }
    if (!file.release.empty()) {
      json.Add("release", file.release).AddTexts("needs", file.needs);
    }
    out_ << json.text() << "\n";
  }

 private:
  const CheckOutputOptions options_;
  std::ostream& out_;
};

}  // namespace

std::optional<CheckFormat> CheckFormatFromName(absl::string_view name) {
  if (name == "text") return CheckFormat::kText;
  if (name == "json") return CheckFormat::kJson;
  if (name == "sarif") return CheckFormat::kSarif;
  if (name == "github") return CheckFormat::kGithub;
  if (name == "junit") return CheckFormat::kJunit;
  return std::nullopt;
}

std::unique_ptr<CheckOutput> MakeCheckOutput(CheckFormat format,
                                             const CheckOutputOptions& options,
                                             std::ostream& out) {
  switch (format) {
    case CheckFormat::kText:
      break;
    case CheckFormat::kJson:
      return std::make_unique<JsonOutput>(options, out);
    case CheckFormat::kSarif:
      return std::make_unique<SarifOutput>(out);
    case CheckFormat::kGithub:
      return std::make_unique<GithubOutput>(options, out);
    case CheckFormat::kJunit:
      return std::make_unique<JunitOutput>(options, out);
  }
  return std::make_unique<TextOutput>(options, out);
}

}  // namespace indim
