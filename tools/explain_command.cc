// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain_command.h"

#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "indim/proto/wire/printable.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/types/suggest.h"
#include "indim/tools/commands.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/explain/name_table.h"
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

// "m.hlo:%y". A file that isn't there is told by its name.
std::optional<FileQuestion> ReadFileQuestion(absl::string_view text) {
  if (IsFile(text)) return FileQuestion{std::string(text), ""};
  for (size_t at = text.find(':'); at != absl::string_view::npos;
       at = text.find(':', at + 1)) {
    const absl::string_view path = text.substr(0, at);
    bool known = IsFile(path) || path == "-";
    for (const char* extension :
         {".hlo", ".pb", ".pbtxt", ".textproto", ".txt", ".mlir"}) {
      known = known || absl::EndsWith(path, extension);
    }
    if (known)
      return FileQuestion{std::string(path), std::string(text.substr(at + 1))};
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

// --- Words ------------------------------------------------------------------

bool IsOneWord(absl::string_view text) {
  return !text.empty() &&
         text.find_first_of("[](){}<>+*/%&|^\"=,:") == absl::string_view::npos;
}

// "IND0007", "ind7", "7" or the code's slug.
std::optional<Code> CodeNamed(absl::string_view word) {
  if (const auto code = FindCode(word)) return code;
  if (absl::StartsWithIgnoreCase(word, "IND")) word.remove_prefix(3);
  int number;
  if (!absl::SimpleAtoi(word, &number)) return std::nullopt;
  return FindCode(absl::StrFormat("IND%04d", number));
}

// What codes, operations and words are called; what is near.
absl::Status UnknownWord(absl::string_view word) {
  std::vector<absl::string_view> known;
  for (const OpInfo& op : AllOps()) known.push_back(op.wire);
  for (const CodeInfo& code : AllCodes()) known.push_back(code.slug);
  const std::string words = KnownWords();
  for (absl::string_view one : absl::StrSplit(words, ", ")) {
    known.push_back(one);
  }
  absl::c_copy(KnownNames(), std::back_inserter(known));
  const absl::string_view near = NearestName(word, known);
  return absl::InvalidArgumentError(absl::StrCat(
      "'", Printable(word), "' is not a code, an operation or a word",
      near.empty() ? absl::StrCat(" (words are ", words, ")")
                   : absl::StrCat(" (did you mean ", near, "?)"),
      "; a question looks like 'f32[4] + f32[1,2] {0}'"));
}

std::string OpText(Opcode opcode, bool json) {
  return json ? OpJson(opcode) + "\n" : ExplainOp(opcode);
}

// Of a code, an operation, a word, a name of another system, or all of a kind;
// "": it is none.
std::string WordText(absl::string_view word, bool json) {
  std::string text;
  if (word == "ops") {
    for (const OpInfo& op : AllOps()) text += OpText(op.opcode, json);
  } else if (word == "codes") {
    for (const CodeInfo& code : AllCodes()) {
      text += ExplainCode(code.code, json);
    }
  } else if (word == "words") {
    const std::string words = KnownWords();
    for (absl::string_view one : absl::StrSplit(words, ", ")) {
      text += ExplainWord(one, json);
    }
  } else if (const auto code = CodeNamed(word)) {
    text = ExplainCode(*code, json);
  } else if (const auto opcode = OpcodeFromName(word)) {
    text = OpText(*opcode, json);
  } else {
    text = ExplainWord(word, json);
    if (text.empty()) text = ExplainName(word, json);
  }
  return text;
}

absl::StatusOr<Explanation> Explained(const std::string& question) {
  const absl::StatusOr<ExplainOptions> options = ExplainOptionsFromFlags();
  if (!options.ok()) return options.status();
  Explanation words;
  words.text = WordText(question, options->json);
  if (!words.text.empty()) return words;
  if (const auto file = ReadFileQuestion(question)) {
    return ExplainFile(*file, *options);
  }
  if (IsOneWord(question)) return UnknownWord(question);
  return ExplainQuestion(question, *options);
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
