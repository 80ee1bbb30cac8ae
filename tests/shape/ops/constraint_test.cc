// SPDX-License-Identifier: Apache-2.0
// Declarations of the op table: that they are whole, that what keeps them is
// accepted, that what breaks one of them is answered with its code, and that
// what would work does.

#include "indim/shape/ops/constraint.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/shape/fixes/fix.h"
#include "indim/shape/infer/check_constraint.h"
#include "indim/shape/ops/constraint_text.h"
#include "indim/tests/parsed_shape.h"
#include "indim/tests/shape/infer/declared_inputs.h"
#include "indim/tests/shape/infer/infer_testing.h"

namespace indim {
namespace {

constexpr uint32_t kSeed = 8;
constexpr int kDraws = 20;

std::string Text(OwnedInputs inputs) {
  std::string text(Name(inputs.opcode));
  for (const Shape& operand : inputs.operands) {
    absl::StrAppend(&text, " ", operand.ToString());
  }
  for (const Constraint& c : DeclarationOf(inputs.opcode).constraints) {
    if (c.attribute == nullptr) continue;
    absl::StrAppend(&text, " ", c.attribute->name, "=");
    for (int64_t n : c.attribute->numbers(inputs.attributes)) {
      absl::StrAppend(&text, n, ",");
    }
  }
  return absl::StrCat(text, " -> ", inputs.declared.ToString());
}

std::set<Code> Errors(const InferContext& context) {
  std::set<Code> codes;
  for (const Diagnostic& d : context.diagnostics()) {
    if (d.severity() == Severity::kError) codes.insert(d.code);
  }
  return codes;
}

InferPolicy PolicyFor(const Constraint& c) {
  return c.judge == ConstraintJudge::kVerifier ? InferPolicy::kVerifier
                                               : InferPolicy::kBuilder;
}

// --- The table --------------------------------------------------------------

TEST(DeclarationTest, ARowWithoutAFormNamesItsFunction) {
  const std::map<Opcode, std::string> functions = {
#define INDIM_OP(number, name, wire, min, max, attributes, callees, operand, \
                 constraints, type, form, result, function, traits,          \
                 broadcastable)                                              \
  {Opcode::k##name, #function},
#include "indim/shape/ops/ops.def"
#undef INDIM_OP
  };
  int complete = 0;
  for (const OpInfo& op : AllOps()) {
    const bool declared = functions.at(op.opcode) == "Declared";
    EXPECT_EQ(DeclarationOf(op.opcode).is_complete(), declared) << op.wire;
    EXPECT_EQ(ResultText(op.opcode).empty(), !declared) << op.wire;
    complete += declared ? 1 : 0;
  }
  // How many ops need no C++ of their own; docs/ops.md says so too.
  EXPECT_EQ(complete, 94);
}

TEST(DeclarationTest, EveryConstraintHasWordsAndCodes) {
  for (const OpInfo& op : AllOps()) {
    for (const Constraint& c : DeclarationOf(op.opcode).constraints) {
      EXPECT_FALSE(ConstraintText(c).empty()) << op.wire;
      EXPECT_EQ(Info(c.codes[0]).severity(), Severity::kError) << op.wire;
      EXPECT_LT(c.other, op.min_operands) << op.wire;
    }
  }
}

TEST(DeclarationTest, TheClassOfOperand0ComesFirst) {
  for (const OpInfo& op : AllOps()) {
    const auto constraints = DeclarationOf(op.opcode).constraints;
    if (op.operand == TypeMask::kAny) continue;
    ASSERT_FALSE(constraints.empty()) << op.wire;
    const bool array = op.operand == TypeMask::kArray;
    EXPECT_EQ(constraints[0].kind,
              array ? ConstraintKind::kArray : ConstraintKind::kElements);
    EXPECT_TRUE(array || constraints[0].elements == op.operand) << op.wire;
  }
}

TEST(DeclarationTest, AnUnknownOpDeclaresNothing) {
  EXPECT_TRUE(DeclarationOf(Opcode::kInvalid).constraints.empty());
  EXPECT_FALSE(DeclarationOf(static_cast<Opcode>(250)).is_complete());
}

// --- What keeps and what breaks them ----------------------------------------

class DeclaredInputsTest : public testing::TestWithParam<OpInfo> {
 protected:
  // As many draws as could be made to keep all constraints.
  std::vector<OwnedInputs> Good() {
    DeclaredInputs inputs(kSeed);
    std::vector<OwnedInputs> good;
    for (int i = 0; i < kDraws; ++i) {
      if (auto drawn = inputs.Keeping(GetParam().opcode)) {
        good.push_back(*std::move(drawn));
      }
    }
    return good;
  }
};

TEST_P(DeclaredInputsTest, WhatKeepsThemIsAccepted) {
  const OpDeclaration& declaration = DeclarationOf(GetParam().opcode);
  int accepted = 0, asked = 0;
  for (OwnedInputs& good : Good()) {
    InferContext context;
    const std::optional<Shape> shape = InferShape(&context, good.View());
    ++asked;
    accepted += shape ? 1 : 0;
    if (shape || !declaration.is_complete()) continue;
    // How operands broadcast is the form's own question.
    EXPECT_EQ(declaration.result.kind, ResultForm::Kind::kBroadcast)
        << Text(good);
    for (const Code code : Errors(context)) {
      EXPECT_LT(static_cast<int>(code), 100) << Text(good);
    }
  }
  EXPECT_GE(asked, kDraws / 4);
  if (declaration.is_complete()) {
    EXPECT_GE(accepted, asked / 10);
  }
}

TEST_P(DeclaredInputsTest, WhatBreaksOneIsAnsweredWithItsCode) {
  std::map<std::pair<const Constraint*, Code>, int> answered;
  for (const OwnedInputs& good : Good()) {
    for (const Constraint& c : DeclarationOf(GetParam().opcode).constraints) {
      for (const Code code : c.codes) {
        if (code == Code::kNone) continue;
        for (OwnedInputs& broken : Breaking(good, c, code)) {
          InferContext context(PolicyFor(c));
          const bool accepted = InferShape(&context, broken.View()).has_value();
          const std::set<Code> errors = Errors(context);
          answered[{&c, code}] += errors == std::set<Code>{code} ? 1 : 0;
          // Not every change breaks it: a type may do as well as another.
          InferContext asked(PolicyFor(c));
          if (CheckConstraint(&asked, broken.View(), c)) continue;
          EXPECT_FALSE(accepted) << Text(broken);
          for (const Code error : errors) {
            EXPECT_TRUE(error == c.codes[0] || error == c.codes[1])
                << CodeText(error) << ": " << Text(broken);
          }
        }
      }
    }
  }
  for (const Constraint& c : DeclarationOf(GetParam().opcode).constraints) {
    for (const Code code : c.codes) {
      if (code == Code::kNone) continue;
      EXPECT_GT((answered[{&c, code}]), 0)
          << CodeText(code) << ": " << ConstraintText(c);
    }
  }
}

// --- What would work --------------------------------------------------------

TEST_P(DeclaredInputsTest, AFixMakesItsConstraintHold) {
  for (const OwnedInputs& good : Good()) {
    for (const Constraint& c : DeclarationOf(GetParam().opcode).constraints) {
      for (const Code code : c.codes) {
        if (code == Code::kNone) continue;
        for (OwnedInputs& broken : Breaking(good, c, code)) {
          InferContext context(PolicyFor(c));
          if (CheckConstraint(&context, broken.View(), c)) continue;
          // One operand at a time.
          for (size_t i = 0; i <= broken.operands.size(); ++i) {
            const std::optional<Fix> fix = FixOf(broken.View(), c);
            if (!fix) break;
            broken.Apply(*fix);
          }
          InferContext again(PolicyFor(c));
          EXPECT_TRUE(!EarlierHold(broken.View(), c) ||
                      CheckConstraint(&again, broken.View(), c))
              << ConstraintText(c) << ": " << Text(broken);
        }
      }
    }
  }
}

TEST_P(DeclaredInputsTest, WhatIsSuggestedIsAccepted) {
  for (OwnedInputs& good : Good()) {
    for (const Constraint& c : DeclarationOf(GetParam().opcode).constraints) {
      for (OwnedInputs& broken : Breaking(good, c, c.codes[0])) {
        InferContext context;
        InferShape(&context, broken.View());
        for (const Diagnostic& d : context.diagnostics()) {
          const auto fix = SuggestFix(broken.View(), d);
          if (!fix) continue;
          broken.Apply(*fix);
          InferContext again;
          EXPECT_TRUE(InferShape(&again, broken.View())) << Text(broken);
          break;
        }
      }
    }
  }
}

// What is printed under an error of operands a, b, ...
std::string Suggestion(Query query) {
  OwnedInputs inputs;
  inputs.opcode = query.opcode;
  for (const std::string& operand : query.operands) {
    inputs.operands.push_back(S(operand));
  }
  inputs.attributes = query.attributes;
  if (!query.declared.empty()) inputs.declared = S(query.declared);
  const OpInputs view = inputs.View();
  InferContext context;
  InferShape(&context, view);
  for (const Diagnostic& d : context.diagnostics()) {
    const auto fix = SuggestFix(view, d);
    if (fix) return FixText(*fix, view, {{"a", "b", "c"}});
  }
  return "";
}

DotAttributes Contracting(const DimIndices& lhs, const DimIndices& rhs) {
  DotAttributes dot;
  dot.lhs_contracting_dims = lhs;
  dot.rhs_contracting_dims = rhs;
  return dot;
}

TEST(FixTest, SaysTheCallOrTheValue) {
  ReducePrecisionAttributes bits;
  PadAttributes pad;
  pad.padding = {{1, 1, 0}};
  const struct {
    Query query;
    const char* text;
  } cases[] = {
      {{Opcode::kAdd, {"f32[2]", "s32[2]"}},
       "ConvertElementType(b, ElementType::kF32) as operand 1: f32[2]"},
      {{Opcode::kClamp, {"s32[]", "f32[2]", "f32[]"}},
       "ConvertElementType(a, ElementType::kF32) as operand 0: f32[]"},
      {{Opcode::kSqrt, {"s32[2]"}},
       "ConvertElementType(a, ElementType::kF32) as operand 0: f32[2]"},
      {{Opcode::kPad, {"f32[2]", "f32[1]"}, pad},
       "Reshape(b, {}) as operand 1: f32[]"},
      {{Opcode::kPad, {"f32[2]", "f32[3]"}, pad}, "operand 1 of shape f32[]"},
      {{Opcode::kAfterAll, {"s32[]"}}, "operand 0 of shape token[]"},
      {{Opcode::kNegate, {"(s32[3], f32[])"}},
       "GetTupleElement(a, 1) as operand 0: f32[]"},
      {{Opcode::kCholesky, {"f32[4]"}}, ""},  // no single change will do
      {{Opcode::kCholesky, {"f32[3,4]"}}, "operand 0 of shape f32[3,3]"},
      {{Opcode::kReducePrecision, {"f32[4]"}, bits}, "exponent_bits=1"},
      {{Opcode::kTranspose, {"f32[4,5]"}, Dimensions({0, 2})},
       "dimensions={0,1}"},
      {{Opcode::kReverse, {"f32[4,5]"}, Dimensions({1, 1})}, "dimensions={1}"},
      // From the end; counted from 1.
      {{Opcode::kReverse, {"f32[4,5]"}, Dimensions({-1})}, "dimensions={1}"},
      {{Opcode::kReverse, {"f32[4,5]"}, Dimensions({2})}, "dimensions={1}"},
      {{Opcode::kReverse, {"f32[4,5]"}, Dimensions({1, -1})},
       "dimensions={1,0}"},
      {{Opcode::kDot, {"f32[784,10]", "f32[8,784]"}, Contracting({1}, {0})},
       "b as operand 0, a as operand 1"},
      {{Opcode::kDot, {"f32[8,784]", "f32[10,784]"}, Contracting({1}, {0})},
       "DotGeneral(a, b) with rhs_contracting_dims={1} matches dim 1 of a with "
       "dim 1 of b (784 = 784)"},
      {{Opcode::kDot, {"f32[5,8,784]", "f32[784,10]"}, Contracting({1}, {0})},
       "DotGeneral(a, b) with lhs_contracting_dims={2} matches dim 2 of a with "
       "dim 0 of b (784 = 784)"},
      {{Opcode::kDot, {"f32[8,784]", "f32[784,10]"}, Contracting({2}, {0})},
       "DotGeneral(a, b) with lhs_contracting_dims={1} matches dim 1 of a with "
       "dim 0 of b (784 = 784)"},
      {{Opcode::kDot, {"f32[8,784]", "f32[784,10]"}, Contracting({1}, {})},
       "DotGeneral(a, b) with rhs_contracting_dims={0} matches dim 1 of a with "
       "dim 0 of b (784 = 784)"},
      {{Opcode::kConcatenate, {"f32[2,3]", "f32[3]"}, Dimensions({0})},
       "BroadcastInDim(b, {2,3}, {1}) as operand 1: f32[2,3]"},
      {{Opcode::kDot, {"f32[2,3]", "f32[5,7]"}, Contracting({1}, {0})},
       "operand 1 of shape f32[3,7]"},
      {{Opcode::kGetTupleElement,
        {"(f32[2], s32[])"},
        GetTupleElementAttributes{2}},
       "index=1"},
      {{Opcode::kConvert, {"f32[4,5]"}}, "a result of f32[4,5]"},
      // What only shape functions know.
      {{Opcode::kSlice, {"f32[4]"}, SliceAttributes{{0}, {9}, {1}}},
       "limits={4}"},
      {{Opcode::kSlice, {"f32[4,5]"}, SliceAttributes{{0, 2}, {4, -1}, {1, 1}}},
       "limits={4,4}"},
      {{Opcode::kSlice, {"f32[4]"}, SliceAttributes{{-3}, {3}, {1}}},
       "starts={1}"},
      {{Opcode::kSlice, {"f32[4]"}, SliceAttributes{{0}, {3}, {0}}},
       "strides={1}"},
      {{Opcode::kSlice, {"f32[4]"}, SliceAttributes{{3}, {1}, {1}}}, ""},
      {{Opcode::kSlice, {"f32[?]"}, SliceAttributes{{0}, {-1}, {1}}},
       "limits={0}"},  // there is no end to count from
      {{Opcode::kSlice, {"f32[4]"}, SliceAttributes{{-9}, {9}, {1}}}, ""},
      {{Opcode::kDynamicSlice,
        {"f32[4,5]", "s32[]", "s32[]"},
        DynamicSliceAttributes{{2, 9}}},
       "dynamic_slice_sizes={2,5}"},
      {{Opcode::kDynamicUpdateSlice, {"f32[4]", "f32[5]", "s32[]"}},
       "operand 1 of shape f32[4]"},
      {{Opcode::kFft, {"f32[4]"}, FftAttributes{FftType::kFft, {4}}},
       "ConvertElementType(a, ElementType::kC64) as operand 0: c64[4]"},
      // Where broadcasting says what would work, or nothing does.
      {{Opcode::kAdd, {"f32[2]", "f32[3]"}}, ""},
      {{Opcode::kAdd, {"f32[2]"}}, ""},
      {{Opcode::kAdd, {"f32[2]", "f32[2]"}}, ""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Suggestion(c.query), c.text) << Name(c.query.opcode);
  }
}

std::vector<OpInfo> OpsWithConstraints() {
  std::vector<OpInfo> ops;
  for (const OpInfo& op : AllOps()) {
    if (!DeclarationOf(op.opcode).constraints.empty()) ops.push_back(op);
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(AllOps, DeclaredInputsTest,
                         testing::ValuesIn(OpsWithConstraints()),
                         [](const testing::TestParamInfo<OpInfo>& info) {
                           return std::string(info.param.name);
                         });

// Each code that a declaration names is counted: how much of the code table the
// property above covers.
TEST(DeclarationTest, HowManyConstraintsThereAre) {
  int constraints = 0, pairs = 0;
  std::set<Code> codes;
  for (const OpInfo& op : AllOps()) {
    for (const Constraint& c : DeclarationOf(op.opcode).constraints) {
      ++constraints;
      for (const Code code : c.codes) {
        if (code == Code::kNone) continue;
        ++pairs;
        codes.insert(code);
      }
    }
  }
  RecordProperty("constraints", constraints);
  RecordProperty("constraint_codes", pairs);
  RecordProperty("distinct_codes", static_cast<int>(codes.size()));
  EXPECT_GT(constraints, 150);
  EXPECT_GT(codes.size(), 25);
}

}  // namespace
}  // namespace indim
