// SPDX-License-Identifier: Apache-2.0
// What comes along from a module to its derivative.

#include "indim/grad/carry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/grad/gradient.h"
#include "indim/passes/check/verify_module.h"
#include "indim/shape/ops/attributes.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSharded[] =
    R"(HloModule m, num_partitions=2, replica_count=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}

add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b), metadata={op_name="reducer"} }

ENTRY e {
  x = f32[4,8] parameter(0), sharding={devices=[2,1]0,1}
  w = f32[8] parameter(1), sharding={replicated}
  wb = f32[4,8] broadcast(w), dimensions={1}, metadata={op_name="f/spread" source_file="a.py" source_line=3}
  y = f32[4,8] multiply(x, wb), sharding={devices=[2,1]0,1}, metadata={op_name="f/mul" source_file="a.py" source_line=4}, frontend_attributes={k="v"}
  s = f32[4,8] sine(y), metadata={source_file="a.py" source_line=5}
  z = f32[] constant(0)
  r = f32[4] reduce(s, z), dimensions={1}, to_apply=add
  g = f32[8] all-gather(r), dimensions={0}, channel_id=3, replica_groups={{0,1},{2,3},{4,5},{6,7}}, use_global_device_ids=true, metadata={op_name="f/gather"}
  ROOT t = (f32[8]) tuple(g), sharding={{devices=[2]0,1}}
}
)";

// The line of the text with all of these parts; "": none has them.
std::string LineWith(const std::string& text,
                     std::initializer_list<absl::string_view> parts) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    bool all = true;
    for (const absl::string_view part : parts) {
      all = all && absl::StrContains(line, part);
    }
    if (all) return std::string(line);
  }
  return "";
}

std::string TextOf(const absl::StatusOr<Module>& module) {
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return "";
  return PrintHloText(*module);
}

TEST(CarryTest, LinesNamesShardingsAndAttributes) {
  const absl::StatusOr<Module> module = ParseHloText(kSharded);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string text = TextOf(Gradient(*module, {}));
  EXPECT_THAT(text, HasSubstr("num_partitions=2"));
  EXPECT_THAT(text, HasSubstr("replica_count=4"));
  EXPECT_THAT(text, HasSubstr("xla.sdy.meshes={mesh = "));
  // Copies keep all that they have.
  EXPECT_THAT(LineWith(text, {"= f32[4,8] multiply(%x"}),
              HasSubstr("sharding={devices=[2,1]0,1}, "
                        "frontend_attributes={k=\"v\"}, "
                        "metadata={op_name=\"f/mul\" source_file=\"a.py\" "
                        "source_line=4}"));
  // What is derived has the line, and another name.
  EXPECT_NE(LineWith(text, {"cosine(", "{source_file=\"a.py\" source_line=5}"}),
            "");
  EXPECT_NE(LineWith(text, {" multiply(", "op_name=\"f/mul/vjp\""}), "");
  EXPECT_NE(LineWith(text, {" reduce(", "op_name=\"f/spread/vjp\""}), "");
  // Parameters, cotangents and gradients.
  EXPECT_NE(LineWith(text, {"%x = ", "sharding={devices=[2,1]0,1}"}), "");
  EXPECT_NE(LineWith(text, {"%ct0 = ", "sharding={devices=[2]0,1}"}), "");
  EXPECT_NE(LineWith(text, {"f32[4,8] copy(", "sharding={devices=[2,1]0,1}"}),
            "");
  EXPECT_NE(LineWith(text, {"f32[8] copy(", "sharding={replicated}"}), "");
  // The reduce-scatter isn't the all-gather: it has a channel of its own.
  EXPECT_NE(LineWith(text, {"reduce-scatter(", "channel_id=4",
                            "op_name=\"f/gather/vjp\""}),
            "");
  const std::string forward = TextOf(Tangents(*module, {0}));
  EXPECT_NE(LineWith(forward, {"all-gather(", "channel_id=4", "f/gather/jvp"}),
            "");
  EXPECT_NE(LineWith(forward, {"%t0 = ", "sharding={devices=[2,1]0,1}"}), "");
}

// A custom call demands the layouts of its operands and of its result.
TEST(CarryTest, LayoutsOfCustomCalls) {
  const absl::StatusOr<Module> module = ParseHloText(R"(HloModule m
ENTRY e {
  x = f32[4,8] parameter(0)
  w = f32[8,4] parameter(1)
  c = (f32[8,4]{0,1}, s32[]) custom-call(w), custom_call_target="f", operand_layout_constraints={f32[8,4]{0,1}}
  g = f32[8,4] get-tuple-element(c), index=0
  ROOT d = f32[4,4] dot(x, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<Module> gradient = Gradient(*module, {0});
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  EXPECT_TRUE(VerifyModule(*gradient).ok());
  const std::string text = TextOf(gradient);
  EXPECT_THAT(LineWith(text, {"custom-call("}),
              HasSubstr("(f32[8,4]{0,1}, s32[])"));
}

// An operation that is made of others gives them its line, and nothing has a
// line of this library.
TEST(CarryTest, ExpandedOperationsHaveTheLineOfTheirs) {
  const absl::StatusOr<Module> module = ParseHloText(R"(HloModule m
step { x = f32[2] parameter(0)  c = f32[2] parameter(1)  s = f32[2] multiply(x, c)  ROOT r = (f32[2], f32[2]) tuple(s, s) }
mul { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] multiply(a, b) }
ENTRY e {
  x = f32[4,2] parameter(0)
  c = f32[2] parameter(1)
  s = (f32[4,2], f32[2]) scan(x, c), dimensions={0}, num_carries=1, is_reverse=true, is_associative=false, to_apply=step, metadata={op_name="scan" source_file="a.py" source_line=7}
  y = f32[4,2] get-tuple-element(s), index=0
  one = f32[] constant(1)
  ROOT p = f32[2] reduce(y, one), dimensions={0}, to_apply=mul, metadata={op_name="prod" source_file="a.py" source_line=8}
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  for (const std::string& text :
       {TextOf(Gradient(*module, {})), TextOf(Tangents(*module, {}))}) {
    EXPECT_THAT(text, HasSubstr("source_line=7"));
    EXPECT_THAT(text, HasSubstr("op_name=\"prod/"));
    EXPECT_THAT(text, Not(HasSubstr(".cc")));
    EXPECT_THAT(text, Not(HasSubstr(".h\"")));
  }
}

}  // namespace
}  // namespace indim
