// SPDX-License-Identifier: Apache-2.0
// What MLIR takes of a program though it means nothing is said.

#include "indim/stablehlo/import/means_nothing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module.h"
#include "indim/ir/program_warnings.h"
#include "indim/stablehlo/read.h"

namespace indim {
namespace {

using ::testing::ElementsAreArray;

std::vector<std::string> WarningsOfText(const std::string& text) {
  const absl::StatusOr<Module> module = ReadStablehlo(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  std::vector<std::string> texts;
  if (!module.ok()) return texts;
  for (const ModuleDiagnostic& warning : WarningsOfProgram(*module)) {
    EXPECT_EQ(warning.diagnostic.code, Code::kMeansNothing);
    texts.push_back(std::get<std::string>(warning.diagnostic.args[0]));
  }
  return texts;
}

struct ShardingCase {
  std::string module_attribute, argument, result, operation;
  std::vector<std::string> warnings;
};

TEST(MeansNothingTest, MemoryKindsThatAreNone) {
  EXPECT_THAT(
      WarningsOfText(R"(
func.func @main(%a: tensor<2xf32> {mhlo.memory_kind = 5 : i64}) -> (tensor<2xf32> {mhlo.memory_kind = "device"}) {
  return %a : tensor<2xf32>
})"),
      ElementsAreArray({"line 2: mhlo.memory_kind 5 : i64 isn't a string"}));
}

TEST(MeansNothingTest, ShardingsThatAreNone) {
  const auto sharding = [](absl::string_view value) {
    return absl::StrCat(" {mhlo.sharding = ", value, "}");
  };
  const std::string right = sharding("\"{devices=[2,1]<=[2]}\"");
  const std::string bytes =
      sharding("\"\\08\\03\\1A\\02\\02\\01\\22\\02\\00\\01\"");
  const std::string wrong = sharding("\"nonsense\"");
  const std::string said = "mhlo.sharding \"nonsense\" isn't a sharding";
  for (const ShardingCase& c : {
           ShardingCase{"", right, right, right, {}},
           ShardingCase{"", bytes, sharding("\"\""), "", {}},
           ShardingCase{"", wrong, "", "", {"line 2: " + said}},
           ShardingCase{"", "", wrong, "", {"line 2: " + said}},
           ShardingCase{"", "", "", wrong, {"line 3: " + said}},
           ShardingCase{
               "", wrong, wrong, wrong, {"line 2: " + said + " (3 times)"}},
           ShardingCase{
               "",
               "",
               "",
               sharding("\"{replicate}\""),
               {"line 3: mhlo.sharding \"{replicate}\" isn't a sharding"}},
           ShardingCase{"",
                        sharding("3 : i64"),
                        "",
                        "",
                        {"line 2: mhlo.sharding 3 : i64 isn't a sharding"}},
           ShardingCase{"mhlo.spmd_output_sharding = \"nonsense\"",
                        "",
                        "",
                        "",
                        {"line 1: " + said}},
           ShardingCase{"mhlo.spmd_parameters_shardings = [\"{replicated}\", "
                        "\"nonsense\"]",
                        "",
                        "",
                        "",
                        {"line 1: " + said}},
       }) {
    const std::string text = absl::StrCat(
        "module attributes {", c.module_attribute,
        "} {\nfunc.func @main(%x: tensor<4x2xf32>", c.argument,
        ") -> (tensor<4x2xf32>", c.result, ") {\n  %0 = stablehlo.add %x, %x",
        c.operation, " : tensor<4x2xf32>\n  return %0 : tensor<4x2xf32>\n}\n}");
    EXPECT_THAT(WarningsOfText(text), ElementsAreArray(c.warnings)) << text;
  }
}

// MLIR's verifier doesn't ask for them.
TEST(MeansNothingTest, CalledComputationsThatArent) {
  const auto said = [](absl::string_view name) {
    return absl::StrCat("line 2: called_computations of a custom call name @",
                        name, ", which is no function with a body");
  };
  for (const auto& [names, warnings] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"@there", {}},
           {"@missing", {said("missing")}},
           {"@declared", {said("declared")}},
           {"@there, @missing, @declared",
            {said("missing"), said("declared")}}}) {
    EXPECT_THAT(
        WarningsOfText(absl::StrCat(
            "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = "
            "\"stablehlo.custom_call\"(%x) {call_target_name = \"f\", "
            "called_computations = [",
            names,
            "]} : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n"
            "func.func private @there(%x: tensor<f32>) -> tensor<f32> {\n  "
            "return %x : tensor<f32>\n}\n"
            "func.func private @declared(tensor<f32>) -> tensor<f32>\n")),
        ElementsAreArray(warnings))
        << names;
  }
}

}  // namespace
}  // namespace indim
