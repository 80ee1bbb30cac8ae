// SPDX-License-Identifier: Apache-2.0
// What MLIR says of functions, calls and the ends of regions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/tests/stablehlo/import/cases.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

struct ProgramCase {
  std::string text;
  std::string message;  // a part; "": it is right
};

void ExpectVerdicts(const std::vector<ProgramCase>& cases) {
  for (const ProgramCase& c : cases) {
    const absl::Status status = VerifyShlo(c.text);
    EXPECT_EQ(status.ok(), c.message.empty()) << status.message() << "\n"
                                              << c.text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message)) << c.text;
  }
}

TEST(FunctionsTest, AttributesHaveADialect) {
  const auto text = [](const std::string& of_module, const std::string& of_f,
                       const std::string& of_x, const std::string& of_result) {
    return absl::StrCat("module attributes {", of_module,
                        "} {\n  func.func @main(%x: tensor<f32> {", of_x,
                        "}) -> (tensor<f32> {", of_result, "}) attributes {",
                        of_f, "} {\n    return %x : tensor<f32>\n  }\n}\n");
  };
  ExpectVerdicts({
      {text("a.b = 1", "c", "d.e", "f.g"), ""},
      {text("b = 1", "", "", ""), "a module may only have attributes of"},
      {text("", "", "d", ""), "arguments may only have attributes of"},
      {text("", "", "", "g"), "results may only have attributes of"},
  });
}

TEST(FunctionsTest, Visibility) {
  const std::string main =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  return %x : tensor<f32>\n}\n";
  const auto function = [&](const std::string& visibility) {
    return absl::StrCat(
        main, "\"func.func\"() <{sym_name = \"f\", function_type = () -> (), ",
        "sym_visibility = \"", visibility,
        "\"}> ({\n  \"func.return\"() : () -> ()\n}) : () -> ()\n");
  };
  ExpectVerdicts({
      {function("nested"), ""},
      {function("hidden"), "visibility expected to be"},
      {main + "func.func private @f(tensor<f32>)\n", ""},
      {main + "func.func @f(tensor<f32>)\n", "it must be private"},
      {main + "func.func public @f(tensor<f32>)\n", "it must be private"},
  });
}

// Unknown sizes are no exception.
TEST(FunctionsTest, CallsHaveTheTypesOfTheFunction) {
  const auto text = [](const std::string& call, const std::string& operand,
                       const std::string& result) {
    return absl::StrCat("func.func @main(%x: ", operand, ") -> ", result,
                        " {\n  %r = ", call, " : (", operand, ") -> ", result,
                        "\n  return %r : ", result,
                        "\n}\nfunc.func private @f(%x: tensor<2xf32>) -> "
                        "tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n");
  };
  const std::string known = "tensor<2xf32>", unknown = "tensor<?xf32>";
  for (const std::string call :
       {"call @f(%x)", "stablehlo.composite \"a.b\" %x {decomposition = @f}"}) {
    ExpectVerdicts({
        {text(call, known, known), ""},
        {text(call, unknown, known), "its function's are f32[2], f32[2]"},
        {text(call, known, unknown), "has operands and results of the types"},
    });
  }
}

TEST(FunctionsTest, RegionsEndWithTheReturnOfTheirDialect) {
  const auto branch = [](const std::string& end) {
    return absl::StrCat(
        "func.func @main(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {\n"
        "  %r = \"stablehlo.if\"(%p) ({\n    \"",
        end,
        "\"(%x) : (tensor<f32>) -> ()\n  }, {\n"
        "    stablehlo.return %x : tensor<f32>\n"
        "  }) : (tensor<i1>) -> tensor<f32>\n  return %r : tensor<f32>\n}\n");
  };
  const auto manual = [](const std::string& end) {
    return absl::StrCat(
        "sdy.mesh @m = <[\"a\"=2]>\n"
        "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
        "  %r = sdy.manual_computation(%x) in_shardings=[<@m, [{\"a\"}]>] "
        "out_shardings=[<@m, [{\"a\"}]>] manual_axes={\"a\"} (%y: "
        "tensor<4xf32>) {\n    ",
        end,
        " %y : tensor<4xf32>\n  } : (tensor<8xf32>) -> tensor<8xf32>\n"
        "  return %r : tensor<8xf32>\n}\n");
  };
  const std::string number =
      "func.func @main(%p: tensor<i1>, %x: f32) -> tensor<f32> {\n"
      "  %r = \"stablehlo.if\"(%p) ({\n    stablehlo.return %x : f32\n  }, {\n"
      "    stablehlo.return %x : f32\n  }) : (tensor<i1>) -> tensor<f32>\n"
      "  return %r : tensor<f32>\n}\n";
  const std::string ends = "expects regions to end with ";
  ExpectVerdicts({
      {branch("stablehlo.return"), ""},
      {branch("func.return"), ends + "'stablehlo.return'"},
      {branch("sdy.return"), ends + "'stablehlo.return'"},
      {number, "'stablehlo.return' op operand #0 must be a tensor"},
      {manual("sdy.return"), ""},
      {manual("stablehlo.return"), ends + "'sdy.return'"},
  });
}

}  // namespace
}  // namespace indim
