// SPDX-License-Identifier: Apache-2.0
// What was odd about the calls reaches the caller of Build(); strict types make
// errors of mixed ones.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/math.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Caller kLine7{"net.cc", 7};

std::vector<std::string> WarningTexts(const BuildResult& built) {
  std::vector<std::string> texts;
  for (const CallDiagnostic& warning : built.warnings()) {
    texts.push_back(warning.text);
  }
  return texts;
}

TEST(WarningsTest, ComeWithTheModule) {
  TestBuilder b("bf16");
  const Op x = b.P("bf16[4]");
  b.Add(x, b.ConstantR0(1.0f), {}, kLine7);
  const BuildResult built = b.Build();
  ASSERT_TRUE(built.ok());
  EXPECT_THAT(
      WarningTexts(built),
      ElementsAre(HasSubstr("net.cc:7: warning: add: element types of")));
  EXPECT_EQ(built->entry().root().shape().ToString(), "f32[4]");
}

TEST(WarningsTest, ThereAreNone) {
  TestBuilder b("bf16");
  const Op x = b.P("bf16[4]");
  EXPECT_THAT(WarningTexts(b.Build(b.Add(x, x))), IsEmpty());
}

TEST(WarningsTest, ComeWithAnErrorToo) {
  TestBuilder b("bf16");
  const Op x = b.P("bf16[4]");
  b.Add(x, b.ConstantR0(1.0f), {}, kLine7);
  const BuildResult built = b.Build(b.Transpose(x, {1}));
  EXPECT_FALSE(built.ok());
  EXPECT_EQ(built.warnings().size(), 1u);
  TestBuilder later(std::move(b));
  EXPECT_THAT(b.Build().warnings(), IsEmpty());
}

TEST(WarningsTest, OfWhatItCalls) {
  TestBuilder b("main");
  ComputationBuilder sub = b.SubBuilder("sub");
  const Op s = sub.Parameter(0, "bf16[]");
  const Callee callee = sub.BuildCallee(sub.Add(s, sub.ConstantR0(1.0f)));
  ComputationBuilder idle = b.SubBuilder("idle");
  const Op t = idle.Parameter(0, "bf16[]");
  const Callee uncalled = idle.BuildCallee(idle.Add(t, idle.ConstantR0(1.0f)));
  const BuildResult built = b.Build(b.Call(callee, {b.P("bf16[]")}));
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(built.warnings().size(), 1u);
}

TEST(WarningsTest, StrictTypesAreErrors) {
  const auto strict = [](std::function<Op(TestBuilder&)> call) {
    return [call](TestBuilder& b) {
      b.set_strict_types(true);
      return call(b);
    };
  };
  CheckCalls({
      {"add", strict([](auto& b) { return b.P("bf16[4]") + b.P("f32[]"); }),
       "IND0901"},
      {"select", strict([](auto& b) {
         return b.Select(b.P("pred[]"), b.P("bf16[]"), b.P("f32[]"));
       }),
       "IND0901"},
      {"pad", strict([](auto& b) {
         return b.Pad(b.P("bf16[4]"), b.P("f32[]"), {{1, 0, 0}});
       }),
       "IND0901"},
      {"dot",
       strict([](auto& b) { return b.Dot(b.P("bf16[2,3]"), b.P("f32[3]")); }),
       "IND0645"},
      {"dot of a type that is asked for", strict([](auto& b) {
         return b.Dot(b.P("bf16[2,3]"), b.P("f32[3]"), ElementType::kF32);
       }),
       "f32[2]"},
      {"of one type",
       strict([](auto& b) { return b.P("bf16[4]") + b.P("bf16[]"); }),
       "bf16[4]"},
      {"in a composite",
       strict([](auto& b) { return LogAddExp(b.P("bf16[4]"), b.P("f64[4]")); }),
       "IND0901"},
      {"a composite of one type",
       strict([](auto& b) { return Softmax(b.P("bf16[4]")); }), "bf16[4]"},
      {"a sub-builder's", strict([](auto& b) {
         ComputationBuilder sub = b.SubBuilder("sub");
         const Op x = sub.Parameter(0, "bf16[]");
         const Callee callee =
             sub.BuildCallee(sub.Add(x, sub.ConstantR0(1.0f)));
         return b.Call(callee, {b.P("bf16[]")});
       }),
       "IND0605"},
  });
}

// Only when it is asked for, and only of what was made for nothing.
TEST(WarningsTest, UnusedOps) {
  for (const bool asked : {false, true}) {
    TestBuilder b("unused");
    const Op x = b.P("f32[4]");
    b.P("f32[2]");          // a parameter may go unused
    b.ConstantR0(1.0f);     // and a constant
    const Op y = b.Exp(x);  // used by what isn't used
    b.Log(y, kLine7);
    b.Outfeed(x, "f32[4]");  // does something
    b.CustomCall("f", {x}, "f32[4]");
    BuildOptions options;
    options.warn_unused = asked;
    const BuildResult built = b.Build(b.Neg(x), options);
    ASSERT_TRUE(built.ok()) << built.status();
    if (!asked) {
      EXPECT_THAT(WarningTexts(built), IsEmpty());
      continue;
    }
    ASSERT_EQ(built.warnings().size(), 1u)
        << ::testing::PrintToString(WarningTexts(built));
    const CallDiagnostic& warning = built.warnings()[0];
    EXPECT_EQ(CodeText(warning.diagnostic.code), "IND0662");
    EXPECT_EQ(warning.file, "net.cc");
    EXPECT_EQ(warning.line, 7);
    EXPECT_THAT(warning.text,
                HasSubstr("net.cc:7: warning: log: nothing uses its result "
                          "f32[4], and the result of the computation"));
  }
}

// What was the same before it was switched on isn't taken from memory.
TEST(WarningsTest, StrictTypesLookAgain) {
  TestBuilder b("twice");
  const Op x = b.P("bf16[2,3]"), y = b.P("f32[3,4]");
  b.Dot(x, y);
  b.Dot(x, y);
  b.set_strict_types(true);
  b.Dot(x, y, {}, kLine7);
  EXPECT_THAT(b.DiagnosticsText(),
              HasSubstr("net.cc:7: error: dot: element types of"));
  b.set_strict_types(false);
  EXPECT_TRUE(b.shape(b.Dot(x, y)).ok());
}

}  // namespace
}  // namespace indim
