// SPDX-License-Identifier: Apache-2.0
// Reading programs that hold several modules, lack values, or break constraints
// of StableHLO.

#include "indim/stablehlo/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/io/read.h"
#include "indim/ir/module.h"
#include "indim/stablehlo/write.h"
#include "indim/text/base/text_errors.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

constexpr char kTwo[] = R"(module @first {
  func.func @f(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}
module @second {
  func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
    return %x : tensor<3xf32>
  }
  module @third {
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
  }
}
)";

TEST(ReadTest, SeveralModulesAreReadOneByOne) {
  const absl::Status one = ReadStablehlo(kTwo, {"two.mlir"}).status();
  EXPECT_THAT(std::string(one.message()), HasSubstr("it holds 3 modules"));
  ASSERT_EQ(ErrorsOf(one).size(), 1);
  EXPECT_EQ(ErrorsOf(one)[0].code, Code::kNoHloForm);
  std::vector<Module> further;
  StablehloReadOptions options;
  options.further = &further;
  const absl::StatusOr<Module> first = ReadStablehlo(kTwo, options);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->name(), "first");
  ASSERT_EQ(further.size(), 2);
  EXPECT_EQ(further[0].name(), "second");
  EXPECT_EQ(further[0].entry().root().shape().ToString(), "f32[3]{0}");
  EXPECT_EQ(further[1].name(), "third");
  EXPECT_EQ(further[1].entry().root().shape().ToString(), "f32[4]{0}");
}

// What was out of bounds once: a sharding without parts, and more results than
// 32 bits count.
TEST(ReadTest, OddCountsAreErrors) {
  const char* const kPrograms[] = {
      R"(func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true, mhlo.sharding = "{}"} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
})",
      R"(func.func @main(%t: !stablehlo.token) -> !stablehlo.token {
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true, mhlo.sharding = "{}"} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#1 : !stablehlo.token
})",
      R"(func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = stablehlo.while(%a = %x, %b = %x) : tensor<4xf32>, tensor<4xf32> attributes {mhlo.sharding = "{}"}
   cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %d = stablehlo.add %a, %x : tensor<4xf32>
    stablehlo.return %d, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
})",
      R"(func.func @main(%x: tensor<2xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=8]>, [{"x":(1)4611686018427387904, "x":(1)4611686018427387904}]>}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
})"};
  // None may end the process; which are refused by whom isn't of interest here.
  for (const char* program : kPrograms)
    ReadStablehlo(program).status().IgnoreError();
  std::string names;
  for (int i = 0; i < 4096; ++i) {
    absl::StrAppend(&names, "%a", i, ":1048576, ");
  }
  const absl::StatusOr<Module> module = ReadStablehlo(absl::StrCat(
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  ", names,
      "%b = stablehlo.abs %x : tensor<2xf32>\n  return %b : tensor<2xf32>\n}"));
  EXPECT_THAT(std::string(module.status().message()),
              HasSubstr("4294967297 are named"));
}

// The outer one has nothing else in it.
TEST(ReadTest, AModuleInAModuleIsReadAlone) {
  const absl::StatusOr<Module> module = ReadStablehlo(R"(module {
  module @inner {
    func.func @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
  }
})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->name(), "inner");
}

TEST(ReadTest, AnErrorInASecondModuleHasItsLine) {
  const absl::Status status =
      ReadStablehlo("module {}\nmodule {\n  func.func @f() { oops }\n}\n")
          .status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("text:3:20: error"));
}

TEST(ReadTest, ValuesMayBeLeftOut) {
  constexpr char kText[] = R"(func.func @main() -> tensor<3xf32> {
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<3xf32>
  return %0 : tensor<3xf32>
})";
  const absl::Status refused = ReadStablehlo(kText).status();
  ASSERT_EQ(ErrorsOf(refused).size(), 1);
  EXPECT_EQ(ErrorsOf(refused)[0].code, Code::kMlirElided);
  StablehloReadOptions options;
  options.allow_elided_constants = true;
  const absl::StatusOr<Module> module = ReadStablehlo(kText, options);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().root().shape().ToString(), "f32[3]{0}");
}

constexpr char kWrong[] = R"(func.func @main(%a: tensor<f32>) -> tensor<2xf32> {
  %0 = "chlo.erfc"(%a) : (tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  %2 = "stablehlo.after_all"(%a) : (tensor<f32>) -> !stablehlo.token
  return %1 : tensor<2xf32>
})";

TEST(ReadTest, WhatBreaksConstraintsIsReadForWhoAsks) {
  EXPECT_EQ(ErrorsOf(ReadStablehlo(kWrong).status()).size(), 2);
  std::vector<absl::Status> violations;
  StablehloReadOptions options;
  options.violations = &violations;
  const absl::StatusOr<Module> module = ReadStablehlo(kWrong, options);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().root().opcode_name(), "add");
  ASSERT_EQ(violations.size(), 1);
  const std::vector<PlacedError> errors = ErrorsOf(violations[0]);
  ASSERT_EQ(errors.size(), 2);
  EXPECT_EQ(errors[0].position.line, 2);
  EXPECT_EQ(errors[0].code, Code::kStablehloConstraint);
  EXPECT_EQ(errors[1].position.line, 4);
}

// What HLO has no form for can't be read, whoever asks.
TEST(ReadTest, WhatHasNoFormIsNotRead) {
  std::vector<absl::Status> violations;
  StablehloReadOptions options;
  options.violations = &violations;
  const absl::Status status =
      ReadStablehlo(
          "func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 2.0>>) {\n"
          "  return\n}\n",
          options)
          .status();
  ASSERT_EQ(ErrorsOf(status).size(), 1);
  EXPECT_EQ(ErrorsOf(status)[0].code, Code::kNoHloForm);
  EXPECT_TRUE(violations.empty());
}

TEST(ReadTest, FloatsOfQuantizedTypesHaveManySpellings) {
  const absl::Status status =
      ReadStablehlo(
          "func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 2.0:15>>) -> "
          "tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>> {\n"
          "  return %x : tensor<2x!quant.uniform<i8:f32, 2.0e0:15>>\n}\n")
          .status();
  ASSERT_EQ(ErrorsOf(status).size(), 1) << status;
  EXPECT_EQ(ErrorsOf(status)[0].code, Code::kNoHloForm);
}

TEST(ReadTest, ADimIsAnIndex) {
  const absl::StatusOr<Module> module =
      ReadStablehlo(R"(func.func @main(%a: tensor<?x?xf32>) -> tensor<1xindex> {
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %a, %c0 : tensor<?x?xf32>
  %0 = tensor.from_elements %dim : tensor<1xindex>
  return %0 : tensor<1xindex>
})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().root().shape().ToString(), "s64[1]{0}");
}

// MLIR's verifier doesn't look for it.
TEST(ReadTest, ACustomCallMayNameAFunctionThatIsNotThere) {
  const absl::StatusOr<Module> module = ReadStablehlo(R"(
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @f(%a) {called_computations = [@gone]}
    : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().root().callee_count(), 0);
}

// {index} of its form is an attribute.
TEST(ReadTest, AnElementOfATupleHasItsNumber) {
  const absl::StatusOr<Module> module = ReadStablehlo(R"(
func.func @main(%t: tuple<tensor<f32>, tensor<2xi32>>) -> tensor<2xi32> {
  %0 = stablehlo.get_tuple_element %t[1]
    : (tuple<tensor<f32>, tensor<2xi32>>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().root().shape().ToString(), "s32[2]{0}");
}

// All-to-all between two dims is several operations, and HLO starts one.
TEST(ReadTest, AStartOfSeveralOperationsIsDoneAtOnce) {
  const absl::StatusOr<Module> module = ReadStablehlo(R"(
func.func @main(%a: tensor<4x6xf32>) -> tensor<8x3xf32> {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4x6xf32>):
    %1 = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64,
      split_dimension = 1 : i64, split_count = 2 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
      : (tensor<4x6xf32>) -> tensor<8x3xf32>
    stablehlo.return %1 : tensor<8x3xf32>
  }) : (tensor<4x6xf32>) -> !stablehlo.future<tensor<8x3xf32>>
  %2 = "stablehlo.async_done"(%0)
    : (!stablehlo.future<tensor<8x3xf32>>) -> tensor<8x3xf32>
  return %2 : tensor<8x3xf32>
})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().root().shape().ToString(), "f32[8,3]{1,0}");
  std::string opcodes;
  for (const Instruction i : module->entry().instructions()) {
    opcodes += std::string(i.opcode_name()) + " ";
  }
  EXPECT_EQ(opcodes, "parameter call tuple get-tuple-element ");
}

// StableHLO takes a precision or an algorithm.
TEST(ReadTest, APrecisionBesideAnAlgorithmIsLeftOutAndToldOf) {
  const auto text = [](const std::string& precision) {
    return "HloModule m\n\nENTRY e {\n  a = f32[3,4] parameter(0)\n  b = "
           "f32[4,5] parameter(1)\n  ROOT c = f32[3,5] dot(a, b), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
           precision + ", algorithm=dot_bf16_bf16_f32_x3\n}\n";
  };
  for (const bool precise : {true, false}) {
    const absl::StatusOr<Module> module = ReadModuleText(
        text(precise ? ", operand_precision={highest,highest}" : ""));
    ASSERT_TRUE(module.ok()) << module.status();
    const std::vector<std::string> lost = LostAsStablehlo(*module);
    EXPECT_EQ(lost.size(), precise ? 1u : 0u);
    if (precise) {
      EXPECT_THAT(lost[0], HasSubstr("operand_precision beside an algorithm"));
    }
    const absl::StatusOr<std::string> written = WriteStablehlo(*module);
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_EQ(written->find("precision = "), std::string::npos) << *written;
    EXPECT_THAT(*written, HasSubstr("algorithm = "));
    EXPECT_TRUE(ReadStablehlo(*written).ok());
  }
}

// XLA writes the list into every module.
TEST(ReadTest, AnEmptyListOfPrefetchesIsNotToldOf) {
  const auto left_out = [](absl::string_view list) {
    std::vector<std::string> left_out;
    StablehloReadOptions options;
    options.left_out = &left_out;
    const absl::StatusOr<Module> module = ReadStablehlo(
        absl::StrCat(
            "module @m attributes {mhlo.cross_program_prefetches = ", list,
            "} {\n  func.func @main(%a: tensor<f32>) -> tensor<f32> "
            "{\n    return %a : tensor<f32>\n  }\n}\n"),
        options);
    EXPECT_TRUE(module.ok()) << module.status();
    return left_out.size();
  };
  EXPECT_EQ(left_out("[]"), 0u);
  EXPECT_EQ(left_out("[[]]"), 1u);
}

TEST(ReadTest, AnArtifactSaysItsReleaseAndWhatNeedsWhich) {
  const absl::StatusOr<Module> module = ReadStablehlo(R"(
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tan %a : tensor<4xf32>
  %1 = stablehlo.add %0, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
})");
  ASSERT_TRUE(module.ok()) << module.status();
  StablehloWriteOptions write;
  write.form = StablehloForm::kArtifact;
  write.release = "1.10.0";
  const absl::StatusOr<std::string> artifact = WriteStablehlo(*module, write);
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  StablehloRelease release;
  StablehloReadOptions options;
  options.release = &release;
  ASSERT_TRUE(ReadStablehlo(*artifact, options).ok());
  EXPECT_EQ(release.written_for, "1.10.0");
  EXPECT_EQ(release.needs, std::vector<std::string>{"1.4.0: stablehlo.tan"});
  // A text is for no release.
  release = {};
  ASSERT_TRUE(ReadStablehlo("func.func @main() { return }", options).ok());
  EXPECT_EQ(release.written_for, "");
}

}  // namespace
}  // namespace indim
