// SPDX-License-Identifier: Apache-2.0
// `indim explain` as its arguments, in this process.

#include "indim/tools/explain_command.h"

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "indim/ir/storage/file.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tools/explain/explain.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ExplainCommand, FlagsCountForOneCall) {
  EXPECT_THAT(RunExplainInProcess({"(2,1) + (1,3)", "--rule=all"}).out,
              HasSubstr("  bidirectional "));
  EXPECT_THAT(RunExplainInProcess({"--json", "(2,1) + (1,3)"}).out,
              StartsWith("{\"operation\":"));
  EXPECT_THAT(RunExplainInProcess({"(2,1) + (1,3)"}).out,
              StartsWith("add([2,1], [1,3]), rule numpy\n"));
}

TEST(ExplainCommand, ExitStatus) {
  EXPECT_EQ(RunExplainInProcess({"(2,1) + (1,3)"}).exit, 0);
  EXPECT_EQ(RunExplainInProcess({"(2,) + (3,)"}).exit, 1);
  const ExplainRun wrong = RunExplainInProcess({"(2,1 + (1,3)"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_NE(wrong.error, "");
  EXPECT_EQ(wrong.out, "");
  EXPECT_THAT(RunExplainInProcess({"add", "--rul=x"}).error,
              HasSubstr("did you mean --rule?"));
  EXPECT_THAT(RunExplainInProcess({"(1,) + (1,)", "--mode=mild"}).error,
              HasSubstr("expected lenient, strict or mlir"));
  EXPECT_THAT(RunExplainInProcess({}).error, HasSubstr("usage"));
}

TEST(ExplainCommand, ModeDecides) {
  const char* const question = "tensor<?xf32> + tensor<?xf32> -> tensor<4xf32>";
  EXPECT_EQ(RunExplainInProcess({question}).exit, 0);
  EXPECT_EQ(RunExplainInProcess({question, "--mode=strict"}).exit, 1);
}

TEST(ExplainCommand, ValuesAndPictures) {
  EXPECT_THAT(RunExplainInProcess({"(2,1) + (1,3)", "--values"}).out,
              HasSubstr("|1 1 1| + |3 4 5| = |4 5 6|\n"));
  EXPECT_THAT(RunExplainInProcess({"(2,1) + (1,3)", "--svg"}).out,
              StartsWith("<svg "));
  EXPECT_THAT(
      RunExplainInProcess({"(2,1) + (1,3)", "--svg", "--rule=all"}).error,
      HasSubstr("--svg draws one rule's answer"));
  EXPECT_THAT(RunExplainInProcess({"(2,1) . (1,3)", "--svg"}).error,
              HasSubstr("not dot"));
}

TEST(ExplainCommand, WordsThatAreNone) {
  EXPECT_THAT(RunExplainInProcess({"degenrate"}).error,
              HasSubstr("did you mean degenerate?"));
  EXPECT_THAT(RunExplainInProcess({"ad"}).error,
              HasSubstr("did you mean add?"));
  EXPECT_THAT(RunExplainInProcess({"zzzzzzzz"}).error,
              HasSubstr("words are InDim, degenerate"));
}

TEST(ExplainCommand, InstructionsOfFiles) {
  const std::string path = ::testing::TempDir() + "/explained.hlo";
  ASSERT_TRUE(WriteFile(path,
                        "HloModule m\nENTRY e {\n  x = f32[2,3] "
                        "parameter(0)\n  ROOT y = f32[3,2] "
                        "transpose(x), dimensions={1,0}\n}\n")
                  .ok());
  const ExplainRun run = RunExplainInProcess({path + ":%y"});
  EXPECT_EQ(run.exit, 0) << run.error;
  EXPECT_THAT(run.out, StartsWith("%y = f32[3,2] transpose(%x), "
                                  "dimensions={1,0}   explained.hlo:4:3\n"));
  EXPECT_EQ(RunExplainInProcess({path + ":e/y"}).exit, 0);
  EXPECT_EQ(RunExplainInProcess({path + ":z"}).exit, 2);
  EXPECT_THAT(RunExplainInProcess({path}).error,
              HasSubstr("name an instruction behind ':'; there are %x, %y"));
  EXPECT_THAT(RunExplainInProcess({"/nonexistent.pb:%y"}).error,
              HasSubstr("can't open /nonexistent.pb"));
}

// Every answer is one object a line with --json, also one that isn't an answer.
TEST(ExplainCommand, JsonEverywhere) {
  const std::string path = ::testing::TempDir() + "/json.hlo";
  ASSERT_TRUE(WriteFile(path, "ENTRY e { ROOT x = f32[2] parameter(0) }").ok());
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{
           {"f32[2,3] + f32[3] {1}"},
           {"f32[2,3] + f32[3]"},
           {"f32[2,3] + f32[3]", "--rule=all"},
           {"tensor<?xf32> + tensor<?xf32> -> tensor<4xf32>"},
           {"f32[*] + f32[2]"},
           {"f32[2,3] + f32[3] {1}", "--values"},
           {"f32[2,3] + f32[3] {1}", "--values={1}"},
           {"f32[8,784] . f32[784,10]"},
           {path + ":x"},
           {path + ":y"},
           {"codes"},
           {"words"},
           {"ops"},
           {"IND0007"},
           {"InDim"},
           {"dot"},
           {"no such thing"},
           {"f32[2] + "}}) {
    std::vector<std::string> with_json = arguments;
    with_json.push_back("--json");
    const ExplainRun run = RunExplainInProcess(with_json);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.exit, RunExplainInProcess(arguments).exit);
    ASSERT_NE(run.out, "") << arguments[0];
    for (absl::string_view line :
         absl::StrSplit(run.out, '\n', absl::SkipEmpty())) {
      google::protobuf::Struct object;
      EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(std::string(line),
                                                              &object)
                      .ok())
          << line;
    }
  }
}

}  // namespace
}  // namespace indim
