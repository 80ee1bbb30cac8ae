// SPDX-License-Identifier: Apache-2.0
// Wrong edits: what each says, and that the module stays as it was.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "indim/edit/editor.h"
#include "indim/tests/edit/edit_util.h"
#include "indim/tests/edit/edited_chain.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// A wrong edit, and its codes.
struct WrongCase {
  const char* name;
  std::function<void(Fixture*)> edit;
  std::vector<std::string> codes;
};

const WrongCase kWrong[] = {
    {"DefaultReference",
     [](Fixture* f) { f->editor.SetOperand(InstructionRef(), 0, f->at("p")); },
     {"IND1000"}},
    {"OtherEditor",
     [](Fixture* f) {
       Editor other(f->module);
       f->editor.SetOperand(f->at("e"), 0, other.Find("p"));
     },
     {"IND1000"}},
    {"Dangling",
     [](Fixture* f) {
       const InstructionRef a = f->at("a");
       f->editor.SetRoot(f->editor.entry(), f->at("c"));
       f->editor.Erase(a);
       f->editor.SetRoot(f->editor.entry(), a);
     },
     {"IND1001"}},
    {"OtherComputation",
     [](Fixture* f) { f->editor.SetOperand(f->at("e"), 0, f->at("x")); },
     {"IND1002"}},
    {"RootOfOther",
     [](Fixture* f) { f->editor.SetRoot(f->editor.entry(), f->at("two")); },
     {"IND1002"}},
    {"Index",
     [](Fixture* f) { f->editor.SetOperand(f->at("e"), 1, f->at("p")); },
     {"IND1004"}},
    {"NegativeIndex",
     [](Fixture* f) { f->editor.SetOperand(f->at("e"), -1, f->at("p")); },
     {"IND1004"}},
    {"EraseUsed", [](Fixture* f) { f->editor.Erase(f->at("e")); }, {"IND1005"}},
    {"EraseRoot", [](Fixture* f) { f->editor.Erase(f->at("a")); }, {"IND1005"}},
    {"EraseCalled",
     [](Fixture* f) { f->editor.Erase(f->editor.computations()[0]); },
     {"IND1005"}},
    {"EraseEntry",
     [](Fixture* f) { f->editor.Erase(f->editor.entry()); },
     {"IND1005"}},
    {"Cycle",
     [](Fixture* f) { f->editor.SetOperand(f->at("e"), 0, f->at("c")); },
     {"IND1006"}},
    {"CycleOfOne",
     [](Fixture* f) { f->editor.SetOperand(f->at("e"), 0, f->at("e")); },
     {"IND1006"}},
    // Copies of a cycle used the originals, also when it was mended.
    {"CloneOfCycle",
     [](Fixture* f) {
       f->editor.SetOperand(f->at("two"), 0, f->at("two"));
       f->editor.CloneComputation(f->editor.computations()[0]);
       f->editor.SetOperand(f->at("two"), 0, f->at("x"));
     },
     {"IND1006"}},
    {"InlineOfCycle",
     [](Fixture* f) {
       f->editor.SetOperand(f->at("two"), 0, f->at("two"));
       f->editor.InlineCall(f->at("c"));
       f->editor.SetOperand(f->at("two"), 0, f->at("x"));
     },
     {"IND1006"}},
    {"OutlineOfCycle",
     [](Fixture* f) {
       f->editor.SetOperand(f->at("e"), 0, f->at("l"));
       f->editor.Outline({f->at("e"), f->at("l")}, "o");
       f->editor.SetOperand(f->at("e"), 0, f->at("p"));
     },
     {"IND1006"}},
    {"Attributes",
     [](Fixture* f) { f->editor.SetAttributes(f->at("e"), DotAttributes()); },
     {"IND1007"}},
    {"Shape",
     [](Fixture* f) {
       f->editor.SetShape(f->at("e"), Shape::Of(ElementType::kF32, {5}));
     },
     {"IND1008"}},
    {"NoCall",
     [](Fixture* f) { f->editor.InlineCall(f->at("e")); },
     {"IND1009"}},
    {"EraseParameter",
     [](Fixture* f) { f->editor.Erase(f->at("p")); },
     {"IND1010"}},
    {"CloneParameter",
     [](Fixture* f) { f->editor.Clone(f->at("p")); },
     {"IND1010"}},
    {"NoParameter",
     [](Fixture* f) { f->editor.RemoveParameter(f->editor.entry(), 2); },
     {"IND1004"}},
    {"UsedParameter",
     [](Fixture* f) { f->editor.RemoveParameter(f->editor.entry(), 1); },
     {"IND1005"}},
    {"EmptyRegion",
     [](Fixture* f) { f->editor.Outline({}, "region"); },
     {"IND1012"}},
    {"RegionWithAHole",
     [](Fixture* f) {
       f->editor.Outline({f->at("e"), f->at("c")}, "region");
     },
     {"IND1012"}},
    {"Recursion",
     [](Fixture* f) { f->editor.SetCallee(f->at("c"), 0, f->editor.entry()); },
     {"IND1013"}},
    {"NoTuple",
     [](Fixture* f) { f->editor.RemoveResult(f->editor.entry(), 0); },
     {"IND1014"}},
    {"ChangesWhatItUses",
     [](Fixture* f) {
       Insertion at = f->editor.Before(f->at("a"));
       at->SetName(at.Use(f->at("p")), "other");
     },
     {"IND1015"}},
    {"OpOfAnotherBuilder",
     [](Fixture* f) {
       ComputationBuilder b("other");
       Insertion at = f->editor.Before(f->at("a"));
       at.Insert(b.Parameter(0, "f32[4]"));
     },
     {"IND0602"}},
    {"OpOfAnotherInsertion",
     [](Fixture* f) {
       Insertion first = f->editor.Before(f->at("a"));
       Insertion second = f->editor.Before(f->at("e"));
       second.Insert(second->Neg(first.Use(f->at("p"))));
     },
     {"IND0602"}},
    {"BuilderIsBuilt",
     [](Fixture* f) {
       Insertion at = f->editor.Before(f->at("a"));
       (void)at->Build(at->Neg(at.Use(f->at("p"))));
     },
     {"IND0603"}},
    {"ParameterInInsertion",
     [](Fixture* f) {
       Insertion at = f->editor.Before(f->at("a"));
       at->Parameter(1, "f32[4]");
     },
     {"IND1010"}},
    {"UseOfErased",
     [](Fixture* f) {
       Insertion at = f->editor.Before(f->at("q"));
       const Op two = at.Use(f->at("a"));
       f->editor.SetRoot(f->editor.entry(), f->at("c"));
       f->editor.Erase(f->at("a"));
       at.Insert(at->Neg(two));
     },
     {"IND1001"}},
    {"UseOfOtherComputation",
     [](Fixture* f) {
       Insertion at = f->editor.Before(f->at("a"));
       at.Insert(at->Neg(at.Use(f->at("x"))));
     },
     {"IND1002"}},
    {"InsertBeforeNothing",
     [](Fixture* f) {
       Insertion at = f->editor.Before(InstructionRef());
       at.Insert(at->Neg(at.Use(f->at("p"))));
     },
     {"IND1000"}},
    {"WrongCallInInsertion",
     [](Fixture* f) {
       Insertion at = f->editor.Before(f->at("a"));
       at->Add(at.Use(f->at("p")), at->ConstantR1<float>({1, 2}));
     },
     {"IND0001"}},
    {"WronglyTyped",
     [](Fixture* f) {
       Insertion at = f->editor.Before(f->at("e"));
       f->editor.SetOperand(f->at("e"), 0,
                            at.Insert(at->ConvertElementType(
                                at.Use(f->at("p")), ElementType::kS32)));
     },
     {"IND0102"}},
    {"CallerLacksAnOperand",
     [](Fixture* f) {
       f->editor.AddParameter(f->editor.computations()[0],
                              Shape::Of(ElementType::kF32, {4}));
     },
     {"IND0401"}},
};

class WrongEditTest : public ::testing::TestWithParam<WrongCase> {};

TEST_P(WrongEditTest, IsAnErrorAndLosesNothing) {
  Fixture f;
  const std::string before = ToBytes(f.module);
  GetParam().edit(&f);
  const EditResult result = f.editor.Finish();
  EXPECT_EQ(CodesOf(result), GetParam().codes) << result.text();
  EXPECT_FALSE(result.status().ok());
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr(GetParam().codes[0]));
  EXPECT_EQ(result.module.entry(), f.module.entry());
  EXPECT_TRUE(ToBytes(f.module) == before);
}

INSTANTIATE_TEST_SUITE_P(All, WrongEditTest, ::testing::ValuesIn(kWrong),
                         [](const auto& info) { return info.param.name; });

TEST(EditorTest, ErrorsNameTheLineOfTheCall) {
  Fixture f;
  f.editor.Erase(f.at("e"), Caller{"my.cc", 7});
  EXPECT_EQ(f.editor.Finish().text(),
            "my.cc:7: error: Erase: e can't be removed: l uses it  "
            "[IND1005]\n");
}

// The element type of a dot is recorded, its dims follow from the operands.
TEST(EditorTest, FinishTellsOfShapesThatOperandsDecideOtherwise) {
  const Module module = FromText(R"(HloModule m
ENTRY main {
  a = f32[2,3] parameter(0)
  b = f32[3,4] parameter(1)
  ROOT d = f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)");
  for (const bool right : {true, false}) {
    Editor editor(module);
    editor.SetShape(editor.Find("d"),
                    Shape::Of(ElementType::kF64, {2, right ? 4 : 7}),
                    Caller{"my.cc", 7});
    EXPECT_EQ(editor.Finish().text(),
              right ? ""
                    : "my.cc:7: error: SetShape: d can't become f64[2,7]: its "
                      "operands decide its shape  [IND1008]\n");
  }
}

TEST(EditorTest, ErrorsOfInsertedCallsNameTheInstructionsThatTheyUse) {
  const Module module = FromText(R"(HloModule m
ENTRY main {
  a = f32[2] parameter(0)
  ROOT t = (f32[2]) tuple(a)
}
)");
  Editor editor(module);
  Insertion at = editor.After(editor.Find("t"));
  at->Neg(at.Use(editor.Find("t")));
  EXPECT_THAT(editor.Finish().text(), HasSubstr("%t = (f32[2])"));
}

}  // namespace
}  // namespace indim
