// SPDX-License-Identifier: Apache-2.0
// Custom calls: those that stand for operations, and JAX's configurations.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/stablehlo/read.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

// The entry's operations but for parameters, with blanks between, and "; left
// out: ..."; or the error.
std::string Operations(const std::string& call) {
  const std::string text = absl::StrCat(
      "func.func @main(%x: tensor<9xf32>, %i: tensor<9xi32>) {\n  %r = ", call,
      "\n  return\n}\n");
  std::vector<std::string> left_out;
  StablehloReadOptions options;
  options.left_out = &left_out;
  const absl::StatusOr<Module> module = ReadStablehlo(text, options);
  if (!module.ok()) return std::string(module.status().message());
  if (!VerifyModule(*module).ok()) return "wrong";
  std::string said;
  for (const Instruction i : module->entry().instructions()) {
    if (i.opcode() == Opcode::kParameter || i.opcode() == Opcode::kTuple) {
      continue;
    }
    absl::StrAppend(&said, said.empty() ? "" : " ", i.opcode_name());
  }
  for (const std::string& what : left_out) absl::StrAppend(&said, "; ", what);
  return said;
}

std::string Unary(absl::string_view target, absl::string_view attributes) {
  return absl::StrCat("stablehlo.custom_call @", target, "(%x) {", attributes,
                      "} : (tensor<9xf32>) -> tensor<9xf32>");
}

TEST(CustomCallOpsTest, StandForOperations) {
  struct Case {
    absl::string_view target, opcode;
  };
  for (const Case& c :
       {Case{"acos", "acos"}, Case{"acosh", "acosh"}, Case{"asin", "asin"},
        Case{"asinh", "asinh"}, Case{"atanh", "atanh"}, Case{"cosh", "cosh"},
        Case{"erf", "erf"}, Case{"sinh", "sinh"}}) {
    for (const absl::string_view dialect : {"mhlo.", "chlo."}) {
      EXPECT_EQ(Operations(Unary(absl::StrCat(dialect, c.target),
                                 "mhlo.attributes = {}, mhlo.version = 1 : "
                                 "i64")),
                c.opcode);
    }
  }
  EXPECT_EQ(Operations(Unary("mhlo.tan", "mhlo.attributes = {}")), "tan");
  EXPECT_EQ(Operations("stablehlo.custom_call @mhlo.mulhi(%i, %i) "
                       "{mhlo.attributes = {}} : (tensor<9xi32>, "
                       "tensor<9xi32>) -> tensor<9xi32>"),
            "mulhi");
}

TEST(CustomCallOpsTest, OtherCallsStayCalls) {
  constexpr absl::string_view kLeftOut =
      "custom-call; mhlo.attributes of 1 operation";
  struct Case {
    absl::string_view target, attributes, operations;
  };
  for (const Case& c : {
           Case{"mhlo.erf", "", "custom-call"},
           Case{"mhlo.gelu", "mhlo.attributes = {}", kLeftOut},
           Case{"mhlo.erf", "mhlo.attributes = {a = 1 : i64}", kLeftOut},
           Case{"mhlo.erf", "mhlo.attributes = {}, has_side_effect = true",
                kLeftOut},
           Case{"mhlo.erf", "mhlo.attributes = {}, api_version = 2 : i32",
                kLeftOut},
           Case{"mhlo.erf", "mhlo.attributes = {}, backend_config = \"a\"",
                kLeftOut},
       }) {
    EXPECT_EQ(Operations(Unary(c.target, c.attributes)), c.operations)
        << c.target << " " << c.attributes;
  }
  EXPECT_TRUE(absl::StrContains(
      Operations("stablehlo.custom_call @mhlo.erf(%x, %x) {mhlo.attributes = "
                 "{}} : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>"),
      "stands for erf, which has 1 operand and 1 result"));
}

TEST(CustomCallOpsTest, TopK) {
  for (const bool largest : {true, false}) {
    const absl::StatusOr<Module> module = ReadStablehlo(absl::StrCat(
        "func.func @main(%x: tensor<9xf32>) -> (tensor<4xf32>, tensor<4xi32>) "
        "{\n  %r:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = "
        "{k = 4 : i64, largest = ",
        largest ? "true" : "false",
        ", mhlo.sharding = \"{{replicated}, {maximal device=1}}\"}} : "
        "(tensor<9xf32>) -> (tensor<4xf32>, tensor<4xi32>)\n"
        "  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    const Instruction topk = module->entry().instruction(1);
    ASSERT_EQ(topk.opcode(), Opcode::kTopK);
    EXPECT_EQ(As<TopKAttributes>(topk.attributes()).k, 4);
    EXPECT_EQ(As<TopKAttributes>(topk.attributes()).largest, largest);
    bool has_sharding = false;
    AttributeBytesField(internal::AttributeBytesOf(topk),
                        field::HloInstructionProto::kSharding, &has_sharding);
    EXPECT_TRUE(has_sharding);
  }
}

// Of JAX before StableHLO's backend_config could be a dictionary.
TEST(CustomCallOpsTest, MhloBackendConfig) {
  const auto read = [](absl::string_view attributes) {
    return ReadStablehlo(absl::StrCat(
        "func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {\n  %r = ",
        Unary("f", attributes), "\n  return %r : tensor<9xf32>\n}\n"));
  };
  for (const absl::string_view attributes :
       {"mhlo.backend_config = {b = true, a = array<i64: 1>}",
        "api_version = 1 : i32, backend_config = \"\", mhlo.backend_config = "
        "{b = true, a = array<i64: 1>}"}) {
    const absl::StatusOr<Module> module = read(attributes);
    ASSERT_TRUE(module.ok()) << module.status();
    const auto& call =
        As<CustomCallAttributes>(module->entry().root().attributes());
    EXPECT_EQ(call.opaque, "{a = array<i64: 1>, b = true}");
    EXPECT_EQ(call.api_version, kApiTypedFfi);
    EXPECT_EQ(Operations(Unary("f", attributes)), "custom-call");
  }
  for (const absl::string_view attributes :
       {"mhlo.backend_config = \"a\"",
        "backend_config = \"a\", mhlo.backend_config = {}",
        "api_version = 2 : i32, mhlo.backend_config = {}"}) {
    EXPECT_TRUE(absl::StrContains(read(attributes).status().message(),
                                  "has an mhlo.backend_config, which must be"))
        << attributes;
  }
}

// A single sharding of several results, or of none, as XLA writes it.
TEST(CustomCallOpsTest, ATupleHasAShardingForEachLeaf) {
  const struct {
    std::string result, sharding, hlo;
  } kCases[] = {
      {"tensor<f32>", "{replicated}", "sharding={replicated}"},
      {"(tensor<f32>, tensor<2xf32>)", "{maximal device=1}",
       "sharding={{maximal device=1}, {maximal device=1}}"},
      {"(tensor<f32>, tensor<2xf32>)", "{{maximal device=1}, {replicated}}",
       "sharding={{maximal device=1}, {replicated}}"},
      {"()", "{maximal device=1}", "sharding={{maximal device=1}}"},
      {"tuple<tensor<f32>, tuple<tensor<f32>>>", "{replicated}",
       "sharding={{replicated}, {replicated}}"},
  };
  for (const auto& c : kCases) {
    const std::string text = absl::StrCat(
        "func.func @main(%x: tensor<f32>) {\n  ",
        c.result == "()"     ? ""
        : c.result[0] == '(' ? "%r:2 = "
                             : "%r = ",
        "stablehlo.custom_call @f(%x) {mhlo.sharding = \"", c.sharding,
        "\"} : (tensor<f32>) -> ", c.result, "\n  return\n}\n");
    const absl::StatusOr<Module> module = ReadStablehlo(text);
    ASSERT_TRUE(module.ok()) << module.status() << text;
    const std::string hlo = PrintHloText(*module);
    EXPECT_TRUE(absl::StrContains(hlo, absl::StrCat(", ", c.hlo, "\n")))
        << text << hlo;
  }
}

// sdy.constant is a constant with values.
TEST(CustomCallOpsTest, ShardysConstant) {
  const absl::StatusOr<Module> module = ReadStablehlo(
      "func.func @main() -> tensor<2xf32> {\n  %c = sdy.constant dense<[1.5, "
      "-2.0]> : tensor<2xf32>\n  return %c : tensor<2xf32>\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_TRUE(module->entry().root().literal().ok());
  EXPECT_EQ(module->entry().root().literal()->bytes().size(), 8u);
}

}  // namespace
}  // namespace indim
