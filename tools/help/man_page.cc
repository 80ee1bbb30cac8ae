// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/help/man_page.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "indim/tools/help/help_text.h"

namespace indim {
namespace {

// Text without requests: none of its characters means anything to roff, and -
// stays the one that people copy.
std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\e"},
                                    {"-", "\\-"},
                                    {"'", "\\(aq"},
                                    {"^", "\\(ha"},
                                    {"`", "\\(ga"},
                                    {"~", "\\(ti"}});
}

// One line of the page, which no . at its beginning makes a request.
std::string Line(absl::string_view text) {
  return absl::StrCat(absl::StartsWith(text, ".") ? "\\&" : "", Escaped(text),
                      "\n");
}

// A paragraph, which roff fills again; its source has short lines.
std::string Paragraph(absl::string_view text) {
  constexpr size_t kSourceWidth = 64;
  std::string page;
  const std::string filled = Filled(text, kSourceWidth, 0);
  for (const absl::string_view line : absl::StrSplit(filled, '\n')) {
    page += Line(line);
  }
  return page;
}

std::string Bold(absl::string_view text) {
  return absl::StrCat("\\fB", Escaped(text), "\\fR");
}

// Filled lines are paragraphs, lines that begin with a blank stay as they are.
std::string Paragraphs(absl::string_view text) {
  std::string page;
  bool as_is = false, begun = false;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const bool example = absl::StartsWith(line, " ");
    if (as_is && !example) page += ".EE\n";
    if (example && !as_is) page += ".PP\n.EX\n";
    if (!example && !line.empty() && begun) page += ".PP\n";
    if (example) page += Line(line);
    if (!example && !line.empty()) page += Paragraph(line);
    as_is = example;
    begun = true;
  }
  if (as_is) page += ".EE\n";
  return page;
}

std::string FlagEntry(const CommandFlag& flag) {
  const FlagInfo* row = FindFlag(flag.name);
  if (row == nullptr) return "";
  return absl::StrCat(".TP\n", flag.name == "output" ? Bold("-o") + ", " : "",
                      Bold(FlagUsage(*row)), "\n", Paragraph(flag.help()));
}

std::string CommandSection(const CommandInfo& command) {
  std::string page =
      absl::StrCat(".SS ", Escaped(CommandUsage(command)), "\n",
                   Paragraph(absl::StrCat(command.summary, ".")));
  if (!command.description.empty()) {
    absl::StrAppend(&page, ".PP\n", Paragraphs(command.description));
  }
  for (const CommandFlag& flag : command.flags) page += FlagEntry(flag);
  if (!command.exit_status.empty()) {
    absl::StrAppend(
        &page, ".PP\n",
        Paragraph(absl::StrCat("Exit status: ", command.exit_status)));
  }
  return page;
}

}  // namespace

std::string ManPage(const CommandProgram& program) {
  std::string page = absl::StrCat(
      ".TH ", absl::AsciiStrToUpper(program.name), " 1 \"\" \"", program.name,
      " ", program.version, "\" \"User Commands\"\n", ".SH NAME\n",
      program.name, " \\- ", Escaped(program.summary), "\n.SH SYNOPSIS\n",
      Bold(program.name),
      "\n\\fICOMMAND\\fR\n[\\fIFLAG\\fR...]\n"
      "[\\fIARGUMENT\\fR...]\n.SH DESCRIPTION\n",
      Paragraphs(program.formats), ".SH COMMANDS\n");
  for (const CommandInfo& command : program.commands) {
    page += CommandSection(command);
  }
  absl::StrAppend(&page, ".SH \"EXIT STATUS\"\n",
                  Paragraph(program.exit_status));
  return page;
}

}  // namespace indim
