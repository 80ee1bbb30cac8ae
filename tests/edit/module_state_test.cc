// SPDX-License-Identifier: Apache-2.0
// The state of a module that edits rewrite: layouts of the entry, aliasing,
// donors, schedules, shardings.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "indim/edit/editor.h"
#include "indim/stablehlo/write.h"
#include "indim/tests/edit/edit_util.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModule[] =
    R"(HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (2, {}, must-alias) }, buffer_donor={ (1, {}) }, entry_computation_layout={(f32[4,2]{0,1}, f32[4]{0}, f32[4]{0})->(f32[4,2]{0,1}, f32[4]{0})}, allow_spmd_sharding_propagation_to_parameters={true,false,true}, allow_spmd_sharding_propagation_to_output={true,false}, frontend_attributes={key="value"}

ENTRY main {
  p = f32[4,2]{1,0} parameter(0)
  q = f32[4]{0} parameter(1)
  r = f32[4]{0} parameter(2)
  e = f32[4,2]{1,0} exponential(p)
  s = f32[4]{0} add(q, r)
  ROOT t = (f32[4,2]{1,0}, f32[4]{0}) tuple(e, s)
}
)";

std::string Header(const Module& module) {
  return std::vector<std::string>(absl::StrSplit(
      PrintHloText(module, PrintOptions::LargeConstants()), '\n'))[0];
}

struct StateCase {
  const char* name;
  std::function<void(Editor*)> edit;
  std::vector<std::string> has;
  std::vector<std::string> has_not;
  std::vector<std::string> warnings;
};

const StateCase kCases[] = {
    {"NoChangeOfTheSignature",
     [](Editor* e) { e->Erase(e->Clone(e->Find("e"))); },
     {"{0}: (0, {}, may-alias), {1}: (2, {}, must-alias)",
      "buffer_donor={ (1, {}) }",
      "{(f32[4,2]{0,1}, f32[4]{0}, f32[4]{0})->(f32[4,2]{0,1}, f32[4]{0})}",
      "parameters={true,false,true}", "output={true,false}", "key=\"value\""},
     {},
     {}},
    {"AddParameter",
     [](Editor* e) {
       e->AddParameter(e->entry(), Shape::Of(ElementType::kS32, {3, 5}), "k");
     },
     {"{0}: (0, {}, may-alias), {1}: (2, {}, must-alias)",
      "{(f32[4,2]{0,1}, f32[4]{0}, f32[4]{0}, s32[3,5]{1,0})->",
      "parameters={true,false,true,false}"},
     {},
     {}},
    {"RemoveParameter",
     [](Editor* e) {
       e->ReplaceAllUses(e->Find("q"), e->Find("r"));
       e->RemoveParameter(e->entry(), 1);
     },
     {"{0}: (0, {}, may-alias), {1}: (1, {}, must-alias)",
      "{(f32[4,2]{0,1}, f32[4]{0})->", "parameters={true,true}"},
     {"buffer_donor"},
     {"IND1020"}},
    {"AddResult",
     [](Editor* e) { e->AddResult(e->entry(), e->Find("q")); },
     {"{0}: (0, {}, may-alias), {1}: (2, {}, must-alias)",
      "->(f32[4,2]{0,1}, f32[4]{0}, f32[4]{0})}", "output={true,false,false}"},
     {},
     {}},
    {"RemoveResult",
     [](Editor* e) { e->RemoveResult(e->entry(), 0); },
     {"input_output_alias={ {0}: (2, {}, must-alias) }", "->(f32[4]{0})}"},
     {"may-alias"},
     {"IND1020"}},
    {"RemoveAndAddResult",
     [](Editor* e) {
       e->AddResult(e->entry(), e->Find("p"));
       e->RemoveResult(e->entry(), 0);
     },
     {"input_output_alias={ {0}: (2, {}, must-alias) }",
      "->(f32[4]{0}, f32[4,2]{1,0})}"},
     {},
     {"IND1020"}},
    {"ParameterShape",
     [](Editor* e) {
       e->SetShape(e->Find("p"),
                   Shape::Of(ElementType::kF32, {8, 2}).WithDefaultLayout());
     },
     {"{(f32[8,2]{1,0}, f32[4]{0}, f32[4]{0})->(f32[8,2]{1,0}, f32[4]{0})}"},
     {},
     {}},
};

class ModuleStateTest : public ::testing::TestWithParam<StateCase> {};

TEST_P(ModuleStateTest, FollowsTheEdit) {
  const Module module = FromText(kModule);
  Editor editor(module);
  GetParam().edit(&editor);
  const EditResult result = editor.Finish();
  ASSERT_TRUE(result.ok()) << result.text();
  EXPECT_EQ(CodesOf(result), GetParam().warnings) << result.text();
  const std::string header = Header(result.module);
  for (const std::string& part : GetParam().has) {
    EXPECT_THAT(header, HasSubstr(part));
  }
  for (const std::string& part : GetParam().has_not) {
    EXPECT_THAT(header, Not(HasSubstr(part)));
  }
  // What was written reads back, and is itself.
  const Module again =
      FromText(PrintHloText(result.module, PrintOptions::LargeConstants()));
  EXPECT_EQ(Header(again), header);
}

INSTANTIATE_TEST_SUITE_P(All, ModuleStateTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

// A result that becomes an element of a tuple takes its aliases along.
TEST(ModuleStateTest, WrappedResult) {
  const Module module = FromText(
      R"(HloModule m, input_output_alias={ {}: (0, {}, must-alias) }

ENTRY main {
  p = f32[4]{0} parameter(0)
  ROOT e = f32[4]{0} exponential(p)
}
)");
  Editor editor(module);
  editor.AddResult(editor.entry(), editor.Find("p"));
  EXPECT_THAT(Header(Finished(&editor)),
              HasSubstr("input_output_alias={ {0}: (0, {}, must-alias) }"));
}

TEST(ModuleStateTest, AnotherEntryDropsItsState) {
  const Module module = FromText(
      R"(HloModule m, input_output_alias={ {}: (0, {}, must-alias) }

f {
  x = s32[2]{0} parameter(0)
  ROOT y = s32[2]{0} negate(x)
}

ENTRY main {
  p = f32[4]{0} parameter(0)
  ROOT e = f32[4]{0} exponential(p)
}
)");
  Editor editor(module);
  editor.SetEntry(editor.FindComputation("f"));
  editor.Erase(editor.FindComputation("main"));
  const EditResult result = editor.Finish();
  ASSERT_TRUE(result.ok()) << result.text();
  EXPECT_THAT(CodesOf(result), ElementsAre("IND1020")) << result.text();
  EXPECT_THAT(Header(result.module), Not(HasSubstr("alias")));
  EXPECT_THAT(Header(result.module), HasSubstr("{(s32[2]{0})->s32[2]{0}}"));
}

// What only StableHLO says of arguments and results goes with them.
TEST(ModuleStateTest, MemoryKinds) {
  constexpr absl::string_view kProgram = R"(
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32> {mhlo.memory_kind = "a"}, %b: tensor<4xf32>, %c: tensor<4xf32> {mhlo.memory_kind = "c"}) -> (RESULT) {
  %0 = stablehlo.add %b, %c : tensor<4xf32>
  %1 = func.call @other(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return RETURN
})";
  const auto program = [&](bool one) {
    return FromText(absl::StrReplaceAll(
        kProgram, {{"RESULT", one ? "tensor<4xf32> {mhlo.memory_kind = \"r\"}"
                                  : "tensor<4xf32> {mhlo.memory_kind = \"r\"}, "
                                    "tensor<4xf32> {mhlo.memory_kind = \"s\"}"},
                   {"RETURN", one ? "%1 : tensor<4xf32>"
                                  : "%1, %0 : tensor<4xf32>, tensor<4xf32>"}}));
  };
  const struct {
    const char* name;
    bool one;
    std::function<void(Editor*)> edit;
    // "a-c>r": the kinds of arguments and results, - for none.
    const char* kinds;
    std::vector<std::string> warnings = {};
  } cases[] = {
      {"nothing", false, [](Editor*) {}, "a-c>rs"},
      {"removed", false, [](Editor* e) { e->RemoveParameter(e->entry(), 0); },
       "-c>rs"},
      {"added", false,
       [](Editor* e) {
         e->AddParameter(e->entry(), Shape::Of(ElementType::kS32, {3}), "k");
         e->AddResult(e->entry(), e->Find("a"));
       },
       "a-c->rs-"},
      {"result removed", false,
       [](Editor* e) { e->RemoveResult(e->entry(), 0); }, "a-c>s"},
      {"result wrapped", true,
       [](Editor* e) { e->AddResult(e->entry(), e->Find("a")); }, "a-c>r-"},
      {"another entry",
       true,
       [](Editor* e) {
         e->SetEntry(e->FindComputation("other"));
         e->Erase(e->FindComputation("main"));
       },
       "->-",
       {"IND1020"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Module module = program(c.one);
    Editor editor(module);
    c.edit(&editor);
    const EditResult result = editor.Finish();
    ASSERT_TRUE(result.ok()) << result.text();
    EXPECT_EQ(CodesOf(result), c.warnings) << result.text();
    const std::string text = WriteStablehlo(result.module).value();
    const size_t main = text.find("func.func @");
    std::string kinds;
    for (const absl::string_view part : absl::StrSplit(
             text.substr(main, text.find(" {\n", main) - main), "tensor<")) {
      constexpr absl::string_view kKind = "mhlo.memory_kind = \"";
      const size_t at = part.find(kKind);
      if (!absl::StartsWith(part, "func")) {
        kinds += at == part.npos ? '-' : part[at + kKind.size()];
      }
      if (absl::StrContains(part, "->")) kinds += '>';
    }
    EXPECT_EQ(kinds, c.kinds) << text;
  }
}

// The schedule keeps its order, which isn't that of the text, and has what is
// new where its users and operands allow.
TEST(ModuleStateTest, Schedule) {
  const Module module = FromText(R"(HloModule m, is_scheduled=true

ENTRY main {
  p = f32[4]{0} parameter(0)
  e = f32[4]{0} exponential(p)
  l = f32[4]{0} log(p)
  ROOT a = f32[4]{0} add(e, l)
}
)");
  Editor editor(module);
  Insertion at = editor.Before(editor.Find("e"));
  const InstructionRef n = at.Insert(at->Neg(at.Use(editor.Find("p"))));
  editor.SetOperand(editor.Find("l"), 0, n);
  editor.SetOperand(editor.Find("a"), 0, editor.Find("p"));
  editor.Erase(editor.Find("e"));
  const Module changed = Finished(&editor);  // the verifier reads the schedule
  const std::string text =
      PrintHloText(changed, PrintOptions::LargeConstants());
  EXPECT_THAT(text, HasSubstr("is_scheduled=true"));
  const Module again = FromText(text);
  EXPECT_TRUE(ToBytes(again) == ToBytes(FromText(PrintHloText(
                                    again, PrintOptions::LargeConstants()))));
}

// Ids in the schedule stay as they are spelled: here with high halves, which
// are 0 in the first computation only.
TEST(ModuleStateTest, ScheduleKeepsItsIds) {
  const Module module = FromText(R"(HloModule m, is_scheduled=true

f {
  x = f32[4]{0} parameter(0)
  n = f32[4]{0} negate(x)
  ROOT a = f32[4]{0} add(n, x)
}

ENTRY main {
  p = f32[4]{0} parameter(0)
  e = f32[4]{0} exponential(p)
  ROOT c = f32[4]{0} call(e), to_apply=f
}
)");
  Editor editor(module);
  for (const char* name : {"a", "c"}) {
    const InstructionRef x = editor.Find(name);
    const InstructionRef operand = editor.operands(x)[0];
    editor.SetOperand(x, 0, editor.parameters(editor.computation(x))[0]);
    editor.SetOperand(x, 0, operand);
  }
  EXPECT_TRUE(ToBytes(Finished(&editor)) == ToBytes(module));
}

}  // namespace
}  // namespace indim
