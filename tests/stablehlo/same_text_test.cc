// SPDX-License-Identifier: Apache-2.0
// Texts of StableHLO that come back from the graph as they are, and what the
// graph is in HLO: what XLA's conversion (jaxlib 0.10.2) gives.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

struct Same {
  absl::string_view name;
  absl::string_view text;
  // Parts of the HLO text, in order.
  std::vector<absl::string_view> hlo = {};
};

void ExpectParts(absl::string_view text,
                 const std::vector<absl::string_view>& parts) {
  size_t at = 0;
  for (const absl::string_view part : parts) {
    const size_t found = text.find(part, at);
    ASSERT_NE(found, text.npos) << part << "\nisn't, in this order, in\n"
                                << text;
    at = found + part.size();
  }
}

// Reads `text`, which is good, and says nothing of what it leaves out.
Module Read(absl::string_view text) {
  std::vector<std::string> left_out;
  StablehloReadOptions options;
  options.left_out = &left_out;
  absl::StatusOr<Module> module = ReadStablehlo(text, options);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return Module();
  EXPECT_EQ(left_out, std::vector<std::string>()) << text;
  EXPECT_TRUE(VerifyModule(*module).ok()) << text;
  EXPECT_EQ(LostAsStablehlo(*module), std::vector<std::string>()) << text;
  return *std::move(module);
}

void ExpectSame(const Same& c) {
  SCOPED_TRACE(c.name);
  const Module module = Read(c.text);
  const absl::StatusOr<std::string> written = WriteStablehlo(module);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(*written, std::string(c.text));
  ExpectParts(PrintHloText(module), c.hlo);
  // And through an artifact.
  StablehloWriteOptions options;
  options.form = StablehloForm::kArtifact;
  options.release = "1.17.0";
  const absl::StatusOr<std::string> artifact = WriteStablehlo(module, options);
  if (!artifact.ok()) {  // of CHLO's operations
    EXPECT_TRUE(absl::StrContains(artifact.status().message(), "IND1280"))
        << artifact.status();
    return;
  }
  const absl::StatusOr<Module> back = ReadStablehlo(*artifact);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(WriteStablehlo(*back).value_or(""), std::string(c.text));
}

// XLA's conversion to HLO drops them; PJRT's clients read them of StableHLO.
TEST(SameTextTest, MemoryKinds) {
  constexpr absl::string_view kTexts[] = {
      R"(module @several {
  func.func @main(%arg0: tensor<4xf32> {mhlo.memory_kind = "device"}, %arg1: tensor<4xf32>, %arg2: tensor<f32> {mhlo.memory_kind = "pinned_host", mhlo.sharding = "{replicated}"}) -> (tensor<4xf32>, tensor<f32> {mhlo.memory_kind = "unpinned_host"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    return %0, %arg2 : tensor<4xf32>, tensor<f32>
  }
}
)",
      R"(module @one {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
)",
      R"(module @argument_is_result {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {mhlo.memory_kind = "a\22b"}) {
    return %arg0 : tensor<4xf32>
  }
}
)"};
  for (const absl::string_view text : kTexts) ExpectSame({"", text});
}

TEST(SameTextTest, ShardingsOfResults) {
  const Same kCases[] = {
      {"the result has another sharding than the operation",
       R"(module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%arg0: tensor<16x8xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<16x8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}) {
    %0 = stablehlo.add %arg0, %arg0 {mhlo.sharding = "{devices=[8,1]<=[8]}"} : tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  }
}
)",
       {"tuple(", "sharding={{devices=[8,1]<=[8]}}", "ROOT ",
        "get-tuple-element(", "index=0, sharding={devices=[2,4]<=[8]}"}},
      {"an argument is returned",
       R"(module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%arg0: tensor<16x8xf32>) -> (tensor<16x8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}) {
    return %arg0 : tensor<16x8xf32>
  }
}
)",
       {"parameter(0)\n", "ROOT ", "sharding={devices=[2,4]<=[8]}"}},
      {"each of several results",
       R"(module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%arg0: tensor<16x8xf32>) -> (tensor<16x8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}, tensor<16x8xf32> {mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.negate %arg0 : tensor<16x8xf32>
    return %0, %arg0 : tensor<16x8xf32>, tensor<16x8xf32>
  }
}
)",
       {"ROOT ", "tuple(", "sharding={{devices=[2,4]<=[8]}, {replicated}}"}},
      {"a function that is called",
       R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0:2 = call @f(%arg0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %1 = call @g(%0#1) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @f(%arg0: tensor<4xf32>) -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, tensor<4xf32> {mhlo.sharding = "{maximal device=1}"}) {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    return %0, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @g(%arg0: tensor<4xf32>) -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
)"},
  };
  for (const Same& c : kCases) ExpectSame(c);
}

// A result without a sharding beside one that has it is {replicated}, as XLA
// has it.
TEST(SameTextTest, AResultWithoutShardingIsReplicated) {
  const absl::StatusOr<std::string> text = WriteStablehlo(
      Read(R"(module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}) {
    return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
  }
}
)"));
  ASSERT_TRUE(text.ok()) << text.status();
  ExpectParts(*text, {"{mhlo.sharding = \"{replicated}\"}",
                      "{mhlo.sharding = \"{devices=[8]<=[8]}\"}"});
}

TEST(SameTextTest, LoopsWithShardingsThatCapture) {
  const Same kCases[] = {
      {"of two results",
       R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.add %arg0, %arg0 {mhlo.sharding = "{maximal device=1}"} : tensor<4xf32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<4xf32> attributes {mhlo.sharding = "{{replicated}, {devices=[2]<=[2]}}"}
    cond {
      %2 = stablehlo.compare LT, %iterArg, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %3 = stablehlo.add %iterArg_0, %0 : tensor<4xf32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<4xf32>
    }
    return %1#1 : tensor<4xf32>
  }
}
)",
       {"while(",
        "sharding={{replicated}, {devices=[2]<=[2]}, {replicated}, {maximal "
        "device=1}}"}},
      {"of one result",
       R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i1>) -> tensor<4xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<4xf32> attributes {mhlo.sharding = "{devices=[2]<=[2]}"}
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %1 = stablehlo.negate %iterArg : tensor<4xf32>
      stablehlo.return %1 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}
)",
       {"while(", "sharding={{devices=[2]<=[2]}, {replicated}}"}},
      {"that captures nothing",
       R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<4xf32> attributes {mhlo.sharding = "{devices=[2]<=[2]}"}
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %2 = stablehlo.negate %iterArg : tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }
    %1 = stablehlo.negate %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
)",
       {"while(", "sharding={devices=[2]<=[2]}\n"}},
      {"by Shardy",
       R"(module @m {
  sdy.mesh @m = <["a"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}, %arg1: tensor<i32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, []>, <@m, [{"a"}]>]>}
    cond {
      %1 = stablehlo.compare LT, %iterArg, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %2 = stablehlo.add %iterArg_0, %arg0 : tensor<4xf32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }
}
)",
       {"while(", "xla.sdy.sharding="}},
  };
  for (const Same& c : kCases) ExpectSame(c);
}

// What XLA notes of a sum that no device has whole.
TEST(SameTextTest, UnreducedConstraints) {
  ExpectSame(
      {"unreduced",
       R"(module @m {
  sdy.mesh @m = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.sharding_constraint %arg0 <@m, [{"a"}, {}], unreduced={"b"}> : tensor<8x4xf32>
    %1 = sdy.sharding_constraint %0 <@m, [{"a"}, {}]> : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
)",
       {"custom_call_target=\"Sharding\", "
        "custom_call_has_side_effect=true, "
        "sharding={devices=[2,1,2]<=[4] last_tile_dims={unreduced}}",
        "custom_call_target=\"Sharding\", sharding={devices=[2,1,2]<=[4] "
        "last_tile_dim_replicate}"}});
}

// Several values are exchanged by an operation each, which has its own
// sharding.
TEST(SameTextTest, ShardingsOfAnAllToAllOfTwoValues) {
  const Module module = Read(R"(
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0:2 = "stablehlo.all_to_all"(%x, %y) <{concat_dimension = 0 : i64, split_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>, <@m, [{}, {"b"}]>]>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<4x4xf32>
})");
  ExpectParts(
      PrintHloText(module),
      {"all-to-all(%x)",
       "sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}",
       "per_value<[<@m, [{\\\"a\\\"}, {}]>]>", "all-to-all(%y)",
       "sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
       "per_value<[<@m, [{}, {\\\"b\\\"}]>]>"});
  const absl::StatusOr<std::string> written = WriteStablehlo(module);
  ASSERT_TRUE(written.ok()) << written.status();
  ExpectParts(*written, {"all_to_all", "per_value<[<@m, [{\"a\"}, {}]>]>",
                         "all_to_all", "per_value<[<@m, [{}, {\"b\"}]>]>"});
}

// XLA notes beside each of Shardy's shardings what it means without a mesh.
TEST(SameTextTest, MeaningsOfShardings) {
  const Same kCases[] = {
      {"of arguments, operations and results",
       R"(module @m {
  sdy.mesh @m = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}, {"b"}p1]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}, tensor<8x4xf32>) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a", "b"}, {}]>]>} : tensor<8x4xf32>
    %1 = sdy.sharding_constraint %0 <@m, [{}, {"a"}]> : tensor<8x4xf32>
    return %1, %0 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
)",
       {"parameter(0), sharding={devices=[2,2]<=[4]}, frontend",
        "parameter(1), sharding={replicated}, frontend",
        "sharding={devices=[4,1]<=[4]}, frontend",
        "\"Sharding\", sharding={devices=[1,2,2]<=[4] "
        "last_tile_dim_replicate}, frontend",
        "sharding={{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}, "
        "{replicated}}"}},
      {"of the only result",
       R"(module @m {
  sdy.mesh @m = <["a"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
)",
       {"custom_call_target=\"xla.sdy.FuncResultSharding\"",
        "index=0, sharding={devices=[2]<=[2]}"}},
  };
  for (const Same& c : kCases) ExpectSame(c);
}

TEST(SameTextTest, AttributesOfManualComputations) {
  ExpectSame({"frontend attributes and a sharding", R"(module @m {
  sdy.mesh @m = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"a"}, {?}]>] out_shardings=[<@m, [{"a"}, {?}]>] manual_axes={"a"} (%arg1: tensor<4x4xf32>) {
      %2 = stablehlo.negate %arg1 : tensor<4x4xf32>
      sdy.return %2 : tensor<4x4xf32>
    } {mhlo.frontend_attributes = {who = "me"}, mhlo.sharding = "{replicated}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.negate %0 : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
)"});
}

// HLO's starts have a context, infeed and outfeed tuples.
TEST(SameTextTest, Transfers) {
  ExpectSame(
      {"with shardings",
       R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<4xf32>, %arg1: !stablehlo.token) -> (tensor<4xf32>, tensor<2xf32>, tensor<2xi32>, !stablehlo.token) {
    %0 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>, is_host_transfer = true}> {mhlo.frontend_attributes = {_xla_host_transfer_rendezvous = "r"}, mhlo.sharding = "{maximal device=0}"} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %1:2 = "stablehlo.recv"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 3>, is_host_transfer = true}> {mhlo.sharding = "{{maximal device=0}, {maximal device=1}}"} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %2:3 = "stablehlo.infeed"(%1#1) <{infeed_config = "cfg"}> {mhlo.sharding = "{{maximal device=0}, {maximal device=0}, {maximal device=1}}"} : (!stablehlo.token) -> (tensor<2xf32>, tensor<2xi32>, !stablehlo.token)
    %3:2 = "stablehlo.infeed"(%2#2) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %4 = "stablehlo.outfeed"(%3#0, %3#1) <{outfeed_config = "x"}> {mhlo.sharding = "{maximal device=0}"} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    return %1#0, %2#0, %2#1, %4 : tensor<4xf32>, tensor<2xf32>, tensor<2xi32>, !stablehlo.token
  }
}
)",
       {"(f32[4]{0}, u32[], token[]) send(",
        "sharding={{maximal device=0}, {maximal device=0}, {maximal "
        "device=0}}",
        "send-done(", "sharding={maximal device=0}",
        "(f32[4]{0}, u32[], token[]) recv(",
        "sharding={{maximal device=0}, {maximal device=0}, {maximal "
        "device=1}}",
        "recv-done(", "sharding={{maximal device=0}, {maximal device=1}}",
        "((f32[2]{0}, s32[2]{0}), token[]) infeed(",
        "infeed_config=\"cfg\", sharding={{maximal device=0}, {maximal "
        "device=0}, {maximal device=1}}",
        "((f32[4]{0}), token[]) infeed(", "outfeed(",
        "outfeed_shape=(f32[4]{0})", "sharding={maximal device=0}"}});
}

// A splat is a scalar and its broadcast in HLO, as XLA brings it in, and comes
// back as it was; a broadcast that the program has stays one.
TEST(SameTextTest, Splats) {
  const Same kCases[] = {
      {"of many types, and broadcasts",
       R"(module @m {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<1000x1000xf32>, tensor<3xcomplex<f32>>, tensor<3xi1>, tensor<3xi4>, tensor<2xf8E4M3FN>, tensor<2xbf16>, tensor<4xf32>, tensor<2xi64>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<1000x1000xf32>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<3xcomplex<f32>>
    %c = stablehlo.constant dense<true> : tensor<3xi1>
    %c_1 = stablehlo.constant dense<-3> : tensor<3xi4>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<2xf8E4M3FN>
    %cst_3 = stablehlo.constant dense<0x7FC0> : tensor<2xbf16>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4xf32>
    %c_5 = stablehlo.constant dense<7> : tensor<2xi64>
    return %cst, %cst_0, %c, %c_1, %cst_2, %cst_3, %1, %c_5 : tensor<1000x1000xf32>, tensor<3xcomplex<f32>>, tensor<3xi1>, tensor<3xi4>, tensor<2xf8E4M3FN>, tensor<2xbf16>, tensor<4xf32>, tensor<2xi64>
  }
}
)",
       {"f32[] constant(1)\n", "splat_1 = f32[1000,1000]{1,0} broadcast(",
        "c64[] constant((1, 2))", "splat_2 = c64[3]{0}",
        "pred[] constant(true)", "splat_3 = pred[3]{0}", "s4[] constant(-3)",
        "f8e4m3fn[] constant(1)", "bf16[] constant(nan)", "f32[] constant(0)",
        "%broadcast.", "splat_7 = s64[2]{0} broadcast("}},
      {"of one element, of none, and of different ones",
       R"(module @m {
  func.func @main() -> (tensor<1xf32>, tensor<0xf32>, tensor<f32>, tensor<2xf32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<1xf32>
    %cst_0 = stablehlo.constant dense<> : tensor<0xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_2 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00]> : tensor<2xf32>
    return %cst, %cst_0, %cst_1, %cst_2 : tensor<1xf32>, tensor<0xf32>, tensor<f32>, tensor<2xf32>
  }
}
)",
       {"constant({1})", "constant({})", "constant(1)", "constant({0, -0})"}},
      {"with attributes",
       R"(module @m {
  func.func @main() -> tensor<2x2xf32> {
    %cst = stablehlo.constant {mhlo.frontend_attributes = {a = "b"}, mhlo.sharding = "{devices=[2,1]<=[2]}"} dense<2.000000e+00> : tensor<2x2xf32>
    %0 = stablehlo.negate %cst : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
)",
       {"constant(2)\n",
        "dimensions={}, sharding={devices=[2,1]<=[2]}, "
        "frontend_attributes={a=\"b\"}"}},
      {"used in regions, which get copies of the scalar", R"(module @m {
  func.func @main(%arg0: tensor<1000xf32>, %arg1: tensor<i1>) -> tensor<1000xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<1000xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<1000xf32>
      %1 = "stablehlo.if"(%arg1) ({
        %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<1000xf32>
        %2 = stablehlo.add %cst, %cst_0 : tensor<1000xf32>
        stablehlo.return %2 : tensor<1000xf32>
      }, {
        stablehlo.return %iterArg : tensor<1000xf32>
      }) : (tensor<i1>) -> tensor<1000xf32>
      stablehlo.return %1 : tensor<1000xf32>
    }
    return %0 : tensor<1000xf32>
  }
}
)"},
  };
  for (const Same& c : kCases) {
    if (c.name.substr(0, 4) == "used") continue;
    ExpectSame(c);
  }
  // What regions capture comes back inside of them.
  const Module module = Read(kCases[3].text);
  const std::string hlo = PrintHloText(module);
  EXPECT_FALSE(absl::StrContains(hlo, "constant({")) << hlo;
  const absl::StatusOr<std::string> text = WriteStablehlo(module);
  ASSERT_TRUE(text.ok()) << text.status();
  ExpectParts(*text, {"stablehlo.if", "dense<2.000000e+00> : tensor<1000xf32>",
                      "dense<3.000000e+00> : tensor<1000xf32>"});
  const absl::StatusOr<Module> back = ReadStablehlo(*text);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(WriteStablehlo(*back).value_or(""), *text);
}

// A text of 200 bytes is a file of few bytes, however large the array is.
TEST(SameTextTest, SplatsAreSmall) {
  for (const absl::string_view type :
       {"1000x1000xf32", "1000000x1000000xf32", "4000000x4000000xi1"}) {
    const bool is_bool = absl::StrContains(type, "i1");
    const std::string text = absl::StrCat(
        "module @m {\n  func.func @main() -> tensor<", type, "> {\n    ",
        is_bool ? "%c" : "%cst", " = stablehlo.constant dense<",
        is_bool ? "true" : "1.000000e+00", "> : tensor<", type,
        ">\n    return ", is_bool ? "%c" : "%cst", " : tensor<", type,
        ">\n  }\n}\n");
    const Module module = Read(text);
    EXPECT_EQ(WriteStablehlo(module).value_or(""), text);
    EXPECT_LT(PrintHloText(module).size(), 500u);
    EXPECT_LT(SerializeModule(module).value_or("").size(), 500u);
  }
}

}  // namespace
}  // namespace indim
