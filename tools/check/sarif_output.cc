// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/check/sarif_output.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "indim/shape/ops/docs.h"
#include "indim/shape/types/version.h"
#include "indim/tools/check/check_findings.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

constexpr absl::string_view kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
    "sarif-schema-2.1.0.json";

absl::string_view Level(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
}

// {"text": ...}, as SARIF wants every message.
std::string Message(absl::string_view text) {
  return JsonWriter().Add("text", text).text();
}

// Where in a file; `line` 0: only which file.
std::string PhysicalLocation(absl::string_view path, int64_t line,
                             int64_t column) {
  JsonWriter artifact;
  if (path == "-") {
    artifact.AddRaw("description", Message("standard input"));
  } else {
    artifact.Add("uri", UriOfPath(path));
  }
  JsonWriter location;
  location.AddRaw("artifactLocation", artifact.text());
  if (line > 0) {
    JsonWriter region;
    region.Add("startLine", line);
    if (column > 0) region.Add("startColumn", column);
    location.AddRaw("region", region.text());
  }
  return location.text();
}

std::string LocationOf(const CheckedFile& file,
                       const RenderedDiagnostic& finding) {
  JsonWriter location;
  location.AddRaw("physicalLocation",
                  PhysicalLocation(file.path, finding.text_position.line,
                                   finding.text_position.column));
  if (!finding.instruction_name.empty()) {
    const std::string logical =
        JsonWriter()
            .Add("name", finding.instruction_name)
            .Add("fullyQualifiedName",
                 absl::StrCat(finding.computation_name, "/",
                              finding.instruction_name))
            .text();
    location.AddList("logicalLocations", {logical});
  }
  return location.text();
}

std::string RuleJson(Code code) {
  const CodeInfo& info = Info(code);
  const std::string help =
      absl::StrCat("indim explain ", CodeText(code),
                   " shows an example that is right and one that is "
                   "wrong.");
  return JsonWriter()
      .Add("id", CodeText(code))
      .Add("name", info.slug)
      .AddRaw("shortDescription", Message(DocOf(code).why))
      .AddRaw("help", Message(help))
      .AddRaw("defaultConfiguration",
              JsonWriter().Add("level", Level(info.severity())).text())
      .text();
}

}  // namespace

std::string UriOfPath(absl::string_view path) {
  std::string uri = absl::StartsWith(path, "/") ? "file://" : "";
  for (const char c : path) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
        absl::string_view("-._~/").find(c) != absl::string_view::npos) {
      uri.push_back(c);
    } else {
      absl::StrAppendFormat(&uri, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

int64_t SarifOutput::IndexOf(Code code) {
  const auto [at, is_new] =
      index_.emplace(code, static_cast<int64_t>(codes_.size()));
  if (is_new) codes_.push_back(code);
  return at->second;
}

void SarifOutput::Begin() {
  out_ << R"({"$schema":)" << JsonString(kSchema)
       << R"(,"version":"2.1.0","runs":[{"results":[)";
}

void SarifOutput::Add(const CheckedFile& file) {
  for (const RenderedDiagnostic& finding : FindingsOf(file)) {
    std::string message = finding.message;
    if (!finding.fix.empty()) {
      absl::StrAppend(&message, "\nto fix: ", finding.fix);
    }
    JsonWriter result;
    const Code code = finding.diagnostic.code;
    result.Add("ruleId", CodeText(code))
        .Add("ruleIndex", IndexOf(code))
        .Add("level", Level(finding.diagnostic.severity()))
        .AddRaw("message", Message(message))
        .AddList("locations", {LocationOf(file, finding)});
    if (!finding.file.empty()) {
      JsonWriter made_by;
      made_by.Add("id", int64_t{1})
          .AddRaw("message", Message("the program's line that made it"))
          .AddRaw("physicalLocation",
                  PhysicalLocation(finding.file, finding.line, 0));
      result.AddList("relatedLocations", {made_by.text()});
    }
    out_ << (any_result_ ? ",\n" : "\n") << result.text();
    any_result_ = true;
  }
}

void SarifOutput::End(int exit) {
  std::vector<std::string> rules;
  for (const Code code : codes_) rules.push_back(RuleJson(code));
  JsonWriter driver;
  driver.Add("name", "indim")
      .Add("semanticVersion", Version())
      .AddRaw("rules", absl::StrCat("[\n", absl::StrJoin(rules, ",\n"), "]"));
  // Exit status 2: a file could not be read.
  JsonWriter invocation;
  invocation.Add("executionSuccessful", exit < 2)
      .Add("exitCode", int64_t{exit});
  out_ << "],\n"
       << R"("tool":{"driver":)" << driver.text() << "},\n"
       << R"("invocations":[)" << invocation.text() << "],"
       << R"("columnKind":"unicodeCodePoints"}]})"
       << "\n";
}

}  // namespace indim
