// SPDX-License-Identifier: Apache-2.0
// Help, the man page and the completions are made of one table, so each of them
// has every command, every flag and every word that the table has.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "indim/tools/commands.h"
#include "indim/tools/help/completion.h"
#include "indim/tools/help/help_text.h"
#include "indim/tools/help/man_page.h"
#include "indim/tools/help/program.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

TEST(Help, EveryFlagHasARowAndACommand) {
  std::set<absl::string_view> taken;
  for (const CommandInfo& command : IndimProgram().commands) {
    std::set<absl::string_view> own;
    for (const CommandFlag& flag : command.flags) {
      EXPECT_NE(FindFlag(flag.name), nullptr) << command.name << flag.name;
      EXPECT_TRUE(own.insert(flag.name).second) << command.name << flag.name;
      taken.insert(flag.name);
    }
  }
  for (const FlagInfo& flag : AllFlags()) {
    EXPECT_EQ(taken.count(flag.name), 1u) << flag.name << " is no command's";
  }
}

TEST(Help, RowsReadAlike) {
  for (const FlagInfo& flag : AllFlags()) {
    EXPECT_FALSE(flag.help.empty()) << flag.name;
    EXPECT_TRUE(!absl::EndsWith(flag.help, ".") ||
                absl::EndsWith(flag.help, ", ..."))
        << flag.name;
    EXPECT_FALSE(absl::StartsWith(flag.help, " ")) << flag.name;
    EXPECT_EQ(flag.words == Words::kChoices, absl::StrContains(flag.value, "|"))
        << flag.name;
  }
  for (const CommandInfo& command : IndimProgram().commands) {
    EXPECT_TRUE(absl::ascii_islower(command.summary[0])) << command.name;
    EXPECT_FALSE(absl::EndsWith(command.summary, ".")) << command.name;
    EXPECT_TRUE(command.exit_status.empty() ||
                absl::StartsWith(command.exit_status, "0 "))
        << command.name;
  }
}

TEST(Help, ShowsEveryFlagAndFitsATerminal) {
  const CommandProgram& program = IndimProgram();
  std::vector<std::string> texts = {ProgramHelp(program)};
  for (const CommandInfo& command : program.commands) {
    EXPECT_THAT(texts[0], HasSubstr(CommandUsage(command)));
    const std::string help = CommandHelp(program, command);
    EXPECT_THAT(help,
                HasSubstr(absl::StrCat("usage: ", CommandUsage(command))));
    EXPECT_THAT(help, HasSubstr("\nExit status: 0 "));
    for (const CommandFlag& flag : command.flags) {
      EXPECT_THAT(help, HasSubstr(FlagUsage(*FindFlag(flag.name))));
    }
    texts.push_back(help);
  }
  for (const std::string& text : texts) {
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      EXPECT_LE(line.size(), 80u) << line;
      EXPECT_FALSE(absl::EndsWith(line, " ")) << line;
    }
  }
}

TEST(Help, Usage) {
  struct Row {
    const char* flag;
    const char* usage;
  };
  for (const Row& row :
       {Row{"json", "--json"}, Row{"large_constants", "--large-constants"},
        Row{"ids", "--noids"},
        Row{"allow_elided_constants", "--noallow-elided-constants"},
        Row{"mode", "--mode=lenient|strict|mlir"},
        Row{"output", "--output=FILE"}, Row{"values", "--values[=LITERALS]"},
        Row{"disable", "--disable=CODE[,CODE...]"}}) {
    const FlagInfo* flag = FindFlag(row.flag);
    ASSERT_NE(flag, nullptr) << row.flag;
    EXPECT_EQ(FlagUsage(*flag), row.usage);
  }
  EXPECT_EQ(FindFlag("jsn"), nullptr);
}

TEST(Help, Filled) {
  struct Row {
    const char* text;
    size_t width;
    size_t indent;
    const char* filled;
  };
  for (const Row& row :
       {Row{"", 10, 0, ""}, Row{"a b", 10, 0, "a b"},
        Row{"aaa bbb ccc", 7, 0, "aaa bbb\nccc"},
        Row{"aaa bbb ccc", 6, 0, "aaa\nbbb\nccc"},
        Row{"aaa bbb ccc", 9, 2, "aaa bbb\n  ccc"},
        Row{"aaaaaaaaaaaa b", 5, 0, "aaaaaaaaaaaa\nb"},
        Row{"a\n\nb", 10, 0, "a\n\nb"},
        Row{"a\n  x   y     z\nb", 5, 0, "a\n  x   y     z\nb"}}) {
    EXPECT_EQ(Filled(row.text, row.width, row.indent), row.filled) << row.text;
  }
}

TEST(Help, UnknownCommands) {
  EXPECT_THAT(UnknownCommandText(IndimProgram(), "chek"),
              HasSubstr("'chek'; did you mean check? expected check, infer, "));
  EXPECT_THAT(UnknownCommandText(IndimProgram(), "xxxxxxx"),
              Not(HasSubstr("did you mean")));
}

TEST(Help, WordsOf) {
  const CommandProgram& program = IndimProgram();
  EXPECT_THAT(WordsOf(program, Words::kNone, "A|B"), IsEmpty());
  EXPECT_THAT(WordsOf(program, Words::kFiles, "FILE"), IsEmpty());
  EXPECT_THAT(WordsOf(program, Words::kChoices, "a|b|c"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(WordsOf(program, Words::kCodes, ""),
              IsSupersetOf({"ranks-differ", "type-class-odd"}));
  EXPECT_THAT(WordsOf(program, Words::kSubjects, ""),
              IsSupersetOf({"ops", "add", "ranks-differ"}));
  EXPECT_THAT(WordsOf(program, Words::kCommands, ""),
              IsSupersetOf({"check", "explain", "man", "help"}));
}

// Nothing in a text is a request of roff's, an escape of its own, or a hyphen
// that becomes another character.
TEST(ManPage, EscapesText) {
  CommandProgram program;
  program.name = "indim";
  program.summary = "does a-b";
  program.formats = ".formats \\n 'x'\nnext\n  .example -c\n  more\nlast";
  program.exit_status = "0 fine.";
  program.version = "1.2.3";
  EXPECT_EQ(ManPage(program),
            ".TH INDIM 1 \"\" \"indim 1.2.3\" \"User Commands\"\n"
            ".SH NAME\nindim \\- does a\\-b\n"
            ".SH SYNOPSIS\n\\fBindim\\fR\n\\fICOMMAND\\fR\n"
            "[\\fIFLAG\\fR...]\n[\\fIARGUMENT\\fR...]\n"
            ".SH DESCRIPTION\n\\&.formats \\en \\(aqx\\(aq\n.PP\nnext\n"
            ".PP\n.EX\n  .example \\-c\n  more\n.EE\n.PP\nlast\n"
            ".SH COMMANDS\n.SH \"EXIT STATUS\"\n0 fine.\n");
}

TEST(ManPage, HasEveryFlag) {
  const std::string page = absl::StrReplaceAll(ManPage(IndimProgram()),
                                               {{"\\-", "-"}, {"\\(aq", "'"}});
  for (const CommandInfo& command : IndimProgram().commands) {
    const std::string begin =
        absl::StrCat("\n.SS ", CommandUsage(command), "\n");
    const size_t at = page.find(begin);
    ASSERT_NE(at, std::string::npos) << command.name;
    const std::string section =
        page.substr(at, page.find("\n.S", at + begin.size()) - at);
    for (const CommandFlag& flag : command.flags) {
      EXPECT_THAT(section, HasSubstr(absl::StrCat(
                               FlagUsage(*FindFlag(flag.name)), "\\fR\n")))
          << command.name;
    }
  }
}

TEST(ZshCompletion, HasEveryFlag) {
  const std::string script = ZshCompletion(IndimProgram());
  for (const CommandInfo& command : IndimProgram().commands) {
    const size_t at = script.find(absl::StrCat("\n    ", command.name, ")\n"));
    ASSERT_NE(at, std::string::npos) << command.name;
    const std::string section =
        script.substr(at, script.find("\n      ;;", at) - at);
    for (const CommandFlag& flag : command.flags) {
      const std::string usage = FlagUsage(*FindFlag(flag.name));
      EXPECT_THAT(section,
                  HasSubstr(usage.substr(0, usage.find_first_of("[="))))
          << command.name;
    }
  }
}

}  // namespace
}  // namespace indim
