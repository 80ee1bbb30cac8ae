// SPDX-License-Identifier: Apache-2.0
// A module with nested tuples at its border, made flat: it computes the same,
// and aliases and shardings stay with their arrays.

#include "indim/run/compile/flat_border.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/io/read.h"
#include "indim/run/compile/interface.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace pjrt {
namespace {

using ::testing::HasSubstr;

constexpr char kNested[] =
    R"(HloModule m, input_output_alias={ {0, 1}: (1, {0, 0}, may-alias) }

ENTRY e {
  x = f32[2]{0} parameter(0)
  s = ((f32[2]{0}, s32[]), f32[3]{0}) parameter(1), sharding={{devices=[2]<=[2]}, {replicated}, {replicated}}
  inner = (f32[2]{0}, s32[]) get-tuple-element(s), index=0
  w = f32[2]{0} get-tuple-element(inner), index=0
  n = s32[] get-tuple-element(inner), index=1
  v = f32[3]{0} get-tuple-element(s), index=1
  sum = f32[2]{0} add(x, w)
  first = (s32[], f32[2]{0}) tuple(n, sum)
  ROOT r = ((s32[], f32[2]{0}), f32[3]{0}) tuple(first, v)
}
)";

TEST(FlatBorderTest, OnlyNestedOrMixedTuplesAreNotFlat) {
  const struct {
    const char* parameters;
    const char* root;
    bool flat;
  } kCases[] = {
      {"a = f32[] parameter(0)", "ROOT r = f32[] negate(a)", true},
      {"a = f32[] parameter(0)", "ROOT r = (f32[]) tuple(a)", true},
      {"a = (f32[], f32[]) parameter(0)",
       "ROOT r = f32[] get-tuple-element(a), index=0", true},
      {"a = f32[] parameter(0)\n b = (f32[]) parameter(1)",
       "ROOT r = f32[] negate(a)", false},
      {"a = ((f32[])) parameter(0)", "ROOT r = f32[] constant(0)", false},
      {"a = f32[] parameter(0)\n t = (f32[]) tuple(a)",
       "ROOT r = ((f32[])) tuple(t)", false},
      {"a = f32[] parameter(0)\n t = token[] parameter(1)",
       "ROOT r = f32[] negate(a)", false},
      {"a = f32[] parameter(0)\n t = token[] after-all()",
       "ROOT r = (f32[], token[]) tuple(a, t)", false}};
  for (const auto& c : kCases) {
    const absl::StatusOr<Module> module = ReadModuleText(absl::StrCat(
        "HloModule m\n\nENTRY e {\n ", c.parameters, "\n ", c.root, "\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(HasFlatBorder(*module), c.flat) << c.parameters << c.root;
  }
}

TEST(FlatBorderTest, ItComputesTheSame) {
  const absl::StatusOr<Module> module = ReadModuleText(kNested);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_FALSE(HasFlatBorder(*module));
  const absl::StatusOr<Module> flat = WithFlatBorder(*module);
  ASSERT_TRUE(flat.ok()) << flat.status();
  EXPECT_TRUE(HasFlatBorder(*flat));
  RandomStream random(1);
  std::vector<Literal> arguments;
  for (const Shape& shape : module->entry().signature().parameters) {
    arguments.push_back(RandomLiteral(shape, &random).value());
  }
  const Literal nested = Evaluate(*module, arguments).value();
  const absl::StatusOr<Literal> result = Evaluate(*flat, LeavesOf(arguments));
  ASSERT_TRUE(result.ok()) << result.status();
  absl::Span<const Literal> leaves = result->elements();
  EXPECT_EQ(ValueOf(nested.shape(), &leaves), nested);
  EXPECT_TRUE(leaves.empty());
}

// Tokens, of every form, on both sides.
TEST(FlatBorderTest, TokensStayOutside) {
  const struct {
    const char* parameters;
    const char* root;
    size_t inputs;
    size_t outputs;
  } kCases[] = {
      {"t = token[] parameter(0)\n x = f32[2] parameter(1)",
       "ROOT r = (f32[2], token[]) tuple(x, t)", 1, 1},
      {"x = f32[2] parameter(0)\n t = token[] parameter(1)",
       "ROOT r = f32[2] add-dependency(x, t)", 1, 1},
      {"s = (f32[2], (token[], f32[2])) parameter(0)",
       "ROOT r = (token[], f32[2]) get-tuple-element(s), index=1", 2, 1},
      {"t = token[] parameter(0)", "ROOT r = token[] after-all(t)", 0, 0},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.parameters, "; ", c.root));
    const Module module =
        ReadModuleText(absl::StrCat("HloModule m\n\nENTRY e {\n ", c.parameters,
                                    "\n ", c.root, "\n}\n"))
            .value();
    const Interface interface = InterfaceOf(module).value();
    EXPECT_EQ(interface.inputs.size(), c.inputs);
    EXPECT_EQ(interface.outputs.size(), c.outputs);
    const absl::StatusOr<Module> flat = WithFlatBorder(module);
    ASSERT_TRUE(flat.ok()) << flat.status();
    EXPECT_TRUE(HasFlatBorder(*flat));
    RandomStream random(1);
    std::vector<Literal> arguments;
    for (const Shape& shape : interface.parameters) {
      arguments.push_back(RandomLiteral(shape, &random).value());
    }
    const Literal whole = Evaluate(module, arguments).value();
    const absl::StatusOr<Literal> result = Evaluate(*flat, LeavesOf(arguments));
    ASSERT_TRUE(result.ok()) << result.status();
    const std::vector<Literal> arrays = LeavesOf({*result});
    absl::Span<const Literal> leaves = arrays;
    EXPECT_EQ(ValueOf(whole.shape(), &leaves), whole);
    EXPECT_TRUE(leaves.empty());
  }
}

TEST(FlatBorderTest, AliasesAndShardingsStayWithTheirArrays) {
  const Module flat = WithFlatBorder(ReadModuleText(kNested).value()).value();
  const std::string text = PrintHloText(flat);
  EXPECT_THAT(text,
              HasSubstr("input_output_alias={ {1}: (1, {}, may-alias) }"));
  EXPECT_THAT(text, HasSubstr("parameter(1), sharding={devices=[2]<=[2]}"));
  const Interface interface = InterfaceOf(flat).value();
  ASSERT_EQ(interface.inputs.size(), 4u);
  EXPECT_EQ(interface.inputs[0].name, "x");
  EXPECT_EQ(interface.inputs[1].name, "s.0");
  EXPECT_EQ(interface.inputs[3].shape, Shape::Of(ElementType::kF32, {3}));
}

}  // namespace
}  // namespace pjrt
}  // namespace indim
