// SPDX-License-Identifier: Apache-2.0
// Meshes and shardings of Shardy come back from HLO, where they are text in
// frontend attributes.

#include "indim/stablehlo/export/shardy.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/io/read.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kText =
    R"(module @m {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<f32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<f32>) {
    %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"y"}]> : tensor<8x16xf32>
    return %1, %arg1 : tensor<8x16xf32>, tensor<f32>
  }
}
)";

// `text` comes back from a module, in text and in artifacts. Of releases from
// 1.11.0 on these have `newer`, of older ones `older`, where they aren't empty.
void ExpectComesBack(absl::string_view text, absl::string_view newer,
                     absl::string_view older) {
  const absl::StatusOr<Module> module = ReadStablehlo(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::string> written = WriteStablehlo(*module);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(*written, text);
  StablehloWriteOptions options;
  options.form = StablehloForm::kArtifact;
  for (const bool is_newer : {false, true}) {
    options.release = is_newer ? "1.11.0" : "1.10.0";
    const absl::StatusOr<std::string> artifact =
        WriteStablehlo(*module, options);
    ASSERT_TRUE(artifact.ok()) << artifact.status();
    if (!newer.empty()) {
      EXPECT_EQ(absl::StrContains(*artifact, newer), is_newer);
    }
    if (!older.empty()) {
      EXPECT_EQ(absl::StrContains(*artifact, older), !is_newer);
    }
    const absl::StatusOr<Module> back = ReadStablehlo(*artifact);
    ASSERT_TRUE(back.ok()) << back.status();
    const absl::StatusOr<std::string> again = WriteStablehlo(*back);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, text);
  }
}

TEST(ShardyTest, TextsComeBack) {
  ExpectComesBack(kText, "sharding_constraint", "");
}

TEST(ShardyTest, TokensHaveShardings) {
  ExpectComesBack(
      R"(module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (!stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    return %arg0 : !stablehlo.token
  }
}
)",
      "", "FuncResultSharding");
}

// A rule names no mesh.
constexpr absl::string_view kRules =
    R"(module @m {
  func.func @main(%arg0: tensor<8x2xf32>) -> (tensor<2x8xf32>, tensor<8xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] {mhlo.frontend_attributes = {a = "b"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=2}>} : (tensor<8x2xf32>) -> tensor<2x8xf32>
    %1:2 = stablehlo.custom_call @f(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [j]) {i=2, j=8}, custom>} : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<8xf32>)
    return %1#0, %1#1 : tensor<2x8xf32>, tensor<8xf32>
  }
}
)";

TEST(ShardyTest, RulesComeBack) {
  ExpectComesBack(kRules, "", "xla.sdy.sharding_rule");
  const absl::StatusOr<Module> module = ReadStablehlo(kRules);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(
      PrintHloText(*module),
      HasSubstr("frontend_attributes={a=\"b\",xla.sdy.sharding_rule=\"#sdy."
                "op_sharding_rule<([i, j])->([j, i]) {i=8, j=2}>\"}"));
}

// A rule for other values stays a frontend attribute, and that of a parameter
// or the module.
TEST(ShardyTest, RulesThatDontFitStay) {
  const std::string rule =
      "frontend_attributes={xla.sdy.sharding_rule=\"#sdy.op_sharding_rule<([i],"
      " [i])->([i]) {i=4}>\"}";
  const std::string hlo = absl::StrCat(
      "HloModule m, ", rule, "\nENTRY e {\n  x = f32[2] parameter(0), ", rule,
      "\n  ROOT y = f32[2] negate(x), ", rule, "\n}\n");
  const absl::StatusOr<Module> module = ReadModuleText(hlo);
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::string> written = WriteStablehlo(*module);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_FALSE(absl::StrContains(*written, "{sdy.sharding_rule")) << *written;
  const absl::StatusOr<Module> back = ReadStablehlo(*written);
  ASSERT_TRUE(back.ok()) << back.status() << *written;
  EXPECT_EQ(absl::StrReplaceAll(PrintHloText(*back), {{rule, ""}}).size() +
                3 * rule.size(),
            PrintHloText(*back).size());
}

constexpr absl::string_view kManual =
    R"(module @m {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16xf32>) -> tensor<8x16xf32> {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<4x16xf32>, %arg3: tensor<16xf32>) {
      %3 = stablehlo.negate %arg2 : tensor<4x16xf32>
      %4 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} () {
        %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
        sdy.return %cst : tensor<4xf32>
      } : () -> tensor<16xf32>
      sdy.return %3, %arg3 : tensor<4x16xf32>, tensor<16xf32>
    } : (tensor<8x16xf32>, tensor<16xf32>) -> (tensor<8x16xf32>, tensor<32xf32>)
    %1 = sdy.manual_computation(%0#0) in_shardings=[<@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"y"} (%arg2: tensor<2x16xf32>) {
      sdy.return %arg2 : tensor<2x16xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = stablehlo.add %1, %0#0 : tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}
)";

// In HLO they are custom calls around a call.
TEST(ShardyTest, ManualComputationsComeBack) {
  ExpectComesBack(kManual, "", "LocalToGlobalShape");
}

// What the operation can't keep stays custom calls.
TEST(ShardyTest, OtherCallsStayCalls) {
  const std::string hlo =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}
body {
  p = f32[2] parameter(0)
  ROOT n = f32[2] negate(p)
}
ENTRY e {
  x = f32[4] parameter(0)
  in = f32[2] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"}
  mid = f32[2] call(in), to_apply=body, frontend_attributes={inlineable="false"}
  out = f32[4] custom-call(mid), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>"}
  ROOT y = (f32[4], f32[4]) tuple(out, x)
})";
  const struct {
    std::string from, to;
  } kCases[] = {
      {"", ""},
      {"out, x)",
       "out, z)\n  z = f32[4] concatenate(mid, mid), dimensions={0}"},
      {"out, x)", "out, z)\n  z = f32[4] concatenate(in, in), dimensions={0}"},
      {"mid), custom", "in), custom"},
      {"inlineable=\"false\"", "a=\"b\""},
      {"inlineable=\"false\"}", "inlineable=\"false\"}, sharding={replicated}"},
      {"manual_axes=\"#sdy<manual_axes{\\\"x\\\"}>\",",
       "manual_axes=\"#sdy<manual_axes{}>\","},
      {"per_value<[<@mesh, [{\\\"x\\\"}]>]>\"}",
       "per_value<[<@other, [{\\\"x\\\"}]>]>\"}"},
      {"per_value<[<@mesh, [{\\\"x\\\"}]>]>\"}", "per_value<[]>\"}"},
      {"LocalToGlobalShape", "GlobalToLocalShape"},
  };
  for (const auto& c : kCases) {
    std::string text = hlo;
    if (!c.from.empty()) {
      const size_t at = text.find(c.from);
      ASSERT_NE(at, text.npos) << c.from;
      text.replace(at, c.from.size(), c.to);
    }
    // The text may use what stands below.
    const size_t root = text.find("  ROOT y");
    const size_t below = text.find('\n', root);
    text = absl::StrCat(text.substr(0, root),
                        text.substr(below + 1, text.size() - below - 2),
                        text.substr(root, below - root), "\n}");
    const absl::StatusOr<Module> module = ReadModuleText(text);
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<std::string> written = WriteStablehlo(*module);
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_EQ(absl::StrContains(*written, "sdy.manual_computation"),
              c.from.empty())
        << text << *written;
    EXPECT_TRUE(ReadStablehlo(*written).ok()) << *written;
  }
}

// What isn't Shardy's stays as text.
TEST(ShardyTest, OthersStayFrontendAttributes) {
  const std::string hlo =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={MESHES}}
ENTRY e {
  x = f32[4] parameter(0), frontend_attributes={xla.sdy.sharding="ARGUMENT"}
  ROOT y = f32[4] negate(x)
})";
  const std::string mesh = "mesh = #sdy.mesh<[\"x\"=2]>";
  const struct {
    std::string meshes;
    std::string argument;
    bool is_shardy;
  } kCases[] = {
      {mesh, "#sdy.sharding<@mesh, [{\\\"x\\\"}]>", true},
      {mesh, "#sdy.sharding<@other, [{\\\"x\\\"}]>", false},
      {mesh, "#sdy.sharding_per_value<[<@mesh, [{\\\"x\\\"}]>]>", false},
      {mesh, "#sdy.sharding<@mesh, [", false},
      {mesh, "no attribute", false},
      {"mesh = 1", "#sdy.sharding<@mesh, [{\\\"x\\\"}]>", false},
      {"main = #sdy.mesh<[\"x\"=2]>", "#sdy.sharding<@main, [{\\\"x\\\"}]>",
       false},
  };
  for (const auto& c : kCases) {
    const std::string text = absl::StrReplaceAll(
        hlo, {{"MESHES", c.meshes}, {"ARGUMENT", c.argument}});
    const absl::StatusOr<Module> module = ReadModuleText(text);
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<std::string> written = WriteStablehlo(*module);
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_THAT(*written,
                c.is_shardy
                    ? HasSubstr("{sdy.sharding = #sdy.sharding<@mesh, [")
                    : HasSubstr("mhlo.frontend_attributes = {xla.sdy.sharding"))
        << text;
    EXPECT_EQ(absl::StrContains(*written, "{sdy.sharding"), c.is_shardy);
  }
}

// A sharding that isn't one for each result stays a frontend attribute, which
// MLIR doesn't verify.
TEST(ShardyTest, ShardingsOfOtherCountsStay) {
  const absl::StatusOr<Module> module = ReadModuleText(
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={m = #sdy.mesh<["a"=2]>}}
ENTRY e {
  x = f32[2] parameter(0)
  ROOT y = f32[2] negate(x), frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}]>]>",z="1"}
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::string> text = WriteStablehlo(*module);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("{mhlo.frontend_attributes = {xla.sdy.sharding "
                               "= \"#sdy.sharding_per_value<[<@m, [{}]>, <@m, "
                               "[{}]>]>\", z = \"1\"}}"));
  EXPECT_TRUE(ReadStablehlo(*text).ok()) << *text;
}

}  // namespace
}  // namespace indim
