// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/structure/fingerprint.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/edit/editor.h"
#include "indim/io/read.h"
#include "indim/tests/data_files.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

std::string OfText(const std::string& text) {
  const absl::StatusOr<Module> module =
      ReadModuleText(absl::StrCat("HloModule ", text));
  EXPECT_TRUE(module.ok()) << module.status() << text;
  return module.ok() ? Fingerprint(*module) : "";
}

constexpr char kPlain[] = R"(m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY e {
  x = f32[4]{0} parameter(0)
  zero = f32[] constant(0)
  n = f32[4]{0} negate(x)
  t = f32[4]{0} tanh(x)
  p = f32[4]{0} power(n, t)
  g = f32[4]{0} all-reduce(p), channel_id=3, replica_groups={}, to_apply=add
  ROOT r = f32[] reduce(g, zero), dimensions={0}, to_apply=add
}
)";

// Names, order, metadata, the number of a channel.
constexpr char kDressed[] = R"(other_name

plus {
  one = f32[] parameter(1)
  zero.1 = f32[] parameter(0)
  ROOT sum = f32[] add(zero.1, one)
}

ENTRY main.7 {
  arg = f32[4]{0} parameter(0), metadata={op_name="x"}
  th = f32[4]{0} tanh(arg), metadata={source_file="a.py" source_line=7}
  neg = f32[4]{0} negate(arg)
  pow = f32[4]{0} power(neg, th)
  all = f32[4]{0} all-reduce(pow), channel_id=9, replica_groups={}, to_apply=plus
  c = f32[] constant(0)
  ROOT out = f32[] reduce(all, c), dimensions={0}, to_apply=plus
}
)";

std::string Replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(FingerprintTest, NamesOrderMetadataAndNumbersOfChannelsDontCount) {
  EXPECT_EQ(OfText(kPlain), OfText(kDressed));
}

TEST(FingerprintTest, AllElseCounts) {
  const std::vector<std::pair<const char*, const char*>> changes = {
      {"negate(x)", "abs(x)"},
      {"power(n, t)", "power(t, n)"},
      {"power(n, t)", "power(n, n)"},
      {"constant(0)", "constant(1)"},
      {"constant(0)", "constant(-0)"},
      {"ROOT s = f32[] add(a, b)", "ROOT s = f32[] add(a, a)"},
      {"ROOT s = f32[] add(a, b)", "ROOT s = f32[] multiply(a, b)"},
      {"channel_id=3, ", ""},
      {"replica_groups={}", "replica_groups={{0,1}}"},
      {"n = f32[4]{0} negate(x)",
       "n = f32[4]{0} negate(x), sharding={replicated}"},
      {"n = f32[4]{0} negate(x)",
       "n = f32[4]{0} negate(x), frontend_attributes={k=\"v\"}"},
      {"n = f32[4]{0} negate(x)",
       "u = f32[4]{0} negate(x)\n  n = f32[4]{0} negate(x)"},
      {"t = f32[4]{0} tanh(x)",
       "t = f32[4]{0} tanh(x), control-predecessors={n}"},
      {"ENTRY e {", "unused {\n  ROOT y = f32[] parameter(0)\n}\n\nENTRY e {"},
      {"m\n", "m, input_output_alias={ {}: (0, {}, may-alias) }\n"},
      {"m\n", "m, frontend_attributes={k=\"v\"}\n"},
  };
  std::set<std::string> values = {OfText(kPlain)};
  for (const auto& [from, to] : changes) {
    EXPECT_TRUE(values.insert(OfText(Replaced(kPlain, from, to))).second)
        << from << " -> " << to;
  }
}

TEST(FingerprintTest, UsersTellEqualRandomNumbersApart) {
  const std::string same = R"(m
ENTRY e {
  zero = f32[] constant(0)
  one = f32[] constant(1)
  r = f32[] rng(zero, one), distribution=rng_uniform
  q = f32[] rng(zero, one), distribution=rng_uniform
  ROOT d = f32[] subtract(r, r)
}
)";
  EXPECT_NE(OfText(same),
            OfText(Replaced(same, "subtract(r, r)", "subtract(r, q)")));
}

TEST(FingerprintTest, WhichInstructionsShareAChannelCounts) {
  const std::string one =
      Replaced(kPlain, "ROOT r",
               "h = f32[4]{0} all-reduce(n), channel_id=3, replica_groups={}, "
               "to_apply=add\n  ROOT r");
  EXPECT_NE(OfText(one), OfText(Replaced(one, "all-reduce(n), channel_id=3",
                                         "all-reduce(n), channel_id=4")));
}

TEST(FingerprintTest, ModulesAndTheirTextsHaveTheSame) {
  std::set<std::string> values;
  for (const std::string& path : JaxModules()) {
    const absl::StatusOr<Module> module = ReadModuleFile(path);
    ASSERT_TRUE(module.ok()) << module.status();
    const std::string value = Fingerprint(*module);
    EXPECT_TRUE(values.insert(value).second) << path;
    const absl::StatusOr<Module> again = ReadModuleText(PrintHloText(*module));
    ASSERT_TRUE(again.ok()) << path << again.status();
    EXPECT_EQ(Fingerprint(*again), value) << path;
  }
  EXPECT_GT(values.size(), 5u);
}

TEST(FingerprintTest, TextBytesAndEditorsKeepIt) {
  const Module module =
      ReadModuleText(absl::StrCat("HloModule ", kPlain)).value();
  const std::string value = Fingerprint(module);
  EXPECT_EQ(value.size(), 34u);
  EXPECT_EQ(value.substr(0, 2), "1:");
  EXPECT_EQ(Fingerprint(ReadModuleText(PrintHloText(module)).value()), value);
  Editor editor(module);
  editor.SetName(editor.Find("t"), "renamed");
  editor.SetMetadata(editor.Find("n"), "");
  EXPECT_EQ(Fingerprint(editor.Finish().module), value);
}

}  // namespace
}  // namespace indim
