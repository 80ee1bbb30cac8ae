// SPDX-License-Identifier: Apache-2.0
// What is said of operations that XLA doesn't read either.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module.h"
#include "indim/stablehlo/read.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

TEST(ForeignOpsTest, ARefusalSaysWhyAndWhat) {
  constexpr absl::string_view kXla = "which XLA doesn't read either";
  const struct {
    const char* op;
    const char* type;
    std::string said;
  } kCases[] = {
      {"arith.cmpi", "tensor<4xi1>",
       absl::StrCat("is an operation of arith, ", kXla,
                    "; write stablehlo.compare")},
      {"arith.floordivsi", "tensor<4xi32>",
       absl::StrCat("is an operation of arith, ", kXla,
                    ", and StableHLO has none that equals it")},
      {"math.isnan", "tensor<4xi1>",
       absl::StrCat("is an operation of math, ", kXla,
                    "; write stablehlo.compare NE of the value with itself")},
      {"shape.broadcast", "tensor<4xindex>",
       absl::StrCat("is an operation of shape, ", kXla,
                    "; write stablehlo.maximum of the sizes")},
      {"shape.meet", "tensor<4xindex>",
       "stablehlo-opt --shape-legalize-to-stablehlo"},
      {"tensor.concat", "tensor<8xi32>", "write stablehlo.concatenate"},
      {"linalg.add", "tensor<4xi32>", "other dialects aren't read"},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Module> module = ReadStablehlo(absl::StrCat(
        "func.func @main(%x: tensor<4xi32>) -> ", c.type, " {\n  %r = \"", c.op,
        "\"(%x, %x) : (tensor<4xi32>, tensor<4xi32>) -> ", c.type,
        "\n  return %r : ", c.type, "\n}\n"));
    ASSERT_FALSE(module.ok()) << c.op;
    EXPECT_THAT(std::string(module.status().message()), HasSubstr(c.said));
  }
  // In the form that MLIR prints.
  const absl::StatusOr<Module> module = ReadStablehlo(
      "func.func @main(%x: tensor<4xi32>) -> tensor<4xi1> {\n"
      "  %r = arith.cmpi slt, %x, %x : tensor<4xi32>\n"
      "  return %r : tensor<4xi1>\n}\n");
  ASSERT_FALSE(module.ok());
  EXPECT_THAT(std::string(module.status().message()),
              HasSubstr("unknown operation \"arith.cmpi\": it is an operation "
                        "of arith, which XLA doesn't read either; write "
                        "stablehlo.compare"));
}

}  // namespace
}  // namespace indim
