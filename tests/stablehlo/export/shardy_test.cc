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

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(ShardyTest, TextsComeBack) {
  const absl::StatusOr<Module> module = ReadStablehlo(kText);
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::string> text = WriteStablehlo(*module);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, kText);
  // Artifacts too, for releases that take other dialects.
  StablehloWriteOptions options;
  options.form = StablehloForm::kArtifact;
  for (const bool newer : {false, true}) {
    options.release = newer ? "1.11.0" : "1.10.0";
    const absl::StatusOr<std::string> artifact =
        WriteStablehlo(*module, options);
    ASSERT_TRUE(artifact.ok()) << artifact.status();
    EXPECT_EQ(absl::StrContains(*artifact, "sharding_constraint"), newer);
    const absl::StatusOr<Module> back = ReadStablehlo(*artifact);
    ASSERT_TRUE(back.ok()) << back.status();
    const absl::StatusOr<std::string> again = WriteStablehlo(*back);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, kText);
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
    if (!c.is_shardy) EXPECT_THAT(*written, Not(HasSubstr("{sdy.sharding")));
  }
}

}  // namespace
}  // namespace indim
