// SPDX-License-Identifier: Apache-2.0
// What ParseMlirText makes of texts: old and new spellings that mean the same.

#include "indim/stablehlo/text/parse_mlir_text.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/text/print_mlir_text.h"

namespace indim::mlir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Ir Parsed(absl::string_view text) {
  absl::StatusOr<Ir> ir = ParseMlirText(text);
  EXPECT_TRUE(ir.ok()) << ir.status().message();
  return ir.ok() ? *std::move(ir) : Ir();
}

// The body of a function as it is printed.
std::string Body(absl::string_view line) {
  absl::StatusOr<Ir> ir = ParseMlirText(
      absl::StrCat("func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) {\n  ",
                   line, "\n  return\n}\n"));
  if (!ir.ok()) return std::string(ir.status().message());
  const std::string text = PrintMlirText(*ir);
  const size_t begin = text.find("{\n", text.find("@f")) + 2;
  return text.substr(begin, text.find("    return") - begin);
}

struct Same {
  absl::string_view text;
  absl::string_view printed;
};

TEST(ParseMlirTextTest, SpellingsThatMeanTheSame) {
  const Same kCases[] = {
      // Attributes in either braces.
      {"%0 = \"stablehlo.iota\"() {iota_dimension = 0 : i64} : () -> "
       "tensor<2xf32>",
       "    %0 = stablehlo.iota dim = 0 : tensor<2xf32>\n"},
      {"%0 = \"stablehlo.iota\"() <{iota_dimension = 0}> : () -> tensor<2xf32>",
       "    %0 = stablehlo.iota dim = 0 : tensor<2xf32>\n"},
      // Old lists.
      {"%0 = \"stablehlo.reverse\"(%x) {dimensions = dense<0> : tensor<1xi64>}"
       " : (tensor<2xf32>) -> tensor<2xf32>",
       "    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<2xf32>\n"},
      // Both forms of types.
      {"%0 = stablehlo.add %x, %y : (tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<2xf32>",
       "    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>\n"},
      {"%0 = stablehlo.constant() <{value = dense<1> : tensor<i32>}> : () -> "
       "tensor<i32>",
       "    %c = stablehlo.constant dense<1> : tensor<i32>\n"},
      // Numbers.
      {"%0 = stablehlo.constant dense<[0xFF, 1]> : tensor<2xi8>",
       "    %c = stablehlo.constant dense<[-1, 1]> : tensor<2xi8>\n"},
      {"%0 = stablehlo.constant dense<\"0x0000803F00000040\"> : tensor<2xf32>",
       "    %cst = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : "
       "tensor<2xf32>\n"},
      {"%0 = stablehlo.constant dense<[2, 2]> : tensor<2xi8>",
       "    %c = stablehlo.constant dense<2> : tensor<2xi8>\n"},
      // Bits of bools, as older versions wrote them.
      {"%0 = stablehlo.constant dense<\"0x0501\"> : tensor<9xi1>",
       "    %c = stablehlo.constant dense<[true, false, true, false, false, "
       "false, false, false, true]> : tensor<9xi1>\n"},
      {"%0 = stablehlo.constant dense<\"0xFF\"> : tensor<9xi1>",
       "    %c = stablehlo.constant dense<true> : tensor<9xi1>\n"},
      // Bounds.
      {"%0 = stablehlo.custom_call @a(%x) : (tensor<2xf32>) -> tensor<?xf32, "
       "#stablehlo.type_extensions<bounds = [3]>>",
       "    %0 = stablehlo.custom_call @a(%arg0) : (tensor<2xf32>) -> "
       "tensor<?xf32, #stablehlo.bounds<3>>\n"},
      // Words as attributes.
      {"%0 = stablehlo.compare #stablehlo<comparison_direction LT>, %x, %y : "
       "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
       "    %0 = stablehlo.compare LT, %arg0, %arg1 : (tensor<2xf32>, "
       "tensor<2xf32>) -> tensor<2xi1>\n"},
      // Attributes that have their defaults.
      {"%0 = stablehlo.custom_call @a(%x) {api_version = 1 : i32, "
       "has_side_effect = false} : (tensor<2xf32>) -> tensor<2xf32>",
       "    %0 = stablehlo.custom_call @a(%arg0) : (tensor<2xf32>) -> "
       "tensor<2xf32>\n"},
      // Numbers of types that no tensor has.
      {"%0 = stablehlo.add %x, %x {a = 1 : si64, b = [-2 : i3]} : "
       "tensor<2xf32>",
       "    %0 = stablehlo.add %arg0, %arg0 {a = 1 : si64, b = [-2 : i3]} : "
       "tensor<2xf32>\n"},
      // Comments and blanks.
      {"%0 = stablehlo.add // sum\n%x,%y:tensor< 2 x f32 >",
       "    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>\n"},
      // A reduce of either form.
      {"%c = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "%0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : "
       "(tensor<2xf32>, tensor<f32>) -> tensor<f32>\n"
       "reducer(%a: tensor<f32>, %b: tensor<f32>) {\n"
       "%1 = stablehlo.maximum %a, %b : tensor<f32>\n"
       "stablehlo.return %1 : tensor<f32>\n}",
       "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
       "    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum "
       "across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> "
       "tensor<f32>\n"},
  };
  for (const Same& c : kCases) EXPECT_EQ(Body(c.text), c.printed) << c.text;
}

// Names stay with values, and offsets with operations.
TEST(ParseMlirTextTest, NamesAndOffsets) {
  const absl::string_view text =
      "func.func @f(%left: tensor<2xf32>) {\n"
      "  %sum = stablehlo.add %left, %left : tensor<2xf32>\n"
      "  %0 = stablehlo.negate %sum : tensor<2xf32>\n"
      "  return\n}\n";
  const Ir ir = Parsed(text);
  ASSERT_EQ(ir.op_count(), 5u);
  std::vector<std::string> names;
  for (uint32_t i = 0; i < ir.value_count(); ++i) {
    names.push_back(std::string(ir.text(ir.value({i}).name)));
  }
  EXPECT_THAT(names, ElementsAre("left", "sum", ""));
  const Block& module = ir.block(ir.module_block());
  const Op& function = ir.op(module.ops[0]);
  const Block& body = ir.block(ir.region(ir.regions(function)[0]).blocks[0]);
  EXPECT_EQ(text.substr(ir.op(body.ops[0]).offset, 13), "stablehlo.add");
  EXPECT_EQ(text.substr(ir.value(body.arguments[0]).offset, 5), "%left");
}

// A name may be used again in another region, and outer values inside.
TEST(ParseMlirTextTest, NamesOfRegions) {
  EXPECT_THAT(Body("%0 = \"stablehlo.case\"(%y) ({\n"
                   "  %1 = stablehlo.negate %x : tensor<2xf32>\n"
                   "  stablehlo.return %1 : tensor<2xf32>\n"
                   "}, {\n"
                   "  %1 = stablehlo.abs %x : tensor<2xf32>\n"
                   "  stablehlo.return %1 : tensor<2xf32>\n"
                   "}) : (tensor<2xf32>) -> tensor<2xf32>\n"
                   "%1 = stablehlo.abs %0 : tensor<2xf32>"),
              HasSubstr("%1 = stablehlo.abs %0"));
  // But not in a function.
  EXPECT_FALSE(ParseMlirText("%a = stablehlo.constant dense<1> : tensor<i32>\n"
                             "func.func @f() -> tensor<i32> {\n"
                             "  return %a : tensor<i32>\n}\n")
                   .ok());
}

TEST(ParseMlirTextTest, AliasesAndResources) {
  const Ir ir = Parsed(
      "module attributes {a = #later} {\n"
      "func.func @f(%x: !t) {\n"
      "  %c = stablehlo.constant dense_resource<w> : tensor<2xi8>\n"
      "  %d = stablehlo.constant dense_resource<__elided__> : tensor<2xi8>\n"
      "  return\n}\n"
      "}\n"
      "#later = [1, 2]\n"
      "!t = tensor<2xf32>\n"
      "{-#\n"
      "  dialect_resources: {\n"
      "    builtin: {\n"
      "      w: \"0x040000000102\"\n"
      "    }\n"
      "  }\n"
      "#-}\n");
  const Attribute& list = ir.attr(ir.Find(ir.op(ir.module_op()), "a"));
  EXPECT_EQ(list.elements.size(), 2u);
  std::vector<std::string> bytes;
  for (uint32_t i = 0; i < ir.op_count(); ++i) {
    const Op& op = ir.op({i});
    if (ir.name(op) != "stablehlo.constant") continue;
    const Attribute& value = ir.attr(ir.Find(op, "value"));
    EXPECT_EQ(value.kind, AttrKind::kDenseResource);
    bytes.push_back(value.elements.empty() ? "none"
                                           : ir.attr(value.elements[0]).text);
  }
  EXPECT_THAT(bytes, ElementsAre("\x01\x02", "none"));
}

// A list of operations is the body of a module.
TEST(ParseMlirTextTest, ModulesAndLists) {
  EXPECT_EQ(PrintMlirText(Parsed("")), "module {\n}\n");
  EXPECT_EQ(PrintMlirText(Parsed("module @m {}")), "module @m {\n}\n");
  EXPECT_EQ(PrintMlirText(Parsed("func.func private @f()")),
            "module {\n  func.func private @f()\n}\n");
  EXPECT_EQ(PrintMlirText(Parsed("\"builtin.module\"() ({\n}) {a} : () -> ()")),
            "module attributes {a} {\n}\n");
}

// Operations of dialects without rows are kept as they are.
TEST(ParseMlirTextTest, OtherDialects) {
  EXPECT_EQ(
      Body("%0 = \"my.op\"(%x) <{p = 1 : i32}> ({\n}) {q = #my.a<b[1]>, r "
           "= #my<c d>} : (tensor<2xf32>) -> !my.type<3>"),
      "    %0 = \"my.op\"(%arg0) <{p = 1 : i32}> ({\n    }) {q = "
      "#my.a<b[1]>, r = #my<c d>} : (tensor<2xf32>) -> !my.type<3>\n");
}

}  // namespace
}  // namespace indim::mlir
