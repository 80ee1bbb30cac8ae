// SPDX-License-Identifier: Apache-2.0
// The completion for bash, in a real bash, as it calls it while somebody types.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/ir/storage/file.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

// What bash proposes for the last of `words`, with a blank after each.
std::string Proposed(const std::string& script,
                     const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) {
    quoted.push_back(absl::StrCat("'", word, "'"));
  }
  const std::string program = Temp("complete.bash");
  EXPECT_TRUE(
      WriteFile(program, absl::StrCat("source '", script, "'\n", "COMP_WORDS=(",
                                      absl::StrJoin(quoted, " "), ")\n",
                                      "COMP_CWORD=", words.size() - 1,
                                      "\n_indim\necho \"${COMPREPLY[@]}\"\n"))
          .ok());
  const Outcome run =
      Shell(absl::StrCat("cd ", Temp("files"), " && bash -u ", program));
  EXPECT_EQ(run.err, "");
  return std::string(absl::StripTrailingAsciiWhitespace(run.out));
}

std::string Script() {
  const Outcome run = Indim("completion bash");
  EXPECT_EQ(run.exit, 0) << run.err;
  const std::string path = Temp("indim.bash");
  EXPECT_TRUE(WriteFile(path, run.out).ok());
  EXPECT_EQ(Shell(absl::StrCat("rm -rf ", Temp("files"), "; mkdir -p ",
                               Temp("files/models"), "; cd ", Temp("files"),
                               "; : >m.hlo; : >'m 2.hlo'; : >other.pb"))
                .exit,
            0);
  return path;
}

TEST(BashCompletion, ProposesWhatMayStandThere) {
  struct Row {
    std::vector<std::string> words;
    const char* proposed;
  };
  const std::string script = Script();
  for (const Row& row : std::vector<Row>{
           {{"indim", "ch"}, "check"},
           {{"indim", "co"}, "convert cost completion"},
           {{"indim", "--"}, "--help --version"},
           {{"indim", "zz"}, ""},
           {{"indim", "help", "ev"}, "eval"},
           {{"indim", "completion", ""}, "bash zsh"},
           // Flags: those of the command, with = where a value must follow.
           {{"indim", "check", "--f"}, "--format= --from= --facts="},
           {{"indim", "check", "--dr"}, ""},
           {{"indim", "infer", "--dr"}, "--drop"},
           {{"indim", "query", "--"}, "--quiet --help"},
           {{"indim", "man", "--"}, "--help"},
           {{"indim", "print", "--no"},
            "--noids --nometadata --nolayouts "
            "--noallow-elided-constants"},
           {{"indim", "explain", "--va"}, "--values"},
           // Values; bash has = as a word of its own.
           {{"indim", "check", "--format", "="},
            "text json sarif github junit"},
           {{"indim", "check", "--format", "=", "s"}, "sarif"},
           {{"indim", "check", "--format=s"}, "--format=sarif"},
           {{"indim", "check", "--format", "g"}, "github"},
           {{"indim", "convert", "m.hlo", "--to", "=", "pb"}, "pb pbtxt"},
           {{"indim", "explain", "--rule", "=", "bi"}, "bidirectional"},
           {{"indim", "check", "--disable", "=", "type-c"}, "type-class-odd"},
           {{"indim", "check", "--disable", "=", "IND0007,type-c"},
            "IND0007,type-class-odd"},
           {{"indim", "infer", "m.hlo", "--set", "m"}, ""},
           // Files.
           {{"indim", "check", "m"}, "m 2.hlo m.hlo models"},
           {{"indim", "check", "--quiet", "oth"}, "other.pb"},
           {{"indim", "infer", "m.hlo", "-o", "oth"}, "other.pb"},
           {{"indim", "infer", "m.hlo", "--output", "=", "oth"}, "other.pb"},
           {{"indim", "explain", "m.h"}, "m.hlo"},
           {{"indim", "man", "m"}, ""},
           // Operations and codes.
           {{"indim", "explain", "dot"}, "dot"},
           {{"indim", "explain", "ranks-d"}, "ranks-differ"}}) {
    std::vector<std::string> found =
        absl::StrSplit(Proposed(script, row.words), ' ');
    std::vector<std::string> expected = absl::StrSplit(row.proposed, ' ');
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(absl::StrJoin(found, " "), absl::StrJoin(expected, " "))
        << absl::StrJoin(row.words, " ");
  }
}

TEST(BashCompletion, IsRegistered) {
  const std::string script = Script();
  const Outcome run =
      Shell(absl::StrCat("bash -c 'source ", script, " && complete -p indim'"));
  EXPECT_EQ(run.out, "complete -F _indim indim\n");
  EXPECT_EQ(run.err, "");
}

TEST(Completion, OfAShellThatIsNone) {
  const Outcome run = Indim("completion fish");
  EXPECT_EQ(run.exit, 2);
  EXPECT_EQ(run.err, "indim: fish: expected bash or zsh\n");
  EXPECT_TRUE(
      absl::StrContains(Indim("completion bsh").err, "did you mean bash?"));
}

}  // namespace
}  // namespace indim
