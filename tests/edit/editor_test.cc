// SPDX-License-Identifier: Apache-2.0
// Edits, one kind at a time: what the module is afterwards.

#include "indim/edit/editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "indim/tests/edit/edit_util.h"
#include "indim/tests/edit/edited_chain.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(EditorTest, LooksAtTheGraph) {
  Fixture f;
  const Editor& e = f.editor;
  ASSERT_EQ(e.computations().size(), 2u);
  EXPECT_EQ(e.name(e.computations()[0]), "double");
  EXPECT_EQ(e.name(e.entry()), "main");
  EXPECT_EQ(e.FindComputation("double"), e.computations()[0]);
  EXPECT_FALSE(e.FindComputation("triple"));
  EXPECT_EQ(e.instructions(e.entry()), f.refs);
  EXPECT_THAT(e.PostOrder(e.entry()),
              ElementsAre(f.at("p"), f.at("e"), f.at("l"), f.at("c"), f.at("q"),
                          f.at("a")));
  EXPECT_THAT(e.parameters(e.entry()), ElementsAre(f.at("p"), f.at("q")));
  EXPECT_THAT(e.callers(e.computations()[0]), ElementsAre(f.at("c")));
  EXPECT_EQ(e.root(e.entry()), f.at("a"));
  EXPECT_EQ(e.opcode(f.at("e")), Opcode::kExp);
  EXPECT_EQ(e.shape(f.at("e")).WithoutLayout().ToString(), "f32[4]");
  EXPECT_THAT(e.operands(f.at("a")), ElementsAre(f.at("c"), f.at("q")));
  EXPECT_THAT(e.users(f.at("e")), ElementsAre(f.at("l")));
  EXPECT_THAT(e.users(f.at("x")), ElementsAre(f.at("two")));
  EXPECT_EQ(e.use_count(f.at("x")), 2);
  EXPECT_THAT(e.callees(f.at("c")), ElementsAre(e.computations()[0]));
  EXPECT_THAT(e.FindAll(Opcode::kAdd), ElementsAre(f.at("two"), f.at("a")));
  EXPECT_EQ(e.computation(f.at("two")), e.computations()[0]);
  EXPECT_NE(e.metadata(f.at("e")), "");
  EXPECT_TRUE(e.must_stay(f.at("p")));
  EXPECT_TRUE(e.must_stay(f.at("a")));
  EXPECT_FALSE(e.must_stay(f.at("l")));
  const Instruction exp = f.module.entry().instruction(2);
  EXPECT_EQ(e.Of(exp), f.at("e"));
  EXPECT_EQ(e.id(f.at("e")), exp.id());
  EXPECT_FALSE(e.Of(FromText(kEditedChain).entry().instruction(2)));
  EXPECT_EQ(e.Of(f.module.entry()), e.entry());
}

TEST(EditorTest, NoEditGivesTheModuleItself) {
  Fixture f;
  const EditResult result = f.editor.Finish();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.module.entry(), f.module.entry());
}

// An edit, and the entry afterwards.
struct EditCase {
  const char* name;
  std::function<void(Fixture*)> edit;
  const char* entry;
};

const EditCase kEdits[] = {
    {"Before",
     [](Fixture* f) {
       Insertion at = f->editor.Before(f->at("l"));
       const Op y = at->Neg(at.Use(f->at("e")));
       f->editor.SetOperand(f->at("l"), 0, at.Insert(y));
     },
     "p = parameter()\nq = parameter()\ne = exponential(p)\n"
     "negate.6 = negate(e)\nl = log(negate.6)\nc = call(l)\n"
     "ROOT a = add(c, q)\n"},
    {"AfterReplacesAllUses",
     [](Fixture* f) {
       Insertion at = f->editor.After(f->at("e"));
       const Op e = at.Use(f->at("e"));
       const InstructionRef relu =
           at.Insert(at->Max(e, at->Splat(0, "f32[4]")));
       f->editor.ReplaceAllUses(f->at("e"), relu);
     },
     "p = parameter()\nq = parameter()\ne = exponential(p)\n"
     "constant.6 = constant()\nbroadcast.7 = broadcast(constant.6)\n"
     "maximum.8 = maximum(e, broadcast.7)\nl = log(maximum.8)\n"
     "c = call(l)\nROOT a = add(c, q)\n"},
    {"ImplicitBroadcastBecomesExplicit",
     [](Fixture* f) {
       Insertion at = f->editor.AtEnd(f->editor.entry());
       const Op sum = at->Add(at.Use(f->at("a")), at->ConstantR0(1.0f));
       f->editor.SetRoot(f->editor.entry(), at.Insert(sum));
     },
     "p = parameter()\nq = parameter()\ne = exponential(p)\nl = log(e)\n"
     "c = call(l)\na = add(c, q)\nconstant.6 = constant()\n"
     "broadcast.7 = broadcast(constant.6)\n"
     "ROOT add.8 = add(a, broadcast.7)\n"},
    {"DroppedInsertionIsInserted",
     [](Fixture* f) {
       Insertion at = f->editor.Before(f->at("p"));
       at->SetName(at->ConstantR0(1.0f), "one");
     },
     "one = constant()\np = parameter()\nq = parameter()\n"
     "e = exponential(p)\nl = log(e)\nc = call(l)\nROOT a = add(c, q)\n"},
    {"TakenNameGetsANumber",
     [](Fixture* f) {
       Insertion at = f->editor.Before(f->at("p"));
       at->SetName(at->ConstantR0(1.0f), "e");
       at->SetName(at->ConstantR0(2.0f), "e");
     },
     "e.1 = constant()\ne.1.1 = constant()\np = parameter()\nq = parameter()\n"
     "e = exponential(p)\nl = log(e)\nc = call(l)\nROOT a = add(c, q)\n"},
    {"OperandMovesBeforeItsFirstUser",
     [](Fixture* f) { f->editor.SetOperand(f->at("e"), 0, f->at("q")); },
     "p = parameter()\nq = parameter()\ne = exponential(q)\nl = log(e)\n"
     "c = call(l)\nROOT a = add(c, q)\n"},
    {"LaterOperandMoves",
     [](Fixture* f) {
       Insertion at = f->editor.AtEnd(f->editor.entry());
       const Op one = at->Neg(at.Use(f->at("p")));
       f->editor.SetOperand(f->at("e"), 0, at.Insert(one));
     },
     "p = parameter()\nq = parameter()\nnegate.6 = negate(p)\n"
     "e = exponential(negate.6)\nl = log(e)\nc = call(l)\n"
     "ROOT a = add(c, q)\n"},
    {"Erase",
     [](Fixture* f) {
       f->editor.SetOperand(f->at("a"), 0, f->at("p"));
       for (const char* name : {"c", "l", "e"}) f->editor.Erase(f->at(name));
     },
     "p = parameter()\nq = parameter()\nROOT a = add(p, q)\n"},
    {"Clone",
     [](Fixture* f) {
       f->editor.SetOperand(f->at("a"), 1, f->editor.Clone(f->at("e")));
     },
     "p = parameter()\nq = parameter()\ne = exponential(p)\n"
     "e.1 = exponential(p)\nl = log(e)\nc = call(l)\nROOT a = add(c, e.1)\n"},
    {"InlineCall", [](Fixture* f) { f->editor.InlineCall(f->at("c")); },
     "p = parameter()\nq = parameter()\ne = exponential(p)\nl = log(e)\n"
     "two.1 = add(l, l)\nROOT a = add(two.1, q)\n"},
    {"OutlineOne",
     [](Fixture* f) {
       f->editor.Outline({f->at("l"), f->at("e")}, "region");
     },
     "p = parameter()\nq = parameter()\ncall.9 = call(p)\n"
     "c = call(call.9)\nROOT a = add(c, q)\n"},
    {"OutlineTwoResults",
     [](Fixture* f) {
       f->editor.SetOperand(f->at("a"), 1, f->at("e"));
       f->editor.Outline({f->at("e"), f->at("l")}, "region");
     },
     "p = parameter()\nq = parameter()\ncall.10 = call(p)\n"
     "get-tuple-element.11 = get-tuple-element(call.10)\n"
     "get-tuple-element.12 = get-tuple-element(call.10)\n"
     "c = call(get-tuple-element.12)\n"
     "ROOT a = add(c, get-tuple-element.11)\n"},
    {"AddParameter",
     [](Fixture* f) {
       const InstructionRef r = f->editor.AddParameter(
           f->editor.entry(), Shape::Of(ElementType::kF32, {4}), "r");
       f->editor.SetOperand(f->at("a"), 1, r);
     },
     "p = parameter()\nq = parameter()\nr = parameter()\n"
     "e = exponential(p)\nl = log(e)\nc = call(l)\nROOT a = add(c, r)\n"},
    {"RemoveParameter",
     [](Fixture* f) {
       f->editor.ReplaceAllUses(f->at("p"), f->at("q"));
       f->editor.RemoveParameter(f->editor.entry(), 0);
     },
     "q = parameter()\ne = exponential(q)\nl = log(e)\nc = call(l)\n"
     "ROOT a = add(c, q)\n"},
    {"AddResult",
     [](Fixture* f) {
       f->editor.AddResult(f->editor.entry(), f->at("l"));
       f->editor.AddResult(f->editor.entry(), f->at("e"));
     },
     "p = parameter()\nq = parameter()\ne = exponential(p)\nl = log(e)\n"
     "c = call(l)\na = add(c, q)\nROOT tuple.6 = tuple(a, l, e)\n"},
    {"RemoveResult",
     [](Fixture* f) {
       f->editor.AddResult(f->editor.entry(), f->at("l"));
       f->editor.RemoveResult(f->editor.entry(), 0);
     },
     "p = parameter()\nq = parameter()\ne = exponential(p)\nl = log(e)\n"
     "c = call(l)\na = add(c, q)\nROOT tuple.6 = tuple(l)\n"},
};

class EditTest : public ::testing::TestWithParam<EditCase> {};

TEST_P(EditTest, ChangesTheEntry) {
  Fixture f;
  const std::string before = ToBytes(f.module);
  GetParam().edit(&f);
  EXPECT_EQ(Entry(Finished(&f.editor)), GetParam().entry);
  EXPECT_TRUE(ToBytes(f.module) == before) << "the module itself changed";
}

INSTANTIATE_TEST_SUITE_P(All, EditTest, ::testing::ValuesIn(kEdits),
                         [](const auto& info) { return info.param.name; });

TEST(EditorTest, TakesNoEditAfterFinish) {
  Fixture f;
  ASSERT_TRUE(f.editor.Finish().ok());
  f.editor.SetOperand(f.at("e"), 0, f.at("q"));
  EXPECT_THAT(std::string(f.editor.status().message()), HasSubstr("IND1003"));
  EXPECT_FALSE(f.editor.Finish().ok());
}

// What Finish() found can be mended.
TEST(EditorTest, GoesOnAfterAnError) {
  Fixture f;
  f.editor.SetOperand(f.at("e"), 0, f.at("l"));
  EXPECT_THAT(CodesOf(f.editor.Finish()), ElementsAre("IND1006"));
  f.editor.SetOperand(f.at("e"), 0, f.at("p"));
  EXPECT_TRUE(ToBytes(Finished(&f.editor)) == ToBytes(f.module));
}

TEST(EditorTest, MovedEditorKeepsItsReferences) {
  Fixture f;
  Editor moved = std::move(f.editor);
  EXPECT_EQ(moved.name(f.refs[2]), "e");
  f.editor.SetRoot(f.editor.entry(), f.refs[0]);  // NOLINT: it was moved
  EXPECT_FALSE(f.editor.Finish().ok());           // NOLINT
  EXPECT_TRUE(moved.Finish().ok());
}

TEST(EditorTest, InsertionOutlivesItsEditor) {
  Module module = FromText(kEditedChain);
  auto editor = std::make_unique<Editor>(module);
  Insertion at = editor->AtEnd(editor->entry());
  const Op one = at->ConstantR0(1.0f);
  editor = nullptr;
  EXPECT_FALSE(at.Insert(one));
  Insertion moved = std::move(at);
  EXPECT_FALSE(at.Insert(at->ConstantR0(1.0f)));  // NOLINT: it was moved
}

// Shapes follow a changed parameter, through the call too.
TEST(EditorTest, InfersWhatDependsOnAChange) {
  Fixture f;
  for (const char* name : {"p", "q", "x"}) {
    f.editor.SetShape(f.at(name),
                      Shape::Of(ElementType::kBF16, {8}).WithDefaultLayout());
  }
  const Module changed = Finished(&f.editor);
  for (const Computation c : changed.computations()) {
    for (const Instruction i : c.instructions()) {
      EXPECT_EQ(i.shape().ToString(), "bf16[8]{0}") << i.name();
    }
  }
  EXPECT_THAT(ToText(changed),
              HasSubstr("entry_computation_layout={(bf16[8]{0}, bf16[8]{0})->"
                        "bf16[8]{0}}"));
}

TEST(EditorTest, CallsComputationsOfTheModule) {
  Fixture f;
  Insertion at = f.editor.Before(f.at("a"));
  const Callee twice = at.UseComputation(f.editor.computations()[0]);
  const Op y = at->Call(twice, {at.Use(f.at("q"))});
  f.editor.SetOperand(f.at("a"), 1, at.Insert(y));
  const Module changed = Finished(&f.editor);
  EXPECT_EQ(changed.computation_count(), 2);
  EXPECT_EQ(changed.entry().instruction(5).callee(0), changed.computation(0));
}

// A computation in use is declared by its signature: several, of several
// parameters, also in a region, and with broadcasts to expand beside them.
// Nothing of the declarations stays.
TEST(EditorTest, UsesComputationsInAnyCall) {
  const char kText[] =
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(a, b)\n}\n"
      "next {\n  i = s32[] parameter(0)\n  ROOT n = s32[] negate(i)\n}\n"
      "done {\n  j = s32[] parameter(0)\n"
      "  ROOT d = pred[] compare(j, j), direction=EQ\n}\n"
      "ENTRY e {\n  p = f32[8] parameter(0)\n  ROOT i = s32[] constant(1)\n}"
      "\n";
  Editor editor(FromText(kText));
  Insertion at = editor.AtEnd(editor.entry());
  const auto use = [&](const char* name) {
    return at.UseComputation(editor.FindComputation(name));
  };
  const Op p = at.Use(editor.Find("p"));
  const Op total = at->Reduce(p + at->ConstantR0(1.0f), at->ConstantR0(0.0f),
                              use("sum"), {0});
  const Op again = at->Reduce(p, total, use("sum"), {0});
  const Op loop =
      at->While(use("done"), use("next"), at.Use(editor.root(editor.entry())));
  editor.SetRoot(editor.entry(), at.Insert(at->Tuple({again, loop})));
  const Module changed = Finished(&editor);
  ASSERT_EQ(changed.computation_count(), 4);
  std::string callees;
  for (const Instruction i : changed.entry().instructions()) {
    EXPECT_NE(i.opcode(), Opcode::kInvalid);
    for (int k = 0; k < i.callee_count(); ++k) {
      callees += std::string(i.callee(k).name()) + " ";
    }
  }
  EXPECT_EQ(callees, "sum sum next done ");
}

TEST(EditorTest, InsertsComputations) {
  Fixture f;
  Insertion at = f.editor.Before(f.at("a"));
  ComputationBuilder sum = at->SubBuilder("double");
  const Op lhs = sum.Parameter(0, "f32[]"), rhs = sum.Parameter(1, "f32[]");
  const Callee add = sum.BuildCallee(sum.Add(lhs, rhs));
  const Op total =
      at->Reduce(at.Use(f.at("q")), at->ConstantR0(0.0f), add, {0});
  f.editor.SetRoot(f.editor.entry(), at.Insert(total));
  const Module changed = Finished(&f.editor);
  ASSERT_EQ(changed.computation_count(), 3);
  EXPECT_EQ(changed.computation(1).name(), "double.1");
  EXPECT_EQ(changed.entry().root().opcode(), Opcode::kReduce);
  EXPECT_EQ(changed.entry().index(), 2);
}

TEST(EditorTest, ClonesComputations) {
  Fixture f;
  const ComputationRef original = f.editor.computations()[0];
  const ComputationRef copy = f.editor.CloneComputation(original);
  const InstructionRef two = f.editor.root(copy);
  f.editor.SetOperands(two, {});
  f.editor.SetOperands(
      two, {f.editor.parameters(copy)[0], f.editor.parameters(copy)[0]});
  f.editor.SetCallee(f.at("c"), 0, copy);
  f.editor.Erase(original);
  const Module changed = Finished(&f.editor);
  ASSERT_EQ(changed.computation_count(), 2);
  EXPECT_EQ(changed.computation(0).name(), "double");
  EXPECT_EQ(changed.computation(0).root().name(), "two");
}

// A module that was wrong before can be edited; what is wrong is told.
// A copy has its original's name with a number, or the name that any new
// instruction would have. Finish() verifies that names differ.
TEST(EditorTest, NamesOfCopies) {
  const char kText[] =
      "ENTRY e {\n  p = f32[] parameter(0)\n  loss = f32[] negate(p)\n"
      "  loss.2 = f32[] negate(loss)\n  negate.3 = f32[] negate(loss.2)\n"
      "  negate.7 = f32[] negate(negate.3)\n"
      "  ROOT negate.6.1 = f32[] negate(negate.7)\n}\n";
  Editor editor(FromText(kText));
  for (const char* name : {"loss", "loss", "loss.2", "negate.3", "negate.3",
                           "negate.7", "negate.6.1"}) {
    const InstructionRef copy = editor.Clone(editor.Find(name));
    editor.SetOperand(editor.root(editor.entry()), 0, copy);
  }
  Insertion at = editor.AtEnd(editor.entry());
  const Op x = at.Use(editor.Find("p"));
  const Op y = at->Neg(x);
  at->SetName(y, "loss.1");
  at.Insert(y);
  const Module module = Finished(&editor);
  const std::string text = ToText(module);
  for (const char* part : {"loss.1 = ", "loss.3 = ", "loss.2.1 = ",
                           "negate.6.1.1 = ", "loss.1.1 = "}) {
    EXPECT_THAT(text, HasSubstr(part)) << text;
  }
  EXPECT_THAT(text, Not(HasSubstr("negate.3.1"))) << text;
  EXPECT_EQ(module.instruction_count(), 14);
}

// The ids of a file may be any. New ones are new, whatever is left.
TEST(EditorTest, IdsWithoutOneAbove) {
  const absl::StatusOr<Module> module = ReadModuleText(
      "name: 'm' entry_computation_name: 'e' "
      "entry_computation_id: 9223372036854775807 "
      "computations { name: 'e' id: 9223372036854775807 root_id: 4294967295 "
      "instructions { name: 'x' opcode: 'parameter' id: 1 "
      "shape { element_type: F32 } } "
      "instructions { name: 'y' opcode: 'negate' id: 3 operand_ids: 1 "
      "shape { element_type: F32 } } "
      "instructions { name: 'z' opcode: 'negate' id: 4294967295 "
      "operand_ids: 3 shape { element_type: F32 } } }");
  ASSERT_TRUE(module.ok()) << module.status();
  Editor editor(*module);
  const InstructionRef y = editor.Clone(editor.Find("y"));
  const InstructionRef z = editor.Clone(editor.Find("y"));
  EXPECT_EQ(editor.id(y), 2);
  EXPECT_EQ(editor.id(z), 4);
  const ComputationRef copy = editor.CloneComputation(editor.entry());
  EXPECT_TRUE(copy);
  const Module result = Finished(&editor);
  EXPECT_EQ(result.computation(0).id(), 1);
}

TEST(EditorTest, KeepsOldErrors) {
  const Module module = FromText(R"(HloModule m

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}

ENTRY main {
  p = f32[4] parameter(0)
  s = f32[4] all-reduce(p), replica_groups={{0,0}}, to_apply=add
  ROOT n = f32[4] negate(s)
}
)");
  Editor editor(module);
  editor.SetName(editor.Find("n"), "minus");
  const EditResult result = editor.Finish();
  EXPECT_TRUE(result.ok()) << result.text();
  EXPECT_THAT(CodesOf(result), ElementsAre("IND1021"));
}

}  // namespace
}  // namespace indim
