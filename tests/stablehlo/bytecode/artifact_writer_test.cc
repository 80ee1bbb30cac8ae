// SPDX-License-Identifier: Apache-2.0
// What artifacts for older releases hold, and what they can't.

#include "indim/stablehlo/bytecode/artifact_writer.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/stablehlo/bytecode/artifact_reader.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/tests/stablehlo/bytecode/ir_dump.h"

namespace indim::mlir {
namespace {

// A function of these operations on %x : tensor<4xf32> and %t, a token.
std::string Program(absl::string_view body) {
  return absl::StrCat(
      "module @m {\n  func.func @main(%x: tensor<4xf32>, %t: "
      "!stablehlo.token) {\n",
      body, "\n    return\n  }\n  func.func private @f()\n}\n");
}

Ir Parse(absl::string_view text) {
  absl::StatusOr<Ir> ir = ParseMlirText(text);
  EXPECT_TRUE(ir.ok()) << ir.status() << "\n" << text;
  return ir.ok() ? *std::move(ir) : Ir();
}

// What is read of an artifact of the text; or what is wrong.
std::string Written(absl::string_view text, Version target) {
  Ir ir = Parse(text);
  const absl::StatusOr<std::string> artifact = WriteArtifact(&ir, {target});
  if (!artifact.ok()) return std::string(artifact.status().message());
  const absl::StatusOr<Ir> back = ReadArtifact(*artifact);
  return back.ok() ? DumpIr(*back, true)
                   : absl::StrCat("READ ", back.status().message());
}

struct Case {
  const char* body;
  // What it is in an artifact for 1.0.0; null: the same.
  const char* old;
};

// Operations that older releases have in another form.
TEST(ArtifactWriterTest, WritesOlderForms) {
  for (const Case& c : {
           Case{"%0 = stablehlo.exponential %x : tensor<4xf32>", nullptr},
           Case{"%0 = \"stablehlo.exponential\"(%x) <{result_accuracy = "
                "#stablehlo.result_accuracy<mode = "
                "#stablehlo.result_accuracy_mode<DEFAULT>>}> : "
                "(tensor<4xf32>) -> tensor<4xf32>",
                "%0 = stablehlo.exponential %x : tensor<4xf32>"},
           Case{"%0 = stablehlo.tan %x : tensor<4xf32>",
                "%0 = stablehlo.sine %x : tensor<4xf32>\n"
                "%1 = stablehlo.cosine %x : tensor<4xf32>\n"
                "%2 = stablehlo.divide %0, %1 : tensor<4xf32>"},
           Case{"%0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x "
                "[0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>",
                nullptr},
           Case{"%0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, "
                "replica_groups = dense<0> : tensor<1x1xi64>}> : "
                "(tensor<4xf32>) -> tensor<4xf32>",
                nullptr},
           Case{"%0 = stablehlo.custom_call @g(%x) : (tensor<4xf32>) -> "
                "tensor<4xf32>",
                nullptr},
           Case{"%0 = stablehlo.custom_call @g(%x) {result_tilings = []} : "
                "(tensor<4xf32>) -> tensor<4xf32>",
                "%0 = stablehlo.custom_call @g(%x) : (tensor<4xf32>) -> "
                "tensor<4xf32>"},
           Case{"%0 = \"stablehlo.send\"(%x, %t) <{channel_handle = "
                "#stablehlo.channel_handle<handle = 1, type = 2>}> : "
                "(tensor<4xf32>, !stablehlo.token) -> !stablehlo.token",
                nullptr},
           Case{"stablehlo.composite \"c\" %x {decomposition = @f} : "
                "(tensor<4xf32>) -> ()",
                nullptr},
       }) {
    const std::string now = Program(c.body);
    const std::string old = Program(c.old == nullptr ? c.body : c.old);
    // What reading back makes of the current form, in which nothing is lost.
    EXPECT_EQ(Written(now, {1, 0, 0}), Written(old, kNewestRelease)) << now;
    EXPECT_EQ(Written(now, {1, 8, 0}).find("needs"), std::string::npos) << now;
  }
}

struct Refusal {
  const char* body;
  Version target;
  const char* message;
};

TEST(ArtifactWriterTest, RefusesWhatTheReleaseLacks) {
  for (const Refusal& c : {
           Refusal{"%0 = \"stablehlo.exponential\"(%x) <{result_accuracy = "
                   "#stablehlo.result_accuracy<mode = "
                   "#stablehlo.result_accuracy_mode<HIGHEST>>}> : "
                   "(tensor<4xf32>) -> tensor<4xf32>",
                   {1, 8, 0},
                   "the attribute result_accuracy of stablehlo.exponential "
                   "needs StableHLO 1.9.0; the artifact is for 1.8.0"},
           Refusal{"%0 = stablehlo.constant dense<1.0> : tensor<f8E4M3>",
                   {1, 6, 0},
                   "stablehlo.constant: the type f8E4M3 needs StableHLO 1.7.0; "
                   "the artifact is for 1.6.0"},
           Refusal{"%0:2 = \"stablehlo.all_gather\"(%x, %x) <{all_gather_dim = "
                   "0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : "
                   "(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, "
                   "tensor<4xf32>)",
                   {1, 4, 0},
                   "stablehlo.all_gather with several operands needs StableHLO "
                   "1.5.0; the artifact is for 1.4.0"},
           Refusal{"%0 = stablehlo.custom_call @g(%x) {api_version = 4 : i32, "
                   "backend_config = {a = 1 : i32}} : (tensor<4xf32>) -> "
                   "tensor<4xf32>",
                   {1, 2, 0},
                   "stablehlo.custom_call with a dictionary as backend_config "
                   "needs "
                   "StableHLO 1.3.0; the artifact is for 1.2.0"},
           Refusal{"%0 = stablehlo.custom_call @g(%x) {result_tilings = "
                   "[[dense<2> : tensor<1xindex>]]} : (tensor<4xf32>) -> "
                   "tensor<4xf32>",
                   {1, 17, 0},
                   "the attribute result_tilings of stablehlo.custom_call "
                   "needs StableHLO 1.18.0; the artifact is for 1.17.0"},
           Refusal{"%0 = stablehlo.compare LT, %x, %x, WEAKORDER : "
                   "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
                   {1, 21, 0},
                   "this value of the attribute compare_type of "
                   "stablehlo.compare needs StableHLO 1.22.0; the artifact is "
                   "for 1.21.0"},
           Refusal{"%0 = stablehlo.negate %x {a = #stablehlo<comparison_type "
                   "WEAKORDER>} : tensor<4xf32>",
                   {1, 21, 0},
                   "stablehlo.negate: this #stablehlo.comparison_type needs "
                   "StableHLO 1.22.0; the artifact is for 1.21.0"},
           Refusal{"%0 = stablehlo.dot_general %x, %x, contracting_dims = [0] "
                   "x [0], algorithm = <lhs_precision_type = f8E4M3FN, "
                   "rhs_precision_type = f8E4M3FN, accumulation_type = f32, "
                   "lhs_component_count = 1, rhs_component_count = 1, "
                   "num_primitive_operations = 3, "
                   "allow_imprecise_accumulation = false> : "
                   "(tensor<4xf32>, tensor<4xf32>) -> tensor<f32>",
                   {1, 20, 0},
                   "this value of the attribute algorithm of "
                   "stablehlo.dot_general needs StableHLO 1.21.0; the artifact "
                   "is for 1.20.0"},
           Refusal{"%0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>",
                   {1, 17, 0},
                   "no portable artifact can hold chlo.erf; a composite can "
                   "stand for it"},
       }) {
    EXPECT_EQ(Written(Program(c.body), c.target), c.message);
  }
}

TEST(ArtifactWriterTest, WritesForReleasesFrom1To1_22) {
  Ir ir = Parse(Program(""));
  for (const Version target :
       {Version{0, 9, 0}, Version{0, 20, 0}, Version{1, 23, 0}}) {
    EXPECT_EQ(
        WriteArtifact(&ir, {target}).status().message(),
        absl::StrCat("artifacts are written for StableHLO 1.0.0 to 1.22.0, "
                     "not for ",
                     ToString(target)));
  }
  const std::string artifact = *WriteArtifact(&ir);
  EXPECT_EQ(*ReleaseOfArtifact(artifact), kDefaultTarget);
  EXPECT_TRUE(IsBytecode(artifact));
  EXPECT_EQ(artifact, *WriteArtifact(&ir));
}

// Values pass between VHLO's operations and those of Shardy.
TEST(ArtifactWriterTest, ConvertsBetweenDialects) {
  const std::string text = R"(module @m {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<4xf32> {
    %0 = sdy.sharding_constraint %x <@mesh, [{"a", ?}p1]> : tensor<4xf32>
    %1 = stablehlo.add %0, %x : tensor<4xf32>
    %2 = sdy.manual_computation(%1, %0) in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<2xf32>, %z: tensor<2xf32>) {
      %3 = stablehlo.multiply %y, %z : tensor<2xf32>
      sdy.return %3 : tensor<2xf32>
    } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
})";
  Ir ir = Parse(text);
  EXPECT_EQ(Written(text, {1, 11, 0}), DumpIr(ir, true));
  EXPECT_EQ(Written(text, {1, 0, 0}), DumpIr(ir, true));
  EXPECT_EQ(
      WriteArtifact(&ir, {kDefaultTarget, /*mixed=*/false}).status().message(),
      "sdy.mesh belongs to another dialect, and the options allow only "
      "StableHLO's");
}

}  // namespace
}  // namespace indim::mlir
