// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/help/help_text.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace indim {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kFlagColumn = 18;  // where what a flag does begins

std::string FilledLine(absl::string_view line, size_t width, size_t indent) {
  std::string text;
  size_t column = indent;
  for (const absl::string_view word : absl::StrSplit(line, ' ')) {
    if (!text.empty() && column + 1 + word.size() > width) {
      absl::StrAppend(&text, "\n", std::string(indent, ' '));
      column = indent;
    } else if (!text.empty()) {
      text.push_back(' ');
      ++column;
    }
    absl::StrAppend(&text, word);
    column += word.size();
  }
  return text;
}

// A name on the left, what it means on the right, or below where the name is
// long.
std::string Row(absl::string_view name, absl::string_view text) {
  std::string row = absl::StrCat("  ", name);
  if (row.size() + 2 > kFlagColumn) {
    absl::StrAppend(&row, "\n", std::string(kFlagColumn, ' '));
  } else {
    row.resize(kFlagColumn, ' ');
  }
  return absl::StrCat(row, Filled(text, kWidth, kFlagColumn), "\n");
}

}  // namespace

std::string Filled(absl::string_view text, size_t width, size_t indent) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    lines.push_back(absl::StartsWith(line, " ")
                        ? std::string(line)
                        : FilledLine(line, width, indent));
  }
  return absl::StrJoin(lines, absl::StrCat("\n", std::string(indent, ' ')));
}

std::string ProgramHelp(const CommandProgram& program) {
  std::string text =
      absl::StrCat(program.name, ": ", program.summary,
                   "\n\nusage: ", program.name, " COMMAND ...\n\n");
  for (const CommandInfo& command : program.commands) {
    absl::StrAppend(&text, Row(command.name, command.summary),
                    std::string(kFlagColumn, ' '), CommandUsage(command), "\n");
  }
  absl::StrAppend(
      &text, "\n", Filled(program.formats, kWidth, 0), "\n\n",
      Filled(absl::StrCat("Exit status: ", program.exit_status), kWidth, 0),
      "\n");
  return text;
}

std::string CommandHelp(const CommandProgram& program,
                        const CommandInfo& command) {
  std::string text = absl::StrCat("usage: ", CommandUsage(command), "\n\n",
                                  command.summary, "\n\n");
  if (!command.description.empty()) {
    absl::StrAppend(&text, Filled(command.description, kWidth, 0), "\n\n");
  }
  for (const CommandFlag& flag : command.flags) {
    const FlagInfo* row = FindFlag(flag.name);
    if (row == nullptr) continue;
    absl::StrAppend(&text, Row(absl::StrCat(flag.name == "output" ? "-o, " : "",
                                            FlagUsage(*row)),
                               flag.help()));
  }
  const absl::string_view exit_status =
      command.exit_status.empty() ? program.exit_status : command.exit_status;
  absl::StrAppend(&text, command.flags.empty() ? "" : "\n",
                  Filled(absl::StrCat("Exit status: ", exit_status), kWidth, 0),
                  "\n");
  return text;
}

}  // namespace indim
