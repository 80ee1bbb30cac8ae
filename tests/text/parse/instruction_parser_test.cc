// SPDX-License-Identifier: Apache-2.0
// Single instructions of HLO text: shapes that are left out, operands in all
// spellings, async sugar.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/tests/text/parse/parsed_module.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kBefore = R"(
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = add(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1)
       ROOT s = compare(a, b), direction=LT }
less2 { a = f32[] parameter(0) b = f32[] parameter(1)
        c = f32[] parameter(2) d = f32[] parameter(3)
        ROOT s = compare(a, b), direction=LT }
next { p = f32[2] parameter(0) ROOT n = negate(p) }
again { p = f32[2] parameter(0) ROOT c = pred[] constant(false) }
ENTRY e {
  x = f32[2,3]{0,1} parameter(0)
  y = f32[2,3] parameter(1)
  v = f32[2] parameter(2)
  s = f32[] parameter(3)
  i = s32[] parameter(4)
  p = pred[] parameter(5)
  k = s32[2,3] parameter(6)
  t = (f32[2], (s32[], f32[2,3])) parameter(7)
  mask = pred[2,3]{0,1} parameter(8)
  square = f32[2,2]{0,1} parameter(9)
  w = f32[3] parameter(10)
  at = s32[1,1] parameter(11)
  row = f32[1,3] parameter(12)
  column = f32[2,1]{0,1} parameter(13)
  tok = token[] after-all()
  ROOT r = )";

// What is inferred, with the layouts that XLA's parser gives (jaxlib 0.10.2).
TEST(HloParserInstructionTest, ResultShapesMayBeLeftOut) {
  const struct {
    absl::string_view text;
    absl::string_view shape;
  } kCases[] = {
      {"negate(x)", "f32[2,3]{0,1}"},
      {"add(x, y)", "f32[2,3]{0,1}"},
      {"add(y, x)", "f32[2,3]{1,0}"},
      {"add(column, y)", "f32[2,3]{1,0}"},
      {"compare(x, y), direction=EQ", "pred[2,3]{0,1}"},
      {"transpose(x), dimensions={1,0}", "f32[3,2]{1,0}"},
      {"transpose(y), dimensions={1,0}", "f32[3,2]{0,1}"},
      {"tuple(x, i)", "(f32[2,3]{0,1}, s32[])"},
      {"tuple()", "()"},
      {"get-tuple-element(t), index=1", "(s32[], f32[2,3]{1,0})"},
      {"reduce(x, s), dimensions={1}, to_apply=sum", "f32[2]{0}"},
      {"while(v), body=next, condition=again", "f32[2]{0}"},
      {"call(v), to_apply=next", "f32[2]{0}"},
      {"conditional(p, v, v), true_computation=next, false_computation=next",
       "f32[2]{0}"},
      {"conditional(i, v, v, v), branch_computations={next, next, next}",
       "f32[2]{0}"},
      {"dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
       "f32[2,2]{1,0}"},
      {"dot(v, x)", "f32[2,2,3]{2,1,0}"},
      {"map(x, y), dimensions={0,1}, to_apply=sum", "f32[2,3]{1,0}"},
      {"sort(x), dimensions={0}, to_apply=less", "f32[2,3]{0,1}"},
      {"sort(y, x), dimensions={1}, to_apply=less2",
       "(f32[2,3]{1,0}, f32[2,3]{0,1})"},
      {"select(mask, y, y)", "f32[2,3]{0,1}"},
      {"set-dimension-size(x, i), dimensions={1}", "f32[2,<=3]{0,1}"},
      {"fft(x), fft_type=RFFT, fft_length={3}", "c64[2,2]{0,1}"},
      {"cholesky(square), lower=true", "f32[2,2]{0,1}"},
      {"triangular-solve(square, x), left_side=true, lower=true, "
       "unit_diagonal=true, transpose_a=NO_TRANSPOSE",
       "f32[2,3]{0,1}"},
      {"batch-norm-training(x, w, w), epsilon=0.1, feature_index=1",
       "(f32[2,3]{0,1}, f32[3]{0}, f32[3]{0})"},
      {"batch-norm-inference(x, w, w, w, w), epsilon=0.1, feature_index=1",
       "f32[2,3]{0,1}"},
      {"batch-norm-grad(x, w, w, w, y), epsilon=0.1, feature_index=1",
       "(f32[2,3]{0,1}, f32[3]{0}, f32[3]{0})"},
      {"scatter(x, at, row), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
       "f32[2,3]{0,1}"},
      {"select-and-scatter(x, row, s), window={size=2x1 stride=2x1}, "
       "select=less, scatter=sum",
       "f32[2,3]{0,1}"},
      {"reduce-window(x, s), window={size=1x1}, to_apply=sum", "f32[2,3]{1,0}"},
      {"iota(), iota_dimension=0", ""},
      {"broadcast(s)", "f32[]"},
      {"broadcast(v), dimensions={4}", "f32[4,2]{1,0}"},
      {"concatenate(x, y), dimensions={0}", "f32[4,3]{1,0}"},
      {"sort(v), dimensions={0}, to_apply=less", "f32[2]{0}"},
      {"select(p, x, y)", "f32[2,3]{0,1}"},
      {"is-finite(v)", "pred[2]{0}"},
      {"opt-barrier(t)", "(f32[2]{0}, (s32[], f32[2,3]{1,0}))"},
      {"partition-id()", "u32[]"},
      {"after-all(tok)", "token[]"},
      {"add-dependency(x, tok)", "f32[2,3]{0,1}"},
      {"convert(x)", ""},
      {"reshape(x)", ""},
      {"complex(v, v)", "c64[2]{0}"},
      {"get-dimension-size(x), dimensions={0}", "s32[]"},
  };
  for (const auto& [text, shape] : kCases) {
    const absl::StatusOr<Module> module =
        ParseHloText(absl::StrCat(kBefore, text, " }"));
    if (shape.empty()) {
      EXPECT_FALSE(module.ok()) << text;
      continue;
    }
    ASSERT_TRUE(module.ok()) << text << ": " << module.status().message();
    EXPECT_EQ(module->entry().root().shape().ToString(), shape) << text;
  }
}

// XLA writes what the text leaves to the operands.
TEST(HloParserInstructionTest, ComparisonTypesFollowTheOperands) {
  const struct {
    absl::string_view text;
    ComparisonType type;
  } kCases[] = {
      {"compare(x, y), direction=EQ", ComparisonType::kFloat},
      {"compare(i, i), direction=EQ", ComparisonType::kSigned},
      {"compare(p, p), direction=EQ", ComparisonType::kUnsigned},
      {"compare(x, y), direction=EQ, type=TOTALORDER",
       ComparisonType::kFloatTotalOrder},
      {"compare(x, y), direction=EQ, order=TOTAL",
       ComparisonType::kFloatTotalOrder},
      {"compare(x, y), direction=EQ, order=PARTIAL", ComparisonType::kFloat},
      // A line that is known, and an operand that is an instruction.
      {"compare(x, x), direction=LT\n ROOT q = compare(x, x), direction=LT",
       ComparisonType::kFloat},
      {"compare(f32[2,3]{0,1} negate(x), y), direction=EQ",
       ComparisonType::kFloat},
  };
  for (const auto& [text, type] : kCases) {
    const bool two = absl::StrContains(text, "ROOT");
    const absl::string_view before =
        two ? absl::StripSuffix(kBefore, "ROOT r = ") : kBefore;
    const Module module =
        Parsed(absl::StrCat(before, two ? "r = " : "", text, " }"));
    EXPECT_EQ(As<CompareAttributes>(module.entry().root().attributes()).type,
              type)
        << text;
  }
}

// XLA makes these itself, whatever the text says.
TEST(HloParserInstructionTest, ShapesThatAreNotBelieved) {
  const struct {
    absl::string_view text;
    absl::string_view shape;
  } kCases[] = {
      {"f32[1] after-all()", "token[]"},
      {"f32[1] add-dependency(x, tok)", "f32[2,3]{0,1}"},
      {"(f32[9]) send(v, tok), channel_id=1", "(f32[2]{0}, u32[], token[])"},
      {"(f32[9]) recv(tok), channel_id=1", "(f32[9]{0}, u32[], token[])"},
      {"(f32[9]) infeed(tok)", "(f32[9]{0}, token[])"},
      {"f32[5] outfeed(v, tok)", "token[]"},
      // This one is: the verifier is the one to complain.
      {"f32[7] negate(x)", "f32[7]{0}"},
  };
  for (const auto& [text, shape] : kCases) {
    const Module module = Parsed(absl::StrCat(kBefore, text, " }"));
    EXPECT_EQ(module.entry().root().shape().ToString(), shape) << text;
  }
}

TEST(HloParserInstructionTest, Operands) {
  const Module m = Parsed(absl::StrCat(
      kBefore, "add(f32[2,3] %x, f32[2,3]{1,0} add(y, f32[2,3] t#1#1)) }"));
  const Instruction root = m.entry().root();
  EXPECT_EQ(root.operand(0).name(), "x");
  const Instruction inner = root.operand(1);
  EXPECT_EQ(inner.name(), "add.anon");
  const Instruction element = inner.operand(1);
  EXPECT_EQ(element.opcode(), Opcode::kGetTupleElement);
  EXPECT_EQ(element.shape().ToString(), "f32[2,3]{1,0}");
  EXPECT_EQ(element.name(), "t_1_1");
  EXPECT_EQ(element.operand(0).name(), "t_1");
  EXPECT_EQ(element.operand(0).operand(0).name(), "t");
}

TEST(HloParserInstructionTest, OperandsAfterANestedOne) {
  const Module m = Parsed(absl::StrCat(
      kBefore, "tuple((f32[2,3]) tuple(x), negate(abs(y)), add(x, y), y) }"));
  const Instruction root = m.entry().root();
  EXPECT_EQ(root.shape().WithoutLayout().ToString(),
            "((f32[2,3]), f32[2,3], f32[2,3], f32[2,3])");
  EXPECT_EQ(root.operand(1).operand(0).operand(0).name(), "y");
  const struct {
    const char* text;
    const char* error;
  } kCases[] = {
      {"tuple(y, negate(x), backend_config=\"a\")", "can't have attributes"},
      {"tuple(transpose(x), y)", "can't have attributes"},
      {"tuple(negate(x), 3)", "an operand"},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Module> wrong =
        ParseHloText(absl::StrCat(kBefore, c.text, " }"));
    EXPECT_THAT(std::string(wrong.status().message()), HasSubstr(c.error));
  }
}

TEST(HloParserInstructionTest, AnElementOfATupleIsMadeOnce) {
  const Module m = Parsed(absl::StrCat(kBefore, "tuple(t#1#0, t#1#1, t#1) }"));
  const Instruction root = m.entry().root();
  EXPECT_EQ(root.operand(0).operand(0), root.operand(2));
  EXPECT_EQ(root.operand(1).operand(0), root.operand(2));
}

TEST(HloParserInstructionTest, ControlPredecessorsMayComeLater) {
  const Module m = Parsed(
      "e { a = f32[] constant(1), control-predecessors={b} b = f32[] "
      "constant(2) }");
  EXPECT_EQ(internal::AttributeBytesOf(m.entry().instruction(0)).control,
            absl::string_view("\xaa\x02\x01\x01"));
  EXPECT_THAT(std::string(ParseHloText("e { a = f32[] constant(1), "
                                       "control-predecessors={c} }")
                              .status()
                              .message()),
              HasSubstr("named \"c\""));
}

// --- Async sugar -------------------------------------------------------------

constexpr absl::string_view kAsync = R"(
ENTRY e {
  p = f32[10] parameter(0)
  s = ((f32[10]), f32[10], s32[]) negate-start(p), async_execution_thread="t",
      metadata={op_name="x"}
  u = ((f32[10]), f32[10], s32[]) negate-update(s)
  ROOT d = f32[10] negate-done(u)
})";

TEST(AsyncSugarTest, MakesAComputation) {
  const Module m = Parsed(kAsync);
  ASSERT_EQ(m.computation_count(), 2);
  const Computation wrapped = m.computation(0);
  EXPECT_EQ(wrapped.name(), "async_wrapped");
  EXPECT_EQ(wrapped.instruction(0).name(), "async_param");
  EXPECT_EQ(wrapped.root().name(), "negate");
  EXPECT_EQ(wrapped.root().metadata(), absl::string_view("\x12\x01x"));
  // Field 8: the thread.
  EXPECT_EQ(internal::RecordOf(wrapped).other_fields,
            absl::string_view("\x42\x01t"));
  const Instruction start = m.entry().instruction(1);
  EXPECT_EQ(start.opcode(), Opcode::kAsyncStart);
  EXPECT_EQ(start.callee(0), wrapped);
  EXPECT_EQ(AttributeBytesField(internal::AttributeBytesOf(start), 79), "t");
  EXPECT_EQ(m.entry().instruction(2).opcode(), Opcode::kAsyncUpdate);
  EXPECT_EQ(m.entry().instruction(2).callee_count(), 0);
  EXPECT_EQ(m.entry().root().opcode(), Opcode::kAsyncDone);
}

TEST(AsyncSugarTest, WhatIsWrongWithIt) {
  const auto error_of = [](absl::string_view instead) {
    const absl::StatusOr<Module> m = ParseHloText(absl::StrCat(
        "ENTRY e {\n  p = f32[10] parameter(0)\n  s = ((f32[10]), f32[10], "
        "s32[]) negate-start(p)\n  ",
        instead, "\n}"));
    return m.ok() ? "" : std::string(m.status().message());
  };
  EXPECT_THAT(error_of("d = f32[10] abs-done(s)"),
              HasSubstr("abs-done goes on with a negate-start"));
  EXPECT_THAT(error_of("d = f32[10] negate-done(s), "
                       "async_execution_thread=\"other\""),
              HasSubstr("the chain runs on thread \"main\""));
  EXPECT_THAT(error_of("d = f32[10] negate-start(p)"),
              HasSubstr("negate-start's result is ((operands ...), result"));
  EXPECT_THAT(error_of("d = ((), f32[10]) negate-start()"),
              HasSubstr("takes 1 operand; there are 0"));
  EXPECT_THAT(error_of("d = f32[10] copy-strat(p)"),
              HasSubstr("did you mean \"copy-start\"?"));
  EXPECT_THAT(error_of("d = f32[10] recv-update(p)"), HasSubstr("unknown op"));
  EXPECT_THAT(error_of("d = f32[10] negate-done(s)\n"
                       "  f = f32[10] negate-done(d)"),
              HasSubstr("can't continue an operation that is done"));
}

TEST(AsyncSugarTest, WhatTheChainSaysTheOpInsideSaysToo) {
  const absl::StatusOr<Module> m = ParseHloText(R"(HloModule m
b {
  p = f32[10] parameter(0)
  c = copy(p)
  ROOT n = negate(c), metadata={op_name="old"}
}
ENTRY e {
  p = f32[10] parameter(0)
  s = ((f32[10]), f32[10], s32[]) async-start(p), calls=b, metadata={op_name="new"}, frontend_attributes={a="1"}
  ROOT d = f32[10] async-done(s), backend_config="c"
})");
  ASSERT_TRUE(m.ok()) << m.status();
  EXPECT_THAT(PrintHloText(*m),
              HasSubstr("ROOT %n = f32[10]{0} negate(%c), "
                        "frontend_attributes={a=\"1\"}, "
                        "metadata={op_name=\"new\"}, backend_config=\"c\""));
}

TEST(AsyncSugarTest, AnAsyncComputationHasNoOtherCaller) {
  const absl::StatusOr<Module> m = ParseHloText(R"(
b { p = f32[10] parameter(0) ROOT n = negate(p) }
ENTRY e {
  p = f32[10] parameter(0)
  s = ((f32[10]), f32[10], s32[]) async-start(p), calls=b
  c = f32[10] call(p), to_apply=b
  ROOT d = f32[10] async-done(s)
})");
  ASSERT_FALSE(m.ok());
  EXPECT_THAT(std::string(m.status().message()),
              HasSubstr("t:6:15: error: b is called by an async-start, so "
                        "nothing else may call it"));
}

}  // namespace
}  // namespace indim
