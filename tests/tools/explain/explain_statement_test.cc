// SPDX-License-Identifier: Apache-2.0
// Operations of StableHLO as questions.

#include "indim/tools/explain/explain_statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "indim/shape/fixes/call_language.h"
#include "indim/tools/explain/explain.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ExplainStatement, IsReadAsInPrograms) {
  constexpr bool kRight = true, kWrong = false;
  const struct {
    const char* statement;
    bool ok;
    const char* said;
  } kCases[] = {
      {"stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> "
       "tensor<2x3xf32>",
       kRight, "in HLO: %broadcast.2 = f32[2,3] broadcast(%x), dimensions={1}"},
      {"\"stablehlo.broadcast_in_dim\"(%x) <{broadcast_dimensions = array<i64: "
       "1>}> : (tensor<3xf32>) -> tensor<2x3xf32>",
       kRight, "recorded f32[2,3]: ok"},
      {"%0 = \"stablehlo.broadcast_in_dim\"(%x) {broadcast_dimensions = "
       "array<i64: 0>} : (tensor<3xf32>) -> tensor<2x3xf32>",
       kWrong, "[IND1240]"},
      {"stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> "
       "tensor<2x3xf32>",
       kWrong, "to fix: dims = [1]"},
      {"stablehlo.add %a, %b : tensor<2x3xf32>", kRight, "result f32[2,3]"},
      {"stablehlo.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> "
       "tensor<2x3xf32>",
       kWrong,
       "to fix: stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> "
       "tensor<2x3xf32> as operand 1"},
      {"stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
       "(tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>",
       kRight, "must hold: a1 == b0"},
      {"stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
       "(tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>",
       kWrong, "to fix: contracting_dims = [1] x [1]"},
      {"stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions "
       "= [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
       kRight, "reduce(%x, %c), dimensions={1}"},
      {"stablehlo.transpose %x, dims = [1, 1] : (tensor<2x3xf32>) -> "
       "tensor<3x2xf32>",
       kWrong, "to fix: dims = [1, 0]"},
      {"stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<7xf32>", kWrong,
       "to fix: a result of type tensor<6xf32>"},
      {"stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xcomplex<f32>>",
       kRight, "c64[2]"},
      {"stablehlo.add %0#0, %0#1 : tensor<2xf32>", kRight, "add(%0, %0#1)"},
      // How CHLO's operands are matched.
      {"chlo.broadcast_add %a, %b : (tensor<1x4xf32>, tensor<4xf32>) -> "
       "tensor<1x4xf32>",
       kRight, "aligned at the last dim"},
      {"\"chlo.broadcast_add\"(%a, %b) {broadcast_dimensions = array<i64: 0>} "
       ": (tensor<4x2xf32>, tensor<4xf32>) -> tensor<4x2xf32>",
       kRight, "InDim"},
      // It becomes several instructions.
      {"%c = stablehlo.constant dense<1.0> : tensor<4xf32>", kRight,
       "broadcast(%constant.1), dimensions={}"},
      // What the reader passes over is said.
      {"stablehlo.abs %x {note = 3 : i32} : tensor<2xf32>", kRight,
       "note: stablehlo.abs has no attribute 'note', and MLIR ignores it\n"},
      {"stablehlo.abs %x {my.note = 3 : i32} : tensor<2xf32>", kRight,
       "HLO has no place for my.note"},
      {"\"stablehlo.reverse\"(%x) <{dimensions = array<i64: 0>, dimension = 3 "
       ": i64}> : (tensor<2xf32>) -> tensor<2xf32>",
       kRight,
       "no attribute 'dimension', and MLIR ignores it; did you mean "
       "'dimensions'?"},
      // Fixes name values as the statement does.
      {"%5 = stablehlo.select %0, %1, %2 : (tensor<2xf32>, tensor<2xf32>, "
       "tensor<2xf32>) -> tensor<2xf32>",
       kWrong,
       "to fix: stablehlo.convert %0 : (tensor<2xf32>) -> "
       "tensor<2xi1> as operand 0"},
  };
  for (const auto& c : kCases) {
    ASSERT_TRUE(IsStatement(c.statement)) << c.statement;
    const auto explanation = ExplainQuestion(c.statement);
    ASSERT_TRUE(explanation.ok()) << c.statement << explanation.status();
    EXPECT_EQ(explanation->ok, c.ok) << explanation->text;
    EXPECT_THAT(explanation->text, HasSubstr(c.said));
    EXPECT_THAT(explanation->text, Not(HasSubstr("statement:")));
    ExplainOptions json;
    json.json = true;
    const auto object = ExplainQuestion(c.statement, json);
    ASSERT_TRUE(object.ok()) << c.statement;
    EXPECT_THAT(object->text, HasSubstr(c.ok ? "\"ok\":true" : "\"ok\":false"));
  }
  EXPECT_EQ(GetCallLanguage(), CallLanguage::kCpp);
}

TEST(ExplainStatement, WhatCantBeReadHasNoVerdict) {
  const struct {
    const char* statement;
    const char* said;
  } kCases[] = {
      {"stablehlo.add(tensor<2xf32>, tensor<3xf32>)",
       "a statement looks like 'stablehlo.add %x"},
      {"stablehlo.add %0, %0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>",
       "expected a value of type tensor<3xf32>, found one of tensor<2xf32>"},
      {"stablehlo.ad %0, %0 : tensor<2xf32>", "did you mean"},
      {"\"stablehlo.iota\"() : () -> tensor<2xf32>",
       "requires the attribute 'iota_dimension'"},
      {"\"stablehlo.reverse\"(%x) <{dimension = array<i64: 0>}> : "
       "(tensor<2xf32>) -> tensor<2xf32>",
       "requires the attribute 'dimensions', a list of integers, array<i64: 1, "
       "2>; found 'dimension'"},
      {"\"mhlo.add\"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<2xf32>",
       "Indim doesn't read mhlo"},
      {"stablehlo.abs %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, "
       "[{\"x\"}]>]>} : tensor<2xf32>",
       "ask without it"},
      {"stablehlo.return %x : tensor<2xf32>", "must be the last"},
      {"\"tfl.add\"(%a, %b) <{fused_activation_function = \"NONE\"}> : "
       "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
       "attributes of 'tfl.add' aren't known"},
  };
  for (const auto& c : kCases) {
    const auto explanation = ExplainQuestion(c.statement);
    ASSERT_FALSE(explanation.ok()) << explanation->text;
    EXPECT_THAT(std::string(explanation.status().message()), HasSubstr(c.said));
  }
  EXPECT_FALSE(IsStatement("%y = f32[2] abs(f32[2] %x)"));
  EXPECT_FALSE(IsStatement("add(f32[2], f32[2])"));
}

}  // namespace
}  // namespace indim
