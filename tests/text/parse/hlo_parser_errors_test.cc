// SPDX-License-Identifier: Apache-2.0
// What ParseHloText says about what it can't read: whole messages.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"
#include "indim/text/base/text_errors.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(absl::string_view text) {
  ParseOptions options;
  options.file = "t.hlo";
  const absl::StatusOr<Module> module = ParseHloText(text, options);
  return module.ok() ? "" : std::string(module.status().message());
}

struct Case {
  absl::string_view line;  // in a body that begins with x = f32[2], y = s32[]
  absl::string_view error;
};

TEST(HloParserErrorsTest, OneInstruction) {
  const Case kCases[] = {
      {"z = f32[2] ad(x, x)",
       "t.hlo:4:14: error: unknown op \"ad\", did you mean \"add\"?\n"
       "    z = f32[2] ad(x, x)\n"
       "               ^~"},
      {"z = f32[2] add(x, w)",
       "t.hlo:4:21: error: no instruction before this one is named \"w\"\n"
       "    z = f32[2] add(x, w)\n"
       "                      ^"},
      {"x = f32[2] add(x, x)",
       "t.hlo:4:3: error: there is an instruction named \"x\" already\n"
       "    x = f32[2] add(x, x)\n"
       "    ^"},
      {"z = f32[2] add(x)",
       "t.hlo:4:14: error: add takes 2 operands; there is 1\n"
       "    z = f32[2] add(x)\n"
       "               ^~~"},
      {"z = slice(x), slice={[0:1]}",
       "t.hlo:4:7: error: slice needs its result's shape in front: XLA's "
       "reader doesn't infer it\n"
       "    z = slice(x), slice={[0:1]}\n"
       "        ^~~~~"},
      {"z = add(x, y)",
       "t.hlo:4:7: error: no result shape is given, and add: element types of "
       "f32[2] and s32[] differ\n"
       "    z = add(x, y)\n"
       "        ^~~"},
      {"z = f32[2] add(f32[3] x, x)",
       "t.hlo:4:18: error: this operand is f32[3]{0} here, but x is "
       "f32[2]{0}\n"
       "    z = f32[2] add(f32[3] x, x)\n"
       "                   ^"},
      {"z = f32[2] call(x), to_apply=g",
       "t.hlo:4:32: error: no computation before this one is named \"g\"\n"
       "    z = f32[2] call(x), to_apply=g\n"
       "                                 ^"},
      {"z = f32[2] add x, x)",
       "t.hlo:4:18: error: expected \"(\", found \"x\"\n"
       "    z = f32[2] add x, x)\n"
       "                   ^"},
      {"%f32 = f32[2] negate(x)",
       "t.hlo:4:3: error: \"f32\" can't be a name; \"f32_\" can\n"
       "    %f32 = f32[2] negate(x)\n"
       "    ^~~"},
      {"z = f32[2] negate(x#0)",
       "t.hlo:4:23: error: x is f32[2]{0}, which has no element 0\n"
       "    z = f32[2] negate(x#0)\n"
       "                        ^"},
      {"z = f32[2] negate(broadcast(y, dimensions={}))",
       "t.hlo:4:34: error: expected an operand: a name, or an op with its "
       "operands, found \"dimensions=\"\n"
       "    z = f32[2] negate(broadcast(y, dimensions={}))\n"
       "                                   ^~~~~~~~~~~"},
      {"z = f32[2] cross-replica-sum(x)",
       "t.hlo:4:14: error: unknown op \"cross-replica-sum\": XLA has renamed "
       "it, it is \"all-reduce\" now\n"
       "    z = f32[2] cross-replica-sum(x)\n"
       "               ^~~~~~~~~~~~~~~~~"},
      {"z = pred[2] less-than(x, x)",
       "t.hlo:4:15: error: unknown op \"less-than\": XLA has renamed it, it is "
       "\"compare\" with direction=LT now\n"
       "    z = pred[2] less-than(x, x)\n"
       "                ^~~~~~~~~"},
      {"z = f32[1] gather(x, y), window_bounds={1}",
       "t.hlo:4:28: error: unknown attribute \"window_bounds\": XLA has "
       "renamed "
       "it to \"slice_sizes\"\n"
       "    z = f32[1] gather(x, y), window_bounds={1}\n"
       "                             ^~~~~~~~~~~~~"},
      {"z = f32[2] call(x), to_apply={%g}",
       "t.hlo:4:33: error: braces hold a computation's instructions; to fix: "
       "name one without them, %g\n"
       "    z = f32[2] call(x), to_apply={%g}\n"
       "                                  ^"},
      {"z = f32[2,2] broadcast(x)",
       "t.hlo:4:16: error: attribute dimensions is missing\n"
       "    z = f32[2,2] broadcast(x)\n"
       "                 ^~~~~~~~~"},
      {"z = f32[2]{1} negate(x)",
       "t.hlo:4:14: error: the layout names dim 1, but the rank is 1\n"
       "    z = f32[2]{1} negate(x)\n"
       "               ^"},
  };
  for (const auto& [line, error] : kCases) {
    const std::string text = absl::StrCat(
        "ENTRY e {\n  x = f32[2] parameter(0)\n  y = s32[] parameter(1)\n  ",
        line, "\n}");
    EXPECT_EQ(ErrorOf(text), std::string(error)) << line;
  }
}

TEST(HloParserErrorsTest, GoesOnAfterAnErrorAndLeavesItsUsersAlone) {
  EXPECT_EQ(ErrorOf(R"(HloModule m

sum {
  a = f32[] parameter(0)
  b = f32[] parmeter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] negte(x)
  z = f32[2] add(x, y)
  w = f32[2] add(x, q)
  v = f32[2] map(x, y), dimensions={0}, to_apply=sum
  ROOT u = f32[2] add(z, w)
}
)"),
            "t.hlo:5:13: error: unknown op \"parmeter\", did you mean "
            "\"parameter\"?\n"
            "    b = f32[] parmeter(1)\n"
            "              ^~~~~~~~\n"
            "t.hlo:11:14: error: unknown op \"negte\", did you mean "
            "\"negate\"?\n"
            "    y = f32[2] negte(x)\n"
            "               ^~~~~\n"
            "t.hlo:13:21: error: no instruction before this one is named "
            "\"q\"\n"
            "    w = f32[2] add(x, q)\n"
            "                      ^");
}

// Found by libFuzzer: nothing may be left of a body that only calls what is
// broken, and then it has no root whose shape could be compared.
TEST(HloParserErrorsTest, OfWhatCallsABrokenComputationNothingIsSaid) {
  constexpr absl::string_view kBodies[] = {
      "ROOT r = f32[4] call(), to_apply=a",
      "p = f32[] parameter(0)\n  ROOT r = f32[4] call(p), to_apply=a",
      "ROOT r = ((), f32[4]) call-start(), to_apply=a",
      "s = ((), f32[4]) async-start(), calls=a\n  ROOT r = f32[4] "
      "async-done(s)",
      "ROOT r = f32[4] fusion(), kind=kLoop, calls={ ROOT x = f32[4] call(), "
      "to_apply=a }"};
  for (const absl::string_view body : kBodies) {
    EXPECT_EQ(
        ErrorOf(absl::StrCat(
            "HloModule m\n\na () -> f32[4] {\n  ROOT x = f3[4] "
            "constant({1, 2, 3, 4})\n}\n\nENTRY e () -> f32[4] {\n  ",
            body, "\n}\n")),
        "t.hlo:4:12: error: unknown element type 'f3'; did you mean 'f32'?\n"
        "    ROOT x = f3[4] constant({1, 2, 3, 4})\n             ^")
        << body;
  }
}

// A mistake that is seen at its end doesn't take the next line with it, nor the
// brace of its body.
TEST(HloParserErrorsTest, OneMistakeIsOneError) {
  const Case kBodies[] = {
      {"ENTRY e {\n  ROOT q = f32[4] iota()\n}",
       "t.hlo:2:19: error: iota lacks iota_dimension=\n"
       "    ROOT q = f32[4] iota()\n"
       "                    ^"},
      {"ENTRY e {\n  q = f32[4] iota()\n  ROOT r = f32[4] negate(q)\n}",
       "t.hlo:2:14: error: iota lacks iota_dimension=\n"
       "    q = f32[4] iota()\n"
       "               ^"},
      {"ENTRY e { ROOT c = f32[] costant(1) }\n",
       "t.hlo:1:26: error: unknown op \"costant\", did you mean "
       "\"constant\"?\n"
       "  ENTRY e { ROOT c = f32[] costant(1) }\n"
       "                           ^~~~~~~"},
  };
  for (const Case& body : kBodies) EXPECT_EQ(ErrorOf(body.line), body.error);
}

TEST(HloParserErrorsTest, ABodyThatIsNotClosedIsNamed) {
  constexpr absl::string_view kSum =
      "sum {\n  a = f32[] parameter(0)\n  ROOT b = f32[] negate(a)\n";
  EXPECT_THAT(
      ErrorOf(kSum),
      HasSubstr("t.hlo:4:1: error: expected an instruction, or \"}\" at "
                "the end of sum, which begins in line 1, found the end "
                "of the text"));
  EXPECT_THAT(
      ErrorOf(absl::StrCat("HloModule m\n\n", kSum,
                           "\nENTRY e {\n  p = f32[] parameter(0)\n}")),
      HasSubstr("t.hlo:7:1: error: expected an instruction, or \"}\" at "
                "the end of sum, which begins in line 3, found "
                "\"ENTRY\""));
}

TEST(HloParserErrorsTest, SaysWhatIsMissing) {
  EXPECT_THAT(ErrorOf("e { p = f32(4) parameter(0) }"),
              HasSubstr("\"f32\" needs its sizes: \"f32[2,3]\", \"f32[]\""));
  EXPECT_THAT(ErrorOf("e { p = f32[] parameter(0) q = f32[] add(p p) }"),
              HasSubstr("expected \",\" or \")\", found \"p\""));
}

// Whatever is wrong in a body inside a line, the next line stands where it
// should.
TEST(HloParserErrorsTest, ABodyInALineEndsWithItsBrace) {
  for (const absl::string_view body :
       {"{ q = f32[2] parmeter(0) }", "{%g}", "{ q }", "{ q = }", "{ = 1 }",
        "{\n q = f32[2] parmeter(0)\n }"}) {
    const std::string text = ErrorOf(
        absl::StrCat("ENTRY e {\n  x = f32[2] parameter(0)\n  z = f32[2] "
                     "call(x), to_apply=",
                     body, "\n  ROOT r = f32[2] negate(z)\n}"));
    EXPECT_NE(text, "");
    EXPECT_EQ(text.find("error:"), text.rfind("error:")) << text;
  }
}

TEST(HloParserErrorsTest, ASecondModuleIsNamed) {
  constexpr absl::string_view kOne =
      "HloModule m\n\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n";
  EXPECT_EQ(ErrorOf(absl::StrCat(kOne, "// -----\n", kOne)),
            "t.hlo:7:1: error: a second module begins here, and a text holds "
            "one; to fix: put each into a file of its own\n"
            "  HloModule m\n"
            "  ^~~~~~~~~");
}

TEST(HloParserErrorsTest, AMisspeltFirstWord) {
  constexpr absl::string_view kOne = " m {\n  ROOT x = f32[] parameter(0)\n}\n";
  for (const absl::string_view word : {"HloModul", "Hlomodule", "HLOModule"}) {
    EXPECT_EQ(ErrorOf(absl::StrCat(word, kOne)),
              absl::StrCat("t.hlo:1:1: error: unknown word \"", word,
                           "\", did you mean \"HloModule\"?\n  ", word,
                           " m {\n  ^", std::string(word.size() - 1, '~')));
  }
  EXPECT_THAT(ErrorOf(absl::StrCat("ENTRi", kOne)),
              HasSubstr("did you mean \"ENTRY\"?"));
}

TEST(HloParserErrorsTest, ASignatureWithoutAHeader) {
  for (const absl::string_view name : {"%f", "f"}) {
    EXPECT_THAT(ErrorOf(absl::StrCat(name,
                                     " (x: f32[2]) -> f32[2] {\n  x = "
                                     "f32[2] parameter(0)\n}\n")),
                HasSubstr("t.hlo:1:1: error: a computation with a signature "
                          "stands in a module; to fix: put \"HloModule name\" "
                          "in a line before"));
  }
}

TEST(HloParserErrorsTest, LongNamesAreCut) {
  const std::string text = ErrorOf(
      absl::StrCat("e { p = f32[] ", std::string(100000, 'x'), "(0) }"));
  EXPECT_THAT(text, HasSubstr("unknown op"));
  EXPECT_LT(text.size(), 2000);
}

// What can't be an instruction at all is left behind all the same.
TEST(HloParserErrorsTest, LinesThatBeginWithWhatIsNoNameAreSkipped) {
  for (const absl::string_view line :
       {"= f32[2] parameter(0)", "ROOT = f32[2] add(x, x)", "(", "{", "%", "->",
        "1 = f32[2] negate(x)", "\"a\"", "parameter = f32[] constant(1)",
        "ROOT", "f32 = f32[] constant(1)"}) {
    EXPECT_NE(ErrorOf(absl::StrCat("ENTRY e {\n  x = f32[2] parameter(0)\n  ",
                                   line, "\n  ", line, "\n  ROOT y = f32[2] ",
                                   "negate(x)\n}\n")),
              "")
        << line;
  }
}

TEST(HloParserErrorsTest, NamesAreSuggested) {
  EXPECT_THAT(ErrorOf("e { value = f32[] parameter(0) n = negate(vlaue) }"),
              HasSubstr("named \"vlaue\", did you mean \"value\"?"));
  EXPECT_THAT(ErrorOf("HloModule m, is_sheduled=true\ne { }"),
              HasSubstr("did you mean \"is_scheduled\"?"));
  EXPECT_THAT(
      ErrorOf("body { p = f32[] parameter(0) }\n"
              "e { x = f32[] parameter(0) c = f32[] call(x), to_apply=boby }"),
      HasSubstr("named \"boby\", did you mean \"body\"?"));
}

TEST(HloParserErrorsTest, StopsWhenThereAreTooMany) {
  std::string text = "ENTRY e {\n";
  for (int i = 0; i < 10000; ++i) {
    absl::StrAppend(&text, "  x", i, " = f32[] nothing()\n");
  }
  absl::StrAppend(&text, "}\n");
  const absl::StatusOr<Module> module = ParseHloText(text);
  ASSERT_FALSE(module.ok());
  size_t count = 0;
  const absl::string_view message = module.status().message();
  for (size_t at = 0;
       (at = message.find("unknown op", at)) != absl::string_view::npos; ++at) {
    ++count;
  }
  EXPECT_EQ(count, TextErrors::kMaxErrors);
}

TEST(HloParserErrorsTest, ElidedConstantsAreErrorsUnlessAllowed) {
  constexpr absl::string_view kText = "e { c = f32[100] constant({...}) }";
  EXPECT_FALSE(ParseHloText(kText).ok());
  ParseOptions options;
  options.allow_elided_constants = true;
  const absl::StatusOr<Module> module = ParseHloText(kText, options);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_FALSE(module->entry().root().literal().ok());
}

// Each line makes the shape twice as long; 6 KB of them would fill any memory.
TEST(HloParserErrorsTest, ShapesThatAreLeftOutHaveALimit) {
  const auto text = [](int lines) {
    std::string text = "HloModule m\nENTRY e {\n  t0 = f32[4] parameter(0)\n";
    for (int i = 1; i <= lines; ++i) {
      absl::StrAppend(&text, "  t", i, " = tuple(t", i - 1, ", t", i - 1,
                      ")\n");
    }
    return absl::StrCat(text, "  ROOT r = tuple()\n}\n");
  };
  EXPECT_TRUE(ParseHloText(text(10)).ok());
  EXPECT_THAT(ErrorOf(text(60)),
              HasSubstr("no result shape is given, and the shapes that this "
                        "text leaves out have more than 6"));
}

}  // namespace
}  // namespace indim
