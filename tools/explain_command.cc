// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain_command.h"

#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/io/module_format.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tools/commands.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

absl::StatusOr<ExplainOptions> ExplainOptionsFromFlags() {
  ExplainOptions options;
  options.json = absl::GetFlag(FLAGS_json);
  const std::string rule = absl::GetFlag(FLAGS_rule);
  options.all_rules = rule == "all";
  options.rule = BroadcastRuleFromName(rule);
  const std::string axis = absl::GetFlag(FLAGS_axis);
  int64_t number;
  if (!axis.empty()) {
    if (!absl::SimpleAtoi(axis, &number)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--axis=", axis, ": expected a number"));
    }
    options.axis = number;
  }
  options.mode = BroadcastableModeFromName(absl::GetFlag(FLAGS_mode))
                     .value_or(options.mode);
  options.svg = absl::GetFlag(FLAGS_svg);
  const std::string values = absl::GetFlag(FLAGS_values);
  if (!values.empty()) options.values = values;
  const int forms = (options.svg ? 1 : 0) + (options.json ? 1 : 0) +
                    (options.all_rules ? 1 : 0);
  if (options.svg && forms > 1) {
    return absl::InvalidArgumentError(
        "--svg draws one rule's answer; --json and --rule=all write it "
        "otherwise");
  }
  return options;
}

// --- An instruction of a file -----------------------------------------------

struct FileQuestion {
  std::string path;
  std::string name;  // of the instruction
};

bool IsFile(absl::string_view path) {
  std::error_code error;
  return !path.empty() &&
         std::filesystem::is_regular_file(std::string(path), error);
}

// Whether it ends as the name of a module's file does. No question ends so.
bool IsCalledModule(absl::string_view path) {
  return FormatOfName(path) != ModuleFormat::kUnknown ||
         absl::EndsWith(path, ".txt");
}

// "m.hlo:%y". A file that isn't there is told by its name.
std::optional<FileQuestion> ReadFileQuestion(absl::string_view text) {
  if (IsFile(text) || IsCalledModule(text)) {
    return FileQuestion{std::string(text), ""};
  }
  for (size_t at = text.find(':'); at != absl::string_view::npos;
       at = text.find(':', at + 1)) {
    const absl::string_view path = text.substr(0, at);
    if (IsFile(path) || path == "-" || IsCalledModule(path)) {
      return FileQuestion{std::string(path), std::string(text.substr(at + 1))};
    }
  }
  return std::nullopt;
}

absl::StatusOr<Explanation> ExplainFile(const FileQuestion& question,
                                        const ExplainOptions& options) {
  const absl::StatusOr<WrappedModule> file = ReadModule(question.path);
  if (!file.ok()) return WithFileName(question.path, file.status());
  absl::StatusOr<Instruction> instruction =
      FindInstruction(file->module, question.name);
  if (!instruction.ok()) {
    return WithFileName(question.path, instruction.status());
  }
  absl::StatusOr<Explanation> explanation =
      ExplainInstruction(file->module, *instruction, options);
  if (!explanation.ok()) {
    return WithFileName(question.path, explanation.status());
  }
  return explanation;
}

absl::StatusOr<Explanation> Explained(const std::string& question) {
  const absl::StatusOr<ExplainOptions> options = ExplainOptionsFromFlags();
  if (!options.ok()) return options.status();
  const auto file = ReadFileQuestion(question);
  if (file && ExplainTerm(question).empty()) {
    return ExplainFile(*file, *options);
  }
  std::error_code error;
  if (std::filesystem::is_directory(question, error) &&
      ExplainTerm(question).empty()) {
    return WithFileName(question, absl::InvalidArgumentError(
                                      "this is a folder; a question about an "
                                      "instruction of a file is FILE:NAME"));
  }
  return ExplainText(question, *options);
}

// Flags are set.
ExplainRun Run(absl::Span<const std::string> arguments) {
  const absl::StatusOr<Explanation> answer = Explained(arguments[0]);
  if (answer.ok()) {
    return {answer->text, "", answer->ok ? kExitOk : kExitErrors};
  }
  const std::string message = ErrorText(answer.status());
  if (!absl::GetFlag(FLAGS_json)) return {"", message, kExitUsage};
  JsonWriter json;
  json.Add("ok", false).Add("error", message);
  return {json.text() + "\n", "", kExitUsage};
}

}  // namespace

int RunExplain(absl::Span<const std::string> arguments) {
  const ExplainRun run = Run(arguments);
  std::cout << run.out;
  return run.error.empty() ? run.exit
                           : Fail(absl::InvalidArgumentError(run.error));
}

ExplainRun RunExplainInProcess(absl::Span<const std::string> arguments) {
  const absl::FlagSaver saver;
  std::vector<std::string> copies(arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& copy : copies) pointers.push_back(copy.data());
  const auto rest =
      ParseArguments(*FindCommand(IndimProgram(), "explain"), pointers);
  if (!rest.ok()) {
    return {"", std::string(rest.status().message()), kExitUsage};
  }
  return Run(*rest);
}

}  // namespace indim
