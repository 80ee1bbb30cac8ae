// SPDX-License-Identifier: Apache-2.0
// What ParseMlirText says about what it can't read: whole messages.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/stablehlo/text/print_mlir_text.h"
#include "indim/tests/sample.h"
#include "indim/text/base/text_errors.h"

namespace indim::mlir {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string ErrorOf(absl::string_view text) {
  const absl::StatusOr<Ir> ir = ParseMlirText(text, "t.mlir");
  return ir.ok() ? "" : std::string(ir.status().message());
}

struct WrongText {
  absl::string_view
      line;  // in a function of %x: tensor<2xf32>, %y: tensor<i32>
  absl::string_view place;  // line:column
  absl::string_view error;
  absl::string_view marked;  // the text above the caret
  Code code = Code::kMlirSyntax;
};

TEST(ParseMlirErrorsTest, OneOperation) {
  const WrongText kCases[] = {
      {"%z = stablehlo.ad %x, %x : tensor<2xf32>", "2:8",
       "unknown operation \"stablehlo.ad\", did you mean \"stablehlo.add\"?",
       "stablehlo.ad", Code::kMlirOperation},
      {"%z = stablehlo.expp %x : tensor<2xf32>", "2:8",
       "unknown operation \"stablehlo.expp\", did you mean "
       "\"stablehlo.exponential\" or \"stablehlo.exponential_minus_one\"?",
       "stablehlo.expp", Code::kMlirOperation},
      {"%z = arith.cmpi ugt, %x, %x : tensor<2xf32>", "2:8",
       "unknown operation \"arith.cmpi\": it is an operation of arith, which "
       "XLA doesn't read either; write stablehlo.compare",
       "arith.cmpi", Code::kMlirOperation},
      {"%z = linalg.generic %x, %x : tensor<2xf32>", "2:8",
       "unknown operation \"linalg.generic\"; known are those of the dialects "
       "arith, builtin, chlo, func, sdy, shape, stablehlo, tensor",
       "linalg.generic", Code::kMlirDialect},
      {"%z = mhlo.constant dense<1> : tensor<i32>", "2:8",
       "unknown operation \"mhlo.constant\": Indim doesn't read mhlo, which "
       "changes with XLA; write the program in StableHLO (mhlo-opt "
       "--hlo-legalize-to-stablehlo), or read the HLO that XLA writes beside "
       "it",
       "mhlo.constant", Code::kMlirDialect},
      {"%z = \"vhlo.add_v1\"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<2xf32>",
       "2:8",
       "unknown operation \"vhlo.add_v1\": Indim doesn't read the text of "
       "vhlo, in which portable artifacts are; read the artifact (.mlirbc), or "
       "write the program in StableHLO (stablehlo-opt "
       "--vhlo-to-version=target=current --vhlo-legalize-to-stablehlo)",
       "\"vhlo.add_v1\"", Code::kMlirDialect},
      {"%z = stablehloo.add %x, %x : tensor<2xf32>", "2:8",
       "unknown operation \"stablehloo.add\", did you mean \"stablehlo.add\"?",
       "stablehloo.add", Code::kMlirDialect},
      {"%z = \"stablehlo.iota\"() {iota_dimention = 0 : i64} : () -> "
       "tensor<2xf32>",
       "2:8",
       "stablehlo.iota requires the attribute 'iota_dimension', an integer of "
       "type i64; found 'iota_dimention'",
       "\"stablehlo.iota\"", Code::kMlirAttribute},
      {"%z = stablehlo.add %x, %w : tensor<2xf32>", "2:26",
       "%w isn't defined before this", "%w", Code::kMlirUndefined},
      {"%x = stablehlo.add %x, %x : tensor<2xf32>", "2:3",
       "%x is defined twice", "%x", Code::kMlirRedefined},
      {"%z = stablehlo.add %x : tensor<2xf32>", "2:25",
       "expected ',', found ':'", ":"},
      {"%z = stablehlo.add %x, %y : tensor<2xf32>", "2:26",
       "expected a value of type tensor<2xf32>, found one of tensor<i32>", "%y",
       Code::kStablehloConstraint},
      {"%z = stablehlo.add %x, %x : tensor<2xf32> loc(#loc.)", "2:49",
       "this is no location", "#loc."},
      {"%z = stablehlo.iota dims = 0 : tensor<2xf32>", "2:23",
       "expected 'dim', found 'dims'", "dims"},
      {"%z = stablehlo.iota dim = 0.5 : tensor<2xf32>", "2:29",
       "expected an integer, found '0.5'", "0.5"},
      {"%z = stablehlo.compare LTT, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<2xi1>",
       "2:26", "expected one of EQ NE GE GT LE LT, found 'LTT'", "LTT",
       Code::kMlirAttribute},
      {"%z = \"stablehlo.iota\"() : () -> tensor<2xf32>", "2:8",
       "stablehlo.iota requires the attribute 'iota_dimension', an integer of "
       "type i64",
       "\"stablehlo.iota\"", Code::kMlirAttribute},
      {"%z = \"stablehlo.iota\"() {iota_dimension = 0 : i32} : () -> "
       "tensor<2xf32>",
       "2:28", "expected for 'iota_dimension' an integer of type i64", "i",
       Code::kMlirAttribute},
      {"%z = \"stablehlo.add\"(%x) : (tensor<2xf32>) -> tensor<2xf32>", "2:8",
       "stablehlo.add has 2 operands, not 1", "\"stablehlo.add\"",
       Code::kMlirCounts},
      {"%z:2 = stablehlo.add %x, %x : tensor<2xf32>", "2:3",
       "the operation has 1 result, but 2 are named", "%z", Code::kMlirCounts},
      {"%z = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<2xf32>", "2:47",
       "expected 2 elements in this list, found 3", "]", Code::kMlirLiteral},
      {"%z = stablehlo.constant dense<1> : tensor<2xf32>", "2:33",
       "expected a number with a decimal point", "1", Code::kMlirLiteral},
      {"%z = stablehlo.constant dense<300> : tensor<2xi8>", "2:33",
       "this integer doesn't fit its type", "300", Code::kMlirLiteral},
      {"%z = stablehlo.constant dense<\"0x0102\"> : tensor<2xf32>", "2:33",
       "expected 2 elements of 4 bytes, found 2 bytes", "\"0x0102\"",
       Code::kMlirLiteral},
      {"%z = stablehlo.constant dense<1.0> : tensor<2xfloat32>", "2:49",
       "unknown type \"float32\", did you mean \"f32\"?", "float32",
       Code::kMlirType},
      {"%z = stablehlo.negate %x : tensor<99999999999999999999xf32>", "2:37",
       "this size needs more than 64 bits", "99999999999999999999",
       Code::kMlirLiteral},
      {"%z = stablehlo.scatter %x : tensor<2xf32>", "2:8",
       "stablehlo.scatter has no form of its own; expected the generic form, "
       "\"stablehlo.scatter\"(...)",
       "stablehlo.scatter"},
      {"%z = stablehlo.negate %x {a = 1 : i64, a = 2 : i64} : tensor<2xf32>",
       "2:42", "the attribute 'a' is given twice", "a", Code::kMlirRedefined},
      {"%z = \"stablehlo.tanh\"(%x) <{a = 1 : i64}> {a = 2 : i64} : "
       "(tensor<2xf32>) -> tensor<2xf32>",
       "2:46", "the attribute 'a' is given twice", "a", Code::kMlirRedefined},
      {"%z = stablehlo.negate %x#1 : tensor<2xf32>", "2:25",
       "%x has 1 part, so none is #1", "%x", Code::kMlirUndefined},
      {"%z = stablehlo.negate %x : tensor<2xf32> loc(#loc3)", "2:48",
       "no alias #loc3 is defined", "#loc3", Code::kMlirUndefined},
      {"%z = stablehlo.negate %x \xe2\x82\xac : tensor<2xf32>", "2:28",
       "unexpected character", "\\xe2\\x82\\xac"},
      {"%z = stablehlo.custom_call @\"a\\q\"(%x) : (tensor<2xf32>) -> ()",
       "2:30", "unknown escape in a string", "@\"a\\q\""},
      {"%z = stablehlo.slice %x [0:2:1:1] : (tensor<2xf32>) -> tensor<2xf32>",
       "2:33", "expected ']', found ':'", ":"},
      {"%z = stablehlo.negate %x : tensor<2xf32, #stablehlo.bounds<3, 4>>",
       "2:44", "expected a bound for each of 1 sizes, found 2",
       "#stablehlo.bounds<3, 4", Code::kMlirType},
      {"%z = stablehlo.negate %x : tensor<2xf32, #stablehlo.bounds<3>>", "2:44",
       "dimension 0 is 2, so it can't have a bound; expected '?' there",
       "#stablehlo.bounds<3", Code::kMlirType},
      {"%z = \"stablehlo.negate\"(%x) <{a = 1}> : (tensor<2xf32>) -> "
       "tensor<2xf32>",
       "2:31", "stablehlo.negate has no attributes of its own, so no <{...}>",
       "<", Code::kMlirAttribute},
  };
  for (const WrongText& c : kCases) {
    const std::string error = ErrorOf(
        absl::StrCat("func.func @f(%x: tensor<2xf32>, %y: tensor<i32>) {\n  ",
                     c.line, "\n  return\n}\n"));
    const absl::string_view expected_begin = "t.mlir:";
    EXPECT_EQ(error.substr(0, expected_begin.size()), expected_begin) << c.line;
    EXPECT_THAT(error, HasSubstr(absl::StrCat("t.mlir:", c.place,
                                              ": error: ", c.error, "\n")))
        << c.line;
    // One mistake gives one error, whose caret lies under the text.
    const std::vector<PlacedError> errors = ErrorsOf(
        ParseMlirText(
            absl::StrCat("func.func @f(%x: tensor<2xf32>, %y: tensor<i32>"
                         ") {\n  ",
                         c.line, "\n  return\n}\n"))
            .status());
    ASSERT_THAT(errors, SizeIs(1)) << c.line;
    EXPECT_EQ(CodeText(errors[0].code), CodeText(c.code)) << c.line;
    const size_t caret = error.find('^');
    ASSERT_NE(caret, std::string::npos) << error;
    const size_t tildes = error.size() - caret - 1;
    EXPECT_EQ(tildes + 1, c.marked.size()) << error;
  }
}

TEST(ParseMlirErrorsTest, SeveralInOneRun) {
  const std::string error = ErrorOf(R"(
module {
  func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.ad %x, %x : tensor<2xf32>
    %1 = stablehlo.add %0, %x : tensor<2xf32>
    %2 = "stablehlo.reduce_window"(%1, %x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = stablehlo.add %a, %c : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) {window_dimension = array<i64: 1>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<3xf32>
  }
  func.func @f {
  }
}
)");
  EXPECT_EQ(
      error,
      R"(t.mlir:4:10: error: unknown operation "stablehlo.ad", did you mean "stablehlo.add"?
      %0 = stablehlo.ad %x, %x : tensor<2xf32>
           ^~~~~~~~~~~~
t.mlir:8:30: error: %c isn't defined before this
        %3 = stablehlo.add %a, %c : tensor<f32>
                               ^~
t.mlir:6:10: error: stablehlo.reduce_window requires the attribute 'window_dimensions', a list of integers, array<i64: 1, 2>; found 'window_dimension'
      %2 = "stablehlo.reduce_window"(%1, %x) ({
           ^~~~~~~~~~~~~~~~~~~~~~~~~
t.mlir:13:16: error: expected '(', found '{'
    func.func @f {
                 ^)");
}

// Whatever is missing at the end is an error with a place.
TEST(ParseMlirErrorsTest, TruncatedTexts) {
  const absl::string_view text = R"(#loc1 = loc("a"("f.py":3:4))
!t = tensor<2xf32>
module @m attributes {a.b = [1, "x\0A", {c}, dense<[[1, 2]]> : tensor<1x2xi4>]} {
  func.func private @f(%x: !t {d = @s::@t} loc(#loc1)) -> (tensor<?xf32, #stablehlo.bounds<4>> {e}) {
    %0:2 = stablehlo.while(%i = %x, %j = %x) : !t, !t attributes {k = 0xFF : i8}
    cond {
      %c = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return %i, %j : !t, !t loc(callsite("g" at fused<1>["h", unknown]))
    }
    %1 = "stablehlo.tanh"(%0#1) <{}> {f = array<i64: 1, -2>, g = 1.5e3 : f32} : (!t) -> tensor<?xf32, #stablehlo.bounds<4>>
    return %1 : tensor<?xf32, #stablehlo.bounds<4>>
  }
} loc("m")
)";
  ASSERT_EQ(ErrorOf(text), "");
  // Behind the last "}" only the location is missing, which is no mistake.
  const size_t end = text.rfind('}');
  int64_t accepted = 0;
  for (size_t size = 0; size <= end; ++size) {
    const std::string error = ErrorOf(text.substr(0, size));
    if (error.empty()) {
      // Aliases alone are an empty module.
      ++accepted;
      EXPECT_LE(size, text.find("module")) << text.substr(0, size);
    } else {
      EXPECT_THAT(error, HasSubstr("t.mlir:"));
    }
  }
  EXPECT_GT(accepted, 0);
}

// Regions may nest as deep as they like; attributes and types may not.
TEST(ParseMlirErrorsTest, Nesting) {
  const int kDepth = 100000 / SampleStep(4);
  std::string regions = "func.func @f() {\n";
  for (int i = 0; i < kDepth; ++i) {
    absl::StrAppend(&regions, "stablehlo.while() cond {\n");
  }
  for (int i = 0; i < kDepth; ++i) {
    absl::StrAppend(&regions, "} do {\n}\n");
  }
  regions += "return\n}\n";
  const absl::StatusOr<Ir> ir = ParseMlirText(regions);
  ASSERT_TRUE(ir.ok()) << ir.status();
  // Printing takes no more than that: deep regions aren't indented farther.
  EXPECT_LT(PrintMlirText(*ir).size(), 5000 * static_cast<size_t>(kDepth));

  const std::pair<absl::string_view, Code> kOpen[] = {
      {"[", Code::kMlirNesting},
      {"{a = ", Code::kMlirNesting},
      {"tuple<", Code::kMlirNesting},
      {"loc(\"a\"(", Code::kMlirNesting},
      // Kept as text, whose brackets must match.
      {"#s.t<[", Code::kMlirSyntax},
      {"#stablehlo<gather<", Code::kMlirSyntax}};
  for (const auto& [open, code] : kOpen) {
    std::string nested = "module attributes {a = ";
    for (int i = 0; i < 1000; ++i) absl::StrAppend(&nested, open);
    const std::vector<PlacedError> errors =
        ErrorsOf(ParseMlirText(nested).status());
    EXPECT_THAT(errors, Contains(Field(&PlacedError::code, code))) << open;
    EXPECT_THAT(errors, Contains(Field(&PlacedError::position,
                                       Field(&TextPosition::line, 1))))
        << open;
  }
}

// `lines` definitions after that of NAME0, of which each uses the one before.
// `each` says how, with $ for that one; `used` is a program with $ for the
// last.
std::string Chain(absl::string_view first, absl::string_view name,
                  absl::string_view each, int lines, absl::string_view used,
                  bool backwards = false) {
  std::vector<std::string> definitions = {
      absl::StrCat(name, "0 = ", first, "\n")};
  for (int i = 0; i < lines; ++i) {
    definitions.push_back(absl::StrCat(
        name, i + 1, " = ",
        absl::StrReplaceAll(each, {{"$", absl::StrCat(name, i)}}), "\n"));
  }
  if (backwards) std::reverse(definitions.begin(), definitions.end());
  const std::string program = absl::StrCat(
      absl::StrReplaceAll(used, {{"$", absl::StrCat(name, lines)}}), "\n");
  const std::string text = absl::StrJoin(definitions, "");
  return backwards ? absl::StrCat(program, text) : absl::StrCat(text, program);
}

// What a text nests counts, not how deep its reader goes.
TEST(ParseMlirErrorsTest, AliasesOfAliases) {
  constexpr absl::string_view kAttribute = "module attributes {a.b = $} {}";
  constexpr absl::string_view kType =
      "func.func @f(%x: $) -> $ {\n  return %x : $\n}";
  constexpr absl::string_view kLocation = "module {} loc($)";
  struct Case {
    absl::string_view first, name, each, used;
    int most;  // so many are fine, and of most texts are printed
    absl::string_view error;
  };
  constexpr absl::string_view kDeep = "nests more than 200 levels deep";
  constexpr absl::string_view kMany = "has more than 1048576 parts";
  const Case kCases[] = {
      {"\"x\"", "#a", "[$]", kAttribute, 150, kDeep},
      {"\"x\"", "#a", "{k = $}", kAttribute, 150, kDeep},
      {"tensor<2xf32>", "!a", "tuple<$>", kType, 150, kDeep},
      {"f32", "!a", "($) -> ()", kType, 150, kDeep},
      {"loc(\"f\":1:2)", "#loc", "loc(callsite(\"g\"(\"f\":3:4) at $))",
       kLocation, 900, "nests more than 1000 levels deep"},
      {"loc(\"f\":1:2)", "#loc", "loc(\"n\"($))", kAttribute, 900,
       "nests more than 1000 levels deep"},
      {"\"x\"", "#a", "[$, $]", kAttribute, 10, kMany},
      {"tensor<2xf32>", "!a", "tuple<$, $>", kType, 10, kMany},
      {"loc(\"f\":1:2)", "#loc", "loc(fused[$, $])", kAttribute, 10, kMany}};
  for (const Case& c : kCases) {
    const bool many = c.error == kMany;
    for (const bool backwards : {false, true}) {
      const std::string fine =
          Chain(c.first, c.name, c.each, c.most, c.used, backwards);
      const absl::StatusOr<Ir> ir = ParseMlirText(fine);
      ASSERT_TRUE(ir.ok()) << c.each << ir.status();
      MlirPrintOptions options;
      options.locations = true;
      EXPECT_FALSE(PrintMlirText(*ir, options).empty());
      for (const int lines : {many            ? 40
                              : c.most == 150 ? 300
                                              : 1300,
                              many ? 150 : 100000 / SampleStep(4)}) {
        const absl::Status status =
            ParseMlirText(
                Chain(c.first, c.name, c.each, lines, c.used, backwards))
                .status();
        EXPECT_THAT(std::string(status.message()), HasSubstr(c.error))
            << c.each << lines;
        EXPECT_THAT(ErrorsOf(status),
                    Contains(Field(&PlacedError::code, Code::kMlirNesting)));
      }
    }
  }
  // A location is printed by its aliases, so it may share as it likes.
  EXPECT_EQ(ErrorOf(Chain("loc(\"f\":1:2)", "#loc", "loc(fused[$, $])", 150,
                          kLocation)),
            "");
}

TEST(ParseMlirErrorsTest, AliasesThatNeedThemselves) {
  EXPECT_THAT(ErrorOf("#a = [#b]\n#b = [#a]\n"),
              HasSubstr("this alias is defined by itself"));
  EXPECT_THAT(ErrorOf("!a = tuple<!a>\n"),
              HasSubstr("this alias is defined by itself"));
  EXPECT_THAT(ErrorOf("#a = 1\n#a = 2\n"),
              HasSubstr("this alias is defined twice"));
}

// Numbers that name a lot take no memory.
TEST(ParseMlirErrorsTest, HugeNumbers) {
  EXPECT_THAT(ErrorOf("func.func @f() {\n  return %999999999 : f32\n}\n"),
              HasSubstr("%999999999 isn't defined before this"));
  EXPECT_THAT(ErrorOf("func.func @f() {\n  %0:99999999999 = "
                      "stablehlo.add %1, %1 : f32\n}\n"),
              HasSubstr("expected a number of results"));
  EXPECT_EQ(ErrorOf("func.func @f() {\n  %c = stablehlo.constant dense<0> : "
                    "tensor<9223372036854775807xi32>\n  return\n}\n"),
            "");
  EXPECT_THAT(ErrorOf("func.func @f() {\n  %c = stablehlo.constant dense<0> : "
                      "tensor<9223372036854775807x2xi32>\n  return\n}\n"),
              HasSubstr("expected the type of a tensor with known sizes"));
}

// Only so many errors are looked for.
TEST(ParseMlirErrorsTest, ManyErrors) {
  std::string text = "func.func @f() {\n";
  for (int i = 0; i < 1000; ++i) text += "  stablehlo.ad\n";
  text += "}\n";
  EXPECT_THAT(ErrorsOf(ParseMlirText(text).status()),
              SizeIs(TextErrors::kMaxErrors));
}

}  // namespace
}  // namespace indim::mlir
