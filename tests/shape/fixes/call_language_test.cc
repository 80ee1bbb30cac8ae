// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/call_language.h"

#include <string>

#include "gtest/gtest.h"
#include "indim/shape/fixes/fix.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"

namespace indim {
namespace {

class In {
 public:
  explicit In(CallLanguage language) { SetCallLanguage(language); }
  ~In() { SetCallLanguage(CallLanguage::kCpp); }
};

// The fix of a wrong call of operands x and y.
std::string FixOfCall(Opcode opcode, const char* x, const char* y,
                      const Attributes& attributes) {
  const Shape lhs = *ParseShape(x), rhs = *ParseShape(y);
  OpInputs inputs;
  inputs.opcode = opcode;
  const Shape* const operands[] = {&lhs, &rhs};
  inputs.operands = operands;
  inputs.attributes = &attributes;
  InferContext context;
  EXPECT_FALSE(InferShape(&context, inputs));
  const std::string names[] = {"x", "y"};
  for (const Diagnostic& d : context.diagnostics()) {
    if (const auto fix = SuggestFix(inputs, d)) {
      return FixText(*fix, inputs, names);
    }
  }
  return "";
}

TEST(CallLanguageTest, FixesAreCallsOfTheLanguage) {
  DotAttributes rows;
  rows.lhs_contracting_dims = {1};
  rows.rhs_contracting_dims = {0};
  DotAttributes columns;
  columns.lhs_contracting_dims = {1};
  columns.rhs_contracting_dims = {1};
  DotAttributes batched;
  batched.lhs_contracting_dims = {2};
  batched.rhs_contracting_dims = {0};
  ElementwiseAttributes by_numpy;
  by_numpy.broadcast.rule = BroadcastRule::kNumpy;
  CompareAttributes less;
  less.direction = ComparisonDirection::kLt;
  const struct {
    Opcode opcode;
    const char* x;
    const char* y;
    Attributes attributes;
    const char* cpp;
    const char* python;
    const char* c;
  } kCases[] = {
      {Opcode::kAdd, "f32[8,10]", "f32[10]", Attributes(),
       "Add(x, y, {1}) matches", "b.add(x, y, broadcast_dimensions=[1]) match",
       "b.Add(\"add\", {x, y}, {\"broadcast_dimensions={1}\"}) match"},
      {Opcode::kAdd, "f32[8,10]", "f32[8]", by_numpy,
       "Add(x, y, {0}) matches dim 0 of y with dim 0 of x (8 = 8)",
       "b.add(x, y, broadcast_dimensions=[0]) matches dim 0 of y with dim 0 of "
       "x (8 = 8)",
       "{\"broadcast_dimensions={0}\"}) matches dim 0 of y"},
      {Opcode::kMaximum, "f32[8,10]", "f32[10]", Attributes(),
       "Max(x, y, {1}) matches",
       "b.maximum(x, y, broadcast_dimensions=[1]) matches",
       "b.Add(\"maximum\", {x, y}, "},
      {Opcode::kAnd, "s32[8,10]", "s32[10]", Attributes(),
       "And(x, y, {1}) matches", "b.and_(x, y, broadcast_dimensions=[1])",
       "b.Add(\"and\", {x, y}, "},
      {Opcode::kShiftRightLogical, "s32[8,10]", "s32[10]", Attributes(),
       "ShiftRightLogical(x, y, {1})",
       "b.shift_right_logical(x, y, broadcast_dimensions=[1])",
       "b.Add(\"shift-right-logical\", {x, y}, "},
      {Opcode::kCompare, "f32[8,10]", "f32[10]", less, "Lt(x, y, {1}) matches",
       "b.compare(x, y, direction=\"LT\", broadcast_dimensions=[1]) matches",
       "b.Add(\"compare\", {x, y}, {\"direction=LT, "
       "broadcast_dimensions={1}\"})"},
      {Opcode::kAdd, "f32[8]", "s32[8]", Attributes(),
       "ConvertElementType(y, ElementType::kF32)", "y.astype(\"f32\")",
       "b.Add(\"convert\", {y}, {}, \"f32[8]\") as operand 1"},
      {Opcode::kDot, "f32[8,784]", "f32[10,784]", rows,
       "DotGeneral(x, y) with rhs_contracting_dims={1} matches dim 1 of x",
       "x @ y.T matches dim 1 of x with dim 1 of y (784 = 784)",
       "b.Add(\"dot\", {x, y}, {\"lhs_contracting_dims={1}, "
       "rhs_contracting_dims={1}\"}) matches"},
      {Opcode::kDot, "f32[8,784]", "f32[784,10]", columns,
       "DotGeneral(x, y) with rhs_contracting_dims={0}", "x @ y matches",
       "b.Add(\"dot\", {x, y}, {\"lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}\"}) matches"},
      {Opcode::kDot, "f32[2,3,4]", "f32[2,4,5]", batched,
       "rhs_batch_dims={0} multiplies batch by batch, as MatMul(x, y) does",
       "b.dot_general(x, y, ([2], [1]), ([0], [0])) multiplies batch by batch, "
       "as x @ y does",
       "as b.Composite(\"mat_mul\", {x, y})[0] does"},
      {Opcode::kDot, "f32[2,3,4]", "f32[2,5,4]", batched,
       "as BatchDot(x, false, y, true) does", "as x @ y.swapaxes(-1, -2) does",
       "as b.Composite(\"batch_dot\", {x, y}, "
       "R\"({\"transpose_x\":false,\"transpose_y\":true})\")[0] does"},
  };
  for (const auto& c : kCases) {
    const std::string cpp = FixOfCall(c.opcode, c.x, c.y, c.attributes);
    EXPECT_NE(cpp.find(c.cpp), std::string::npos) << cpp;
    {
      const In in_python(CallLanguage::kPython);
      const std::string python = FixOfCall(c.opcode, c.x, c.y, c.attributes);
      EXPECT_NE(python.find(c.python), std::string::npos) << python;
    }
    const In in_c(CallLanguage::kC);
    const std::string in_c_text = FixOfCall(c.opcode, c.x, c.y, c.attributes);
    EXPECT_NE(in_c_text.find(c.c), std::string::npos) << in_c_text;
  }
}

// StableHLO's text has other operations and attributes than HLO's.
TEST(CallLanguageTest, FixesOfStablehloAreInItsWords) {
  const In in_stablehlo(CallLanguage::kStablehlo);
  DotAttributes rows;
  rows.lhs_contracting_dims = {1};
  rows.rhs_contracting_dims = {0};
  const Attributes none;
  EXPECT_EQ(FixOfCall(Opcode::kAdd, "f32[8]", "s32[8]", none),
            "stablehlo.convert %y : (tensor<8xi32>) -> tensor<8xf32> as "
            "operand 1");
  EXPECT_EQ(FixOfCall(Opcode::kDot, "f32[8,784]", "f32[10,784]", rows),
            "contracting_dims = [1] x [1]");
  EXPECT_EQ(FixOfCall(Opcode::kAdd, "f32[8,10]", "f32[10]", none), "");
}

TEST(CallLanguageTest, SettingsHaveTheLanguagesNames) {
  const struct {
    CallLanguage language;
    const char* steps;
    const char* size;
  } kCases[] = {
      {CallLanguage::kCpp, "EvalOptions::max_steps", "Refine"},
      {CallLanguage::kPython, "max_steps=N", "module.infer(k=8)"},
      {CallLanguage::kC, "indim_eval_options.max_steps",
       "module.Refine({\"k=8\"})"},
      {CallLanguage::kHlo, "--max-steps=N", "indim infer --set k=8"},
      {CallLanguage::kStablehlo, "--max-steps=N", "indim infer --set k=8"},
  };
  for (const auto& c : kCases) {
    const In in(c.language);
    EXPECT_EQ(SettingText(Setting::kMaxSteps), c.steps);
    EXPECT_EQ(SettingText(Setting::kSizeValues, "k"), c.size);
  }
}

TEST(CallLanguageTest, CompositesHaveTheLanguagesNames) {
  EXPECT_EQ(CompositeName("MatMul"), "MatMul");
  const In in_c(CallLanguage::kC);
  EXPECT_EQ(CompositeName("MatMul"), "mat_mul");
}

// A number without a sign needs no abs.
TEST(CallLanguageTest, FixesOfSignsSayWhatDoesWithoutOne) {
  const struct {
    Opcode opcode;
    const char* x;
    const char* said;
  } kCases[] = {
      {Opcode::kAbs, "u32[3]",
       "leave abs out, u32 has no sign; or ConvertElementType(x, "
       "ElementType::kS64) as operand 0: s64[3]"},
      {Opcode::kAbs, "pred[3]", "leave abs out, pred has no sign; or "},
      {Opcode::kSign, "u8[3]", "compare x with 0, u8 has no sign; or "},
      {Opcode::kNot, "f32[3]", "ConvertElementType(x, "},
  };
  for (const auto& c : kCases) {
    const Shape x = *ParseShape(c.x);
    OpInputs inputs;
    inputs.opcode = c.opcode;
    const Shape* const operands[] = {&x};
    inputs.operands = operands;
    InferContext context;
    EXPECT_FALSE(InferShape(&context, inputs));
    ASSERT_EQ(context.diagnostics().size(), 1u);
    const auto fix = SuggestFix(inputs, context.diagnostics()[0]);
    ASSERT_TRUE(fix.has_value()) << c.x;
    const std::string names[] = {"x"};
    EXPECT_EQ(FixText(*fix, inputs, names).find(c.said), 0u)
        << FixText(*fix, inputs, names);
  }
}

TEST(CallLanguageTest, NoCallOfOneLanguageIsOfAnother) {
  const struct {
    const char* name;
    std::string cpp;
    std::string python;
    std::string c;
    std::string hlo;
  } kRows[] = {
#define INDIM_FIX_CALL(name, cpp, python, c, hlo) {#name, cpp, python, c, hlo},
#include "indim/shape/fixes/fix_calls.def"
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(row.python.find('{'), std::string::npos) << row.name;
    if (row.cpp.find('(') == std::string::npos) continue;  // no call
    EXPECT_NE(row.cpp, row.python) << row.name;
    EXPECT_NE(row.cpp, row.c) << row.name;
    EXPECT_EQ(row.hlo.find("b."), std::string::npos) << row.name;
  }
}

}  // namespace
}  // namespace indim
