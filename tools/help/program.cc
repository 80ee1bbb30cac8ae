// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/help/program.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/suggest.h"

namespace indim {
namespace {

std::vector<absl::string_view> CommandNames(const CommandProgram& program) {
  std::vector<absl::string_view> names;
  for (const CommandInfo& command : program.commands) {
    names.push_back(command.name);
  }
  return names;
}

}  // namespace

const CommandInfo* FindCommand(const CommandProgram& program,
                               absl::string_view name) {
  for (const CommandInfo& command : program.commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::string UnknownCommandText(const CommandProgram& program,
                               absl::string_view name) {
  const std::vector<absl::string_view> names = CommandNames(program);
  const std::string expected =
      absl::StrCat("expected ", absl::StrJoin(names, ", "));
  if (absl::StartsWith(name, "-")) {
    return absl::StrCat("'", name, "' stands where a command is expected: ",
                        "flags follow the command, but for --help and "
                        "--version; ",
                        expected);
  }
  // A file, whose command is missing.
  const bool is_file = name.find_first_of("./") != absl::string_view::npos;
  const std::string near = is_file ? absl::StrCat("indim check ", name)
                                   : std::string(NearestName(name, names));
  return absl::StrCat(
      "no command is called '", name, "'; ",
      near.empty() ? "" : absl::StrCat("did you mean ", near, "? "), expected);
}

std::vector<std::string> WordsOf(const CommandProgram& program, Words words,
                                 absl::string_view shown) {
  std::vector<std::string> all;
  if (words == Words::kChoices) {
    for (const absl::string_view choice : Choices(shown)) {
      all.emplace_back(choice);
    }
  }
  if (words == Words::kCommands) {
    for (const absl::string_view name : CommandNames(program)) {
      all.emplace_back(name);
    }
  }
  if (words == Words::kSubjects) {
    all = {"ops", "codes", "words"};
    for (const OpInfo& op : AllOps()) all.emplace_back(op.wire);
  }
  if (words == Words::kSubjects || words == Words::kCodes) {
    for (const CodeInfo& code : AllCodes()) all.emplace_back(code.slug);
  }
  return all;
}

}  // namespace indim
