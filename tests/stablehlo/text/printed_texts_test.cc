// SPDX-License-Identifier: Apache-2.0
// Texts that jaxlib 0.10.2 printed: pretty, generic, and with locations. Each
// is read and printed the same, and the generic text gives the pretty one.

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/ir/storage/file.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/stablehlo/text/print_mlir_text.h"
#include "indim/tests/sample.h"

namespace indim::mlir {
namespace {

constexpr char kFile[] = "tests/data/stablehlo/printed.txt";

struct PrintedText {
  std::string name;
  std::string pretty;
  std::string generic;
  std::string locations;  // empty: it has none
};

// "=== name", the pretty text, "--- generic", that, "--- locations", that.
std::vector<PrintedText> ReadPrintedTexts() {
  std::vector<PrintedText> texts;
  const absl::StatusOr<std::string> file = ReadFile(kFile);
  if (!file.ok()) return texts;
  std::string* part = nullptr;
  for (const absl::string_view line : absl::StrSplit(*file, '\n')) {
    if (line.substr(0, 4) == "=== ") {
      texts.emplace_back();
      texts.back().name = std::string(line.substr(4));
      part = &texts.back().pretty;
    } else if (line == "--- generic") {
      part = &texts.back().generic;
    } else if (line == "--- locations") {
      part = &texts.back().locations;
    } else {
      absl::StrAppend(part, line, "\n");
    }
  }
  // The last line break of the file.
  if (part != nullptr) part->pop_back();
  return texts;
}

std::string Reprint(absl::string_view text, MlirPrintOptions options) {
  const absl::StatusOr<Ir> ir = ParseMlirText(text);
  if (!ir.ok()) return std::string(ir.status().message());
  return PrintMlirText(*ir, options);
}

TEST(PrintedTextsTest, EachIsPrintedTheSame) {
  MlirPrintOptions generic;
  generic.generic = true;
  MlirPrintOptions locations;
  locations.locations = true;
  const std::vector<PrintedText> texts = ReadPrintedTexts();
  int with_locations = 0;
  for (const PrintedText& c : texts) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Reprint(c.pretty, {}), c.pretty);
    EXPECT_EQ(Reprint(c.generic, generic), c.generic);
    EXPECT_EQ(Reprint(c.generic, {}), c.pretty);
    // The pretty text leaves out attributes that have their defaults.
    EXPECT_EQ(Reprint(Reprint(c.pretty, generic), {}), c.pretty);
    if (c.locations.empty()) continue;
    ++with_locations;
    EXPECT_EQ(Reprint(c.locations, locations), c.locations);
    EXPECT_EQ(Reprint(c.locations, {}), c.pretty);
  }
  EXPECT_GT(texts.size(), 200u);
  EXPECT_GT(with_locations, 100);
}

bool IsOfWord(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '.' || c == '%' || c == '@' || c == '#' || c == '!';
}

// Where the token at `begin`, which isn't blank, ends.
size_t EndOfToken(absl::string_view text, size_t begin) {
  size_t end = begin + 1;
  while (end < text.size() && IsOfWord(text[begin]) && IsOfWord(text[end])) {
    ++end;
  }
  return end;
}

bool IsRefused(const std::string& text) {
  const absl::StatusOr<Ir> ir = ParseMlirText(text, "t.mlir");
  if (!ir.ok()) {
    EXPECT_TRUE(absl::StrContains(ir.status().message(), "t.mlir:"))
        << ir.status().message() << "\n"
        << text;
    return true;
  }
  const std::string printed = PrintMlirText(*ir);
  const absl::StatusOr<Ir> again = ParseMlirText(printed);
  EXPECT_TRUE(again.ok()) << again.status().message() << "\n" << printed;
  EXPECT_TRUE(again.ok() && PrintMlirText(*again) == printed) << text;
  return false;
}

// `text` with another token, or none, from `at` to `end`.
std::vector<std::string> DamagedAt(absl::string_view text, size_t at,
                                   size_t end) {
  const absl::string_view before = text.substr(0, at);
  const absl::string_view here = text.substr(at, end - at);
  const absl::string_view after = text.substr(end);
  return {std::string(before),
          absl::StrCat(before, here),
          absl::StrCat(before, after),
          absl::StrCat(before, here, " ", here, after),
          absl::StrCat(before, "]", after),
          absl::StrCat(before, "7", after),
          absl::StrCat(before, "\"a\"", after)};
}

// Each text damaged in one place: cut off there, or with one token left out,
// doubled or replaced. What isn't refused with a place is printed, and the same
// from then on.
TEST(PrintedTextsTest, DamagedOnesAreRefusedOrMeanSomething) {
  constexpr size_t kLongest = 2500;
  const size_t step = AsksAllCases() ? 5 : 151;
  size_t token = 0, asked = 0, refused = 0;
  for (const PrintedText& c : ReadPrintedTexts()) {
    for (const std::string& text : {c.pretty, c.generic, c.locations}) {
      if (text.size() > kLongest) continue;
      for (size_t at = 0; at < text.size();) {
        if (absl::ascii_isspace(static_cast<unsigned char>(text[at]))) {
          ++at;
          continue;
        }
        const size_t end = EndOfToken(text, at);
        if (token++ % step == 0) {
          for (const std::string& damaged : DamagedAt(text, at, end)) {
            ++asked;
            if (IsRefused(damaged)) ++refused;
            if (HasFailure()) return;
          }
        }
        at = end;
      }
    }
  }
  EXPECT_GT(asked, 5000u);
  EXPECT_GT(refused, asked / 2);
}

// MLIR's own form of a while says the operands' types alone, so that it can't
// read what it prints where the arguments have others.
TEST(PrintedTextsTest, AWhileShowsTheTypesOfItsOperands) {
  EXPECT_EQ(Reprint(R"(func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%arg1: tensor<?xf32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  },  {
  ^bb0(%arg1: tensor<?xf32>):
    stablehlo.return %arg1 : tensor<?xf32>
  }) : (tensor<4xf32>) -> tensor<?xf32>
  func.return %0 : tensor<?xf32>
})",
                    {}),
            R"(module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<?xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<4xf32>
    cond {
      %c = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return %iterArg : tensor<?xf32>
    }
    return %0 : tensor<?xf32>
  }
}
)");
}

// As jaxlib prints them.
TEST(PrintedTextsTest, BlanksInAttributesOfShardy) {
  struct Case {
    absl::string_view read, printed;
  };
  for (
      const Case& c : {
          Case{
              R"(sharding<@m,[{ "a" ,? }p0 ,{"c", ?}] , replicated={"d"} , unreduced = {"b"} >)",
              R"(sharding<@m, [{"a", ?}p0, {"c", ?}], replicated={"d"}, unreduced={"b"}>)"},
          Case{R"(sharding<@m, [{"a" : (1)2,"b"},{ ?},{ }]>)",
               R"(sharding<@m, [{"a":(1)2, "b"}, {?}, {}]>)"},
          Case{"sharding_per_value<[ < @m,[{\"a\"},\n{ }] > ,<@m, [ ]>]>",
               R"(sharding_per_value<[<@m, [{"a"}, {}]>, <@m, []>]>)"},
          Case{R"(sharding_per_value<[#sdy.sharding<@m, [{}]>, <@m, []>]>)",
               R"(sharding_per_value<[<@m, [{}]>, <@m, []>]>)"},
          Case{
              R"(sharding<mesh< [ "a"=2,"b" = 4],device_ids = [1,0]>, [{"a"}]>)",
              R"(sharding<mesh<["a"=2, "b"=4], device_ids=[1, 0]>, [{"a"}]>)"},
          Case{
              R"(op_sharding_rule<([i,j] , [ j]) -> ([ij]) {i=8,j=2}  reduction = { i } need_replication={j} , custom>)",
              R"(op_sharding_rule<([i, j], [j])->([ij]) {i=8, j=2} reduction={i} need_replication={j}, custom>)"},
          Case{R"(sharding<@m, [{"a  ,b\" c"}]>)",
               R"(sharding<@m, [{"a  ,b\" c"}]>)"},
      }) {
    const auto text = [](absl::string_view attribute) {
      return absl::StrCat("module attributes {a = #sdy.", attribute,
                          "} {\n}\n");
    };
    EXPECT_EQ(Reprint(text(c.read), {}), text(c.printed));
    EXPECT_EQ(Reprint(text(c.printed), {}), text(c.printed));
  }
}

TEST(PrintedTextsTest, ShapesOfTheDialectShape) {
  const std::string text = R"(module {
  func.func @main() -> tensor<2xindex> {
    %0 = shape.const_shape  {a = "b"}[] : tensor<0xindex>
    %1 = shape.const_shape [4, 4] : tensor<2xindex>
    %2 = shape.const_shape [4, 32] : tensor<2xindex>
    return %2 : tensor<2xindex>
  }
}
)";
  EXPECT_EQ(Reprint(text, {}), text);
  EXPECT_EQ(Reprint(R"(module {
  func.func @main() -> tensor<2xindex> {
    %0 = "shape.const_shape"() <{shape = dense<[]> : tensor<0xindex>}> {a = "b"} : () -> tensor<0xindex>
    %1 = "shape.const_shape"() <{shape = dense<4> : tensor<2xindex>}> : () -> tensor<2xindex>
    %2 = "shape.const_shape"() <{shape = dense<[4, 32]> : tensor<2xindex>}> : () -> tensor<2xindex>
    return %2 : tensor<2xindex>
  }
}
)",
                    {}),
            text);
}

// The stack of calls of a module of HLO may be of any depth.
TEST(PrintedTextsTest, LocationsDeeperThanAnyStack) {
  constexpr int kDeep = 100'000;
  Ir ir;
  ir.MakeModule();
  AttrId location;
  for (int i = 0; i < kDeep; ++i) {
    Attribute loc(AttrKind::kNameLoc);
    loc.text = "n";
    if (location.valid()) loc.elements = {location};
    location = ir.Intern(std::move(loc));
  }
  ir.SetLocation(ir.module_op(), location);
  MlirPrintOptions options;
  options.locations = true;
  const std::string text = PrintMlirText(ir, options);
  EXPECT_TRUE(absl::StrContains(
      text,
      absl::StrCat("#loc", kDeep - 1, " = loc(\"n\"(#loc", kDeep - 2, "))\n")))
      << text.substr(0, 200);
}

}  // namespace
}  // namespace indim::mlir
