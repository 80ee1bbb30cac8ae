// SPDX-License-Identifier: Apache-2.0
// DiffModules: what counts as a difference, and what is shown of it.

#include "indim/tools/diff/module_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

Module Parse(absl::string_view text) {
  const absl::StatusOr<Module> module = ParseHloText(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *module : Module();
}

// Lines with "-" and "+" alone.
std::string Changes(absl::string_view a, absl::string_view b) {
  DiffOptions options;
  options.context = 0;
  const ModuleDiff diff = DiffModules(Parse(a), Parse(b), options);
  std::string changes;
  size_t begin = 0;
  while (begin < diff.text.size()) {
    const size_t end = diff.text.find('\n', begin) + 1;
    if (diff.text[begin] == '-' || diff.text[begin] == '+') {
      changes += diff.text.substr(begin, end - begin);
    }
    begin = end;
  }
  EXPECT_EQ(diff.equal(), changes.empty());
  return changes;
}

constexpr char kBase[] = R"(HloModule m
sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}
ENTRY main {
  p = f32[8] parameter(0)
  zero = f32[] constant(0)
  n = f32[8] negate(p)
  e = f32[8] exponential(n)
  r = f32[] reduce(e, zero), dimensions={0}, to_apply=sum
  ROOT t = (f32[], f32[8]) tuple(r, e)
}
)";

std::string Replaced(std::string text, absl::string_view from,
                     absl::string_view to) {
  const size_t at = text.find(std::string(from));
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), std::string(to));
}

TEST(DiffModules, LayoutsCountUnlessToldOtherwise) {
  constexpr char kText[] = R"(HloModule m
ENTRY main {
  p = f32[8,4]{1,0} parameter(0)
  c = f32[8,4]{1,0} parameter(1)
  n = f32[8,4]{1,0} add(p, c)
  ROOT t = (f32[8,4]{1,0}) tuple(n)
}
)";
  const std::string other = absl::StrReplaceAll(kText, {{"{1,0}", "{0,1}"}});
  DiffOptions options;
  EXPECT_FALSE(DiffModules(Parse(kText), Parse(other), options).equal());
  options.layouts = false;
  EXPECT_TRUE(DiffModules(Parse(kText), Parse(other), options).equal());
  EXPECT_FALSE(DiffModules(Parse(kText),
                           Parse(Replaced(other, "add", "subtract")), options)
                   .equal());
}

TEST(DiffModules, NamesIdsOrderAndMetadataDontCount) {
  EXPECT_EQ(Changes(kBase, kBase), "");
  const std::string other = R"(HloModule other
plus {
  b = f32[] parameter(1)
  a = f32[] parameter(0)
  ROOT c = f32[] add(a, b)
}
ENTRY e {
  init = f32[] constant(0), metadata={op_name="zero"}
  q = f32[8] parameter(0)
  m = f32[8] negate(q)
  k = f32[8] exponential(m)
  s = f32[] reduce(k, init), dimensions={0}, to_apply=plus
  ROOT u = (f32[], f32[8]) tuple(s, k)
}
)";
  EXPECT_EQ(Changes(kBase, other), "");
  DiffOptions options;
  options.metadata = true;
  EXPECT_EQ(DiffModules(Parse(kBase), Parse(other), options).added, 1);
}

// What uses a changed instruction isn't shown.
TEST(DiffModules, OneChangeIsOnePair) {
  struct Row {
    const char* from;
    const char* to;
    const char* changes;
  };
  for (const Row& row : {
           Row{"constant(0)", "constant(1)",
               "-  %zero = f32[] constant(0)\n+  %zero = f32[] constant(1)\n"},
           Row{"exponential(n)", "sine(n)",
               "-  %e = f32[8]{0} exponential(%n)\n"
               "+  %e = f32[8]{0} sine(%n)\n"},
           Row{"exponential(n)", "exponential(p)",
               "-  %e = f32[8]{0} exponential(%n)\n"
               "+  %e = f32[8]{0} exponential(%p)\n"},
           Row{"z = f32[] add(x, y)", "z = f32[] multiply(x, y)",
               "-  ROOT %z = f32[] add(%x, %y)\n"
               "+  ROOT %z = f32[] multiply(%x, %y)\n"},
           Row{"e = f32[8] exponential(n)\n",
               "k = f32[8] abs(n)\n  e = f32[8] exponential(k)\n",
               "+  %k = f32[8]{0} abs(%n)\n"
               "-  %e = f32[8]{0} exponential(%n)\n"
               "+  %e = f32[8]{0} exponential(%k)\n"},
           Row{"  zero = f32[] constant(0)\n",
               "  zero = f32[] constant(0)\n  d = f32[] constant(5)\n",
               "+  %d = f32[] constant(5)\n"},
           Row{"tuple(r, e)", "tuple(r, n)",
               "-  ROOT %t = (f32[], f32[8]{0}) tuple(%r, %e)\n"
               "+  ROOT %t = (f32[], f32[8]{0}) tuple(%r, %n)\n"},
       }) {
    EXPECT_EQ(Changes(kBase, Replaced(kBase, row.from, row.to)), row.changes)
        << row.to;
  }
}

TEST(DiffModules, HeadersCount) {
  const std::string other =
      Replaced(kBase, "HloModule m", "HloModule m, replica_count=2");
  EXPECT_THAT(Changes(kBase, other), ::testing::HasSubstr("replica_count=2"));
}

TEST(DiffModules, ControlPredecessorsCount) {
  const std::string other = Replaced(
      kBase, "exponential(n)", "exponential(n), control-predecessors={zero}");
  EXPECT_THAT(Changes(kBase, other),
              ::testing::HasSubstr("control-predecessors={%zero}"));
}

TEST(DiffModules, ComputationsThatOneSideHas) {
  const std::string other = Replaced(kBase, "ENTRY", R"(unused {
  ROOT c = s32[] constant(7)
}
ENTRY)");
  EXPECT_EQ(Changes(kBase, other), "+  ROOT %c = s32[] constant(7)\n");
  EXPECT_EQ(Changes(other, kBase), "-  ROOT %c = s32[] constant(7)\n");
}

// A change in the middle of a long chain.
TEST(DiffModules, IsLinear) {
  constexpr int kCount = 20000;
  const auto chain = [](int changed) {
    std::string text = "ENTRY e {\n  x0 = f32[4] parameter(0)\n";
    for (int i = 1; i <= kCount; ++i) {
      absl::StrAppend(&text, i == kCount ? "  ROOT x" : "  x", i, " = f32[4] ",
                      i % changed == 1 ? "negate" : "add", "(x", i - 1,
                      i % changed == 1 ? "" : absl::StrCat(", x", i / 2),
                      ")\n");
    }
    return Parse(text + "}\n");
  };
  const ModuleDiff diff = DiffModules(chain(kCount), chain(kCount / 2));
  EXPECT_EQ(diff.removed, 1);
  EXPECT_EQ(diff.added, 1);
}

}  // namespace
}  // namespace indim
