// SPDX-License-Identifier: Apache-2.0
// Progress, on a pseudo-terminal: when it is shown, and that nothing of it is
// left.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "indim/ir/storage/file.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct TerminalRun {
  int exit = -1;
  absl::Duration time;
  std::string shown;  // all bytes that the terminal got
};

// A command of the shell whose standard streams are a terminal of 60 columns.
TerminalRun OnTerminal(const std::string& command) {
  TerminalRun run;
  const absl::Time begin = absl::Now();
  winsize size = {};
  size.ws_row = 20;
  size.ws_col = 60;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  if (child < 0) return run;
  char bytes[4096];
  // Where the other end is closed, Linux answers EIO.
  for (ssize_t n = 0; (n = read(terminal, bytes, sizeof(bytes))) > 0;) {
    run.shown.append(bytes, static_cast<size_t>(n));
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  run.exit = WEXITSTATUS(status);
  run.time = absl::Now() - begin;
  absl::StrReplaceAll({{"\r\n", "\n"}}, &run.shown);
  return run;
}

// A system may have no pseudo-terminals: a chroot whose /dev/pts is empty.
bool HasTerminals() {
  int terminal = -1, other = -1;
  if (openpty(&terminal, &other, nullptr, nullptr, nullptr) != 0) return false;
  close(terminal);
  close(other);
  return true;
}

// Several commands, four at a time: they sleep most of the time.
std::vector<TerminalRun> OnTerminals(const std::vector<std::string>& commands) {
  std::vector<TerminalRun> runs;
  std::vector<std::future<TerminalRun>> started;
  for (size_t i = 0; i < commands.size(); ++i) {
    if (i >= 4) runs.push_back(started[i - 4].get());
    started.push_back(std::async(std::launch::async, OnTerminal, commands[i]));
  }
  while (runs.size() < started.size()) {
    runs.push_back(started[runs.size()].get());
  }
  return runs;
}

// What is to be read in the end: a carriage return and "erase the line" take
// the line away.
std::string Left(const std::string& shown) {
  std::string left, line;
  for (size_t i = 0; i < shown.size(); ++i) {
    if (shown.compare(i, 4, "\r\x1b[K") == 0) {
      line.clear();
      i += 3;
    } else if (shown[i] == '\n') {
      absl::StrAppend(&left, line, "\n");
      line.clear();
    } else {
      line.push_back(shown[i]);
    }
  }
  return left + line;
}

std::string ModuleFile() {
  const std::string path = Temp("m.hlo");
  EXPECT_TRUE(WriteFile(path,
                        "HloModule m\n\nENTRY e {\n"
                        "  ROOT x = f32[2]{0} parameter(0)\n}\n")
                  .ok());
  return path;
}

constexpr char kFast[] = "";

// A command that reads "-" has its module from a pipe, which takes 2.5 seconds.
TEST(Progress, WhereAndWhen) {
  if (!HasTerminals()) GTEST_SKIP() << "no pseudo-terminals here";
  const std::string file = ModuleFile();
  const std::string slow =
      absl::StrCat("(sleep 2.5; cat ", file, ") | tools/indim ");
  const std::string fast = absl::StrCat("cat ", file, " | tools/indim ");
  const std::string question = "{\"op\":\"add\",\"operands\":[]}";
  struct Row {
    std::string command;
    const char* shown;  // "": nothing of progress; kFast: the same, if it
                        // takes no second
    const char* left;   // part of what is left
  };
  const std::vector<Row> rows = {
      {slow + "check -", "indim: reading standard input, ", "-: ok: 1"},
      {slow + "check " + file + " - " + file,
       "indim: 1 of 3 files: reading standard input, ", "-: ok: 1"},
      {slow + "check --format=json -", "reading standard input, ",
       "{\"version\":1,\"file\":\"-\""},
      {slow + "print -", "reading standard input, ", "HloModule m"},
      {slow + "infer - -o - --to=hlo", "reading standard input, ",
       "HloModule m"},
      {slow + "convert - -o - --to=hlo", "reading standard input, ",
       "HloModule m"},
      {slow + "eval - --random-inputs=1", "reading standard input, ", "f32[2]"},
      {slow + "diff - " + file, "reading standard input, ", ""},
      {slow + "test-return-types -", "reading standard input, ",
       "disagreements: 0"},
      // An error too finds an empty line.
      {"(sleep 1.7; echo x) | tools/indim print -", "standard input, ",
       "indim: standard input"},
      // Not in the first second, not with --quiet, not beside a terminal.
      {fast + "check -", kFast, "-: ok: 1"},
      {slow + "check --quiet -", "", ""},
      {slow + "print --quiet -", "", "HloModule m"},
      {slow + "check - 2>&1 | cat", "", "-: ok: 1"},
      {slow + "check - 2>" + Temp("err") + "; cat " + Temp("err"), "",
       "-: ok: 1"},
      // The terminal is standard error's alone.
      {slow + "check - >" + Temp("checked"), "reading standard input, ", ""},
      // Questions that somebody types.
      {"(sleep 1.5; echo '" + question + "') | tools/indim query", "",
       "{\"id\":null"},
      {"(yes '" + question +
           "' | head -n 2500; sleep 2.5) | tools/indim "
           "query >" +
           Temp("out"),
       "indim: answered 2000 questions, ", ""}};
  std::vector<std::string> commands;
  for (const Row& row : rows) commands.push_back(row.command);
  const std::vector<TerminalRun> runs = OnTerminals(commands);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const TerminalRun& run = runs[i];
    if (row.shown == kFast) {
      // On a machine that is busy with other things it may take longer.
      if (run.time > absl::Seconds(1)) continue;
      EXPECT_THAT(run.shown, Not(HasSubstr("\x1b[K"))) << row.command;
    } else if (*row.shown == '\0') {
      EXPECT_THAT(run.shown, Not(HasSubstr("\x1b[K"))) << row.command;
      EXPECT_THAT(run.shown, Not(HasSubstr(" s\n"))) << row.command;
    } else {
      EXPECT_THAT(run.shown, HasSubstr(row.shown)) << row.command;
    }
    const std::string left = Left(run.shown);
    EXPECT_THAT(left, HasSubstr(row.left)) << row.command;
    EXPECT_THAT(left, Not(HasSubstr("reading"))) << row.command;
    EXPECT_THAT(left, Not(HasSubstr("answered"))) << row.command;
  }
}

// On a terminal of 40 columns, the last of which stays empty.
TEST(Progress, ALongLineIsCut) {
  if (!HasTerminals()) GTEST_SKIP() << "no pseudo-terminals here";
  const std::string file = ModuleFile();
  const TerminalRun run = OnTerminal(
      absl::StrCat("stty cols 40; (sleep 1.7; cat ", file,
                   ") | tools/indim check ", file, " - ", file, " ", file));
  EXPECT_THAT(run.shown,
              HasSubstr("\r\x1b[Kindim: 1 of 4 files: reading stand, "));
}

// A failure of standard output is seen behind the progress too.
TEST(Progress, OutputThatFailsIsToldAllTheSame) {
  if (!HasTerminals()) GTEST_SKIP() << "no pseudo-terminals here";
  const TerminalRun run = OnTerminal(absl::StrCat(
      "(sleep 1.7; cat ", ModuleFile(), ") | tools/indim check - >/dev/full"));
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(Left(run.shown),
              HasSubstr("indim: can't write to standard output\n"));
}

}  // namespace
}  // namespace indim
