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

}  // namespace
}  // namespace indim
