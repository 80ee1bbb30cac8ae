// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/docs/spec.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "indim/tools/explain_command.h"

namespace indim {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

constexpr SpecRow kRows[] = {
#define INDIM_SPEC(document, section, kind, says, question, flags, answer, \
                   ours, note, test)                                       \
  {SpecDocument::k##document,                                              \
   section,                                                                \
   SpecKind::k##kind,                                                      \
   says,                                                                   \
   question,                                                               \
   flags,                                                                  \
   answer,                                                                 \
   ours,                                                                   \
   note,                                                                   \
   test},
#include "indim/tools/docs/spec_mlir.def"
#include "indim/tools/docs/spec_openvino.def"
#include "indim/tools/docs/spec_xla.def"
#undef INDIM_SPEC
};

struct DocumentInfo {
  SpecDocument document;
  const char* title;
};
constexpr DocumentInfo kDocuments[] = {
    {SpecDocument::kTrait, "MLIR: the Broadcastable trait"},
    {SpecDocument::kShapeInference, "MLIR: shape inference"},
    {SpecDocument::kOpenVino, "OpenVINO: broadcast rules"},
    {SpecDocument::kXla, "XLA: broadcasting semantics"},
};

// The field, or an empty value.
const Value& Field(const Struct& object, const std::string& name) {
  const auto at = object.fields().find(name);
  return at == object.fields().end() ? Value::default_instance() : at->second;
}

// {{1,2},{3,4}}
std::string Elements(const Value& value) {
  if (value.kind_case() != Value::kListValue) {
    return absl::StrCat(value.number_value());
  }
  return absl::StrCat("{",
                      absl::StrJoin(value.list_value().values(), ",",
                                    [](std::string* out, const Value& element) {
                                      out->append(Elements(element));
                                    }),
                      "}");
}

// "ok", "error", or each mode's.
std::string Outcome(const Struct& result) {
  std::vector<std::string> modes;
  bool all = true, any = false;
  for (const char* mode : {"lenient", "strict", "mlir"}) {
    const bool ok = Field(result, mode).bool_value();
    all = all && ok;
    any = any || ok;
    modes.push_back(absl::StrCat(mode, ok ? " ok" : " error"));
  }
  if (all) return "ok";
  return any ? absl::StrJoin(modes, ", ") : "error";
}

// Of an operation that isn't a broadcast `recorded` is judged in one way.
std::string Verified(const Struct& answer) {
  const Value& verified = Field(answer, "verified");
  if (verified.has_struct_value()) {
    return Outcome(Field(verified.struct_value(), "result").struct_value());
  }
  if (Field(answer, "recorded").string_value().empty()) return "";
  return Field(answer, "ok").bool_value() ? "ok" : "error";
}

// ": dims-differ"
std::string RefusedBy(const Struct& answer) {
  for (const Value& value :
       Field(answer, "diagnostics").list_value().values()) {
    const Struct& diagnostic = value.struct_value();
    if (Field(diagnostic, "severity").string_value() != "error") continue;
    return absl::StrCat(": ", Field(diagnostic, "name").string_value());
  }
  return "";
}

std::string ShortAnswer(const Struct& answer) {
  const std::string& error = Field(answer, "error").string_value();
  if (!error.empty()) return absl::StrCat("no answer: ", error);
  std::string text = Field(answer, "result").string_value();
  if (text.empty()) return absl::StrCat("refused", RefusedBy(answer));
  const Value& drawing = Field(answer, "drawing");
  if (drawing.has_struct_value()) {
    const Struct& result =
        Field(drawing.struct_value(), "result").struct_value();
    absl::StrAppend(&text, " ", Elements(Field(result, "values")));
  }
  const std::string verified = Verified(answer);
  if (!verified.empty()) absl::StrAppend(&text, ", ", verified);
  std::vector<std::string> conditions;
  for (const Value& value : Field(answer, "conditions").list_value().values()) {
    conditions.push_back(value.string_value());
  }
  if (!conditions.empty()) {
    absl::StrAppend(&text, " if ", absl::StrJoin(conditions, " and "));
  }
  return text;
}

// As a shell takes it.
std::string Quoted(const std::string& argument) {
  return absl::StrCat("'", absl::StrReplaceAll(argument, {{"'", "'\\''"}}),
                      "'");
}

std::string CommandLine(const SpecRow& row) {
  std::string line = "indim explain";
  for (const std::string& argument : SpecArguments(row)) {
    const bool plain = absl::StartsWith(argument, "--") &&
                       argument.find_first_of("{};") == std::string::npos;
    absl::StrAppend(&line, " ", plain ? argument : Quoted(argument));
  }
  return line;
}

// A cell of a table.
std::string InBackticks(const std::string& text) {
  return absl::StrCat("`", absl::StrReplaceAll(text, {{"|", "\\|"}}), "`");
}

// "trait_test, DocumentTest.ExamplesOfTheTrait", with the file behind it.
std::string TestLink(const std::string& test) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(test, absl::MaxSplits(' ', 1));
  return absl::StrCat("[", parts.second, "](../", parts.first, ")");
}

std::string RowText(const SpecRow& row) {
  const std::string document = row.answer;
  const std::string says =
      *row.ours == '\0' ? "the same" : absl::StrCat(InBackticks(document));
  return absl::StrCat("| ", row.says, " | ", says, " | ",
                      InBackticks(SpecAnswer(row)), " | ",
                      InBackticks(CommandLine(row)), " | ", TestLink(row.test),
                      " | ", row.note, " |\n");
}

}  // namespace

absl::Span<const SpecRow> SpecRows() { return kRows; }

std::vector<std::string> SpecArguments(const SpecRow& row) {
  std::vector<std::string> arguments = {row.question};
  for (const absl::string_view flag :
       absl::StrSplit(row.flags, ' ', absl::SkipEmpty())) {
    arguments.emplace_back(flag);
  }
  return arguments;
}

std::string SpecAnswer(const SpecRow& row) {
  std::vector<std::string> arguments = SpecArguments(row);
  arguments.push_back("--json");
  const ExplainRun run = RunExplainInProcess(arguments);
  Struct answer;
  if (!google::protobuf::util::JsonStringToMessage(run.out, &answer).ok()) {
    return absl::StrCat("no answer: ", run.error);
  }
  return ShortAnswer(answer);
}

std::string SpecPage() {
  std::string text =
      "# The documents, statement by statement\n\n"
      "Made by `bazel run //tools/docs:make_docs`; "
      "`tests/tools/docs/spec_test.cc` runs "
      "each command below and compares its answer with the\n"
      "document's, which was written down by hand. The test of a row holds "
      "the same besides. Where the document has another answer\n"
      "than ours (it contradicts itself, a living system answers otherwise, or "
      "it says nothing), both stand here, with the reason.\n\n"
      "`ok` and `error` are the outcome of a recorded result, in all three "
      "modes unless they are named; what stands behind `if` must\n"
      "hold at run time. Sentences are in our words.\n\n"
      "| document | rows | where ours isn't its word |\n| --- | --- | --- |\n";
  std::string tables;
  for (const DocumentInfo& info : kDocuments) {
    int rows = 0, other = 0;
    std::string section;
    absl::StrAppend(&tables, "\n## ", info.title, "\n");
    for (const SpecRow& row : SpecRows()) {
      if (row.document != info.document) continue;
      ++rows;
      if (*row.ours != '\0') ++other;
      if (section != row.section) {
        section = row.section;
        absl::StrAppend(&tables, "\n### ", section,
                        "\n\n| it says | its answer | ours | command | test | "
                        "note |\n| --- | --- | --- | --- | --- | --- |\n");
      }
      absl::StrAppend(&tables, RowText(row));
    }
    absl::StrAppend(&text, "| ", info.title, " | ", rows, " | ", other, " |\n");
  }
  return absl::StrCat(text, tables);
}

}  // namespace indim
