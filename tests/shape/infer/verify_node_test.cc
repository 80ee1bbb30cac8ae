// SPDX-License-Identifier: Apache-2.0
// A recorded result against inference: what passes, what does not, and which
// way a node was checked.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/shape/infer/infer.h"
#include "indim/tests/shape/infer/infer_cases.h"

namespace indim {
namespace {

// "ok", or the slug of the first error.
std::string Verify(const Op& op, InferPolicy policy = InferPolicy::kBuilder,
                   BroadcastableMode mode = BroadcastableMode::kLenient) {
  const OpCase op_case(op);
  InferContext context(policy, mode);
  const NodeCheck check = VerifyNode(&context, op_case.inputs());
  EXPECT_EQ(check.ok, !context.has_error()) << op.name;
  return check.ok ? "ok" : FirstError(context);
}

Op Node(const char* name, std::vector<std::string> operands,
        const char* declared, Attributes attributes = {}) {
  return {name, std::move(operands), std::move(attributes), {}, declared};
}

TEST(VerifyNodeTest, HowEachNodeIsChecked) {
  struct Row {
    Op op;
    CheckKind kind;
    Broadcastability broadcastable;
  };
  using B = Broadcastability;
  const Row rows[] = {
      {Node("add", {"f32[2]", "f32[2]"}, "f32[2]"), CheckKind::kInferred,
       B::kYes},
      {Node("compare", {"f32[2]", "f32[2]"}, "pred[2]"), CheckKind::kInferred,
       B::kYes},
      {Node("tanh", {"f32[2]"}, "f32[2]"), CheckKind::kInferred, B::kYes},
      {Node("convert", {"f32[2]"}, "s8[2]"), CheckKind::kInferred, B::kYes},
      {Node("select", {"pred[2]", "f32[2]", "f32[2]"}, "f32[2]"),
       CheckKind::kInferred, B::kYes},
      {Node("clamp", {"f32[]", "f32[2]", "f32[]"}, "f32[2]"),
       CheckKind::kInferred, B::kYes},
      {Node("stochastic-convert", {"f32[2]", "u32[2]"}, "bf16[2]"),
       CheckKind::kInferred, B::kYes},
      {{"map",
        {"f32[2]"},
        DimensionsAttributes{{0}},
        {Callee({"f32[]"}, "f32[]")},
        "f32[2]"},
       CheckKind::kInferred,
       B::kYes},
      {Node("copy", {"f32[2]"}, "f32[2]"), CheckKind::kInferred, B::kYes},
      // The op has the trait, the node not.
      {Node("copy", {"(f32[2])"}, "(f32[2])"), CheckKind::kInferred,
       B::kSeveralResults},
      {Node("copy", {"token[]"}, "token[]"), CheckKind::kInferred,
       B::kNotArrays},
      {Node("opt-barrier", {"(f32[2], f32[3])"}, "(f32[2], f32[3])"),
       CheckKind::kInferred, B::kSeveralResults},
      {Node("parameter", {}, "s8[2]"), CheckKind::kRelated, B::kNoOperand},
      {Node("custom-call", {}, "s8[2]"), CheckKind::kRelated,
       B::kNotFromShapes},
      {Node("transpose", {"f32[2]"}, "f32[2]", DimensionsAttributes{{0}}),
       CheckKind::kInferred, B::kNotFromShapes},
      {Node("get-dimension-size", {"f32[2]"}, "s32[]",
            DimensionsAttributes{{0}}),
       CheckKind::kInferred, B::kOtherResult},
      {Node("triangular-solve", {"f32[2,2]", "f32[2,3]"}, "f32[2,3]",
            TriangularSolveAttributes{true, false, false,
                                      TriangularSolveTranspose::kNoTranspose}),
       CheckKind::kInferred, B::kNotCompatible},
      {Node("tuple", {"f32[2]"}, "(f32[2])"), CheckKind::kInferred,
       B::kSeveralResults},
      {Node("after-all", {}, "token[]"), CheckKind::kInferred, B::kNotArrays},
  };
  for (const Row& row : rows) {
    const OpCase op(row.op);
    InferContext context;
    const NodeCheck check = VerifyNode(&context, op.inputs());
    EXPECT_EQ(check.kind, row.kind) << row.op.name;
    EXPECT_EQ(check.broadcastable, row.broadcastable) << row.op.name;
    EXPECT_TRUE(check.ok) << row.op.name;
  }
}

// What an op makes of operands of one shape is right in every mode, by XLA's
// verifier too.
TEST(VerifyNodeTest, WhatKeepsOneShapeIsRight) {
  int known = 0;
  for (const OpInfo& info : AllOps()) {
    if (!info.has(kElementwise) || info.callees != 0) continue;
    for (const ElementTypeInfo& type : AllElementTypes()) {
      for (const char* dims : {"[]", "[2]", "[3,0,1]"}) {
        const std::string shape = absl::StrCat(type.name, dims);
        const OpCase op(Node(std::string(info.wire).c_str(),
                             std::vector<std::string>(info.min_operands, shape),
                             shape.c_str()));
        InferContext asked;
        const std::optional<Shape> inferred = InferShape(&asked, op.inputs());
        if (!inferred || !asked.diagnostics().empty() ||
            inferred->ToString() != shape) {
          continue;
        }
        ++known;
        for (const InferPolicy policy :
             {InferPolicy::kBuilder, InferPolicy::kVerifier}) {
          for (const BroadcastableMode mode :
               {BroadcastableMode::kLenient, BroadcastableMode::kStrict,
                BroadcastableMode::kMlir}) {
            InferContext context(policy, mode);
            const NodeCheck check = VerifyNode(&context, op.inputs());
            EXPECT_TRUE(check.ok && context.diagnostics().empty())
                << info.wire << " " << shape;
            EXPECT_NE(check.kind, CheckKind::kUnchecked) << info.wire;
          }
        }
      }
    }
  }
  EXPECT_GT(known, 900);
}

// Of what has the trait alone, not of binary ops.
TEST(VerifyNodeTest, TheTraitInItsModes) {
  struct Row {
    Op op;
    const char* lenient;
    const char* strict;
    const char* mlir;
  };
  const Row rows[] = {
      {Node("tanh", {"f32[?]"}, "f32[2]"), "ok", "result-dim-differs", "ok"},
      {Node("tanh", {"f32[2]"}, "f32[?]"), "ok", "ok", "ok"},
      {Node("tanh", {"f32[*]"}, "f32[2]"), "ok", "ok", "ok"},
      {Node("convert", {"f32[?]"}, "s8[2]"), "ok", "result-dim-differs", "ok"},
      {Node("tanh", {"f32[2]"}, "f32[1,2]"), "result-differs", "result-differs",
       "result-differs"},
      {Node("select", {"pred[]", "f32[2]", "f32[2]"}, "f32[2]"), "ok", "ok",
       "ok"},
      {Node("select", {"pred[?]", "f32[?]", "f32[?]"}, "f32[2]"), "ok",
       "result-dim-differs", "ok"},
      {Node("clamp", {"f32[]", "f32[2,3]", "f32[]"}, "f32[2,3]"), "ok", "ok",
       "ok"},
      {Node("clamp", {"f32[]", "f32[]", "f32[]"}, "f32[]"), "ok", "ok", "ok"},
      {Node("clamp", {"f32[?]", "f32[5]", "f32[?]"}, "f32[5]"), "ok", "ok",
       "ok"},
      {Node("reverse", {"f32[?]"}, "f32[2]"), "ok", "result-dim-differs", "ok"},
      // Without the trait no mode counts.
      {Node("transpose", {"f32[?]"}, "f32[2]", DimensionsAttributes{{0}}), "ok",
       "ok", "ok"},
  };
  for (const Row& row : rows) {
    for (const InferPolicy policy :
         {InferPolicy::kBuilder, InferPolicy::kVerifier}) {
      const std::string what = absl::StrCat(
          row.op.name, " ", row.op.operands[0], " -> ", row.op.declared);
      EXPECT_EQ(Verify(row.op, policy, BroadcastableMode::kLenient),
                row.lenient)
          << what;
      EXPECT_EQ(Verify(row.op, policy, BroadcastableMode::kStrict), row.strict)
          << what;
      EXPECT_EQ(Verify(row.op, policy, BroadcastableMode::kMlir), row.mlir)
          << what;
    }
  }
}

TEST(VerifyNodeTest, NothingRecordedIsNothingChecked) {
  const OpCase op({"add", {"f32[2]", "s32[3]"}});
  InferContext context;
  const NodeCheck check = VerifyNode(&context, op.inputs());
  EXPECT_EQ(check.kind, CheckKind::kUnchecked);
  EXPECT_TRUE(check.ok);
}

// Layouts and boundedness don't count, `?` goes with every size.
TEST(VerifyNodeTest, ResultsAreCompatible) {
  struct Row {
    const char* operand;
    const char* declared;
    const char* outcome;
  };
  const Row rows[] = {
      {"f32[2,3]", "f32[2,3]", "ok"},
      {"f32[2,3]", "f32[2,3]{0,1}", "ok"},
      {"f32[2,3]{0,1}", "f32[2,3]", "ok"},
      {"f32[2]", "f32[<=2]", "ok"},
      {"f32[<=2]", "f32[2]", "ok"},
      {"f32[?]", "f32[2]", "ok"},
      {"f32[2]", "f32[?]", "ok"},
      {"f32[<=2]", "f32[<=3]", "result-differs"},
      {"f32[2]", "f32[3]", "result-differs"},
      {"f32[2]", "f32[2,1]", "result-differs"},
      {"f32[2]", "f64[2]", "result-differs"},
      {"f32[2]", "(f32[2])", "result-differs"},
      {"f32[2]", "token[]", "result-differs"},
      {"f32[2]", "f32[*]", "ok"},
      {"f32[*]", "f32[2]", "ok"},
      {"f32[2..4]", "f32[3]", "ok"},
      {"f32[2..4]", "f32[5]", "result-differs"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Verify(Node("tanh", {row.operand}, row.declared)), row.outcome)
        << row.operand << " -> " << row.declared;
  }
}

TEST(VerifyNodeTest, BroadcastableNodesOfARecordedModule) {
  struct Row {
    Op op;
    const char* outcome;
  };
  const Row rows[] = {
      {Node("add", {"f32[2,1]", "f32[2,3]"}, "f32[2,3]"), "ok"},
      {Node("add", {"f32[2,1]", "f32[2,3]"}, "f32[2,?]"), "ok"},
      {Node("add", {"f32[2,3]", "f32[3]"}, "f32[2,3]", BroadcastDims({1})),
       "ok"},
      {Node("add", {"f32[4]", "f32[1,2]"}, "f32[4,2]", BroadcastDims({0})),
       "ok"},
      {Node("add", {"f32[2]", "bf16[2]"}, "f32[2]"), "ok"},
      {Node("add", {"f32[2]", "bf16[2]"}, "bf16[2]"), "result-differs"},
      {Node("add", {"f32[2]", "f32[2]"}, "f64[2]"), "result-differs"},
      {Node("compare", {"f32[2]", "f32[2]"}, "f32[2]"), "result-differs"},
      {Node("add", {"f32[2]", "f32[2]"}, "(f32[2])"), "result-differs"},
      {Node("add", {"f32[2]", "f32[3]"}, "f32[2]"), "dims-differ"},
      {Node("add", {"f32[2,3]", "f32[3]"}, "f32[2,3]"), "ranks-differ"},
      {Node("add", {"f32[*]", "f32[*]"}, "f32[2]"), "ok"},
      {Node("add", {"f32[2]", "f32[2]"}, "f32[*]"), "ok"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Verify(row.op), row.outcome)
        << row.op.operands[0] << " " << row.op.operands[1] << " -> "
        << row.op.declared;
  }
  // A result is never broadcast to.
  EXPECT_NE(Verify(Node("add", {"f32[1]", "f32[1]"}, "f32[3]")), "ok");
  EXPECT_NE(Verify(Node("add", {"f32[2]", "f32[2]"}, "f32[1,2]")), "ok");
}

TEST(VerifyNodeTest, ModesOfTheBroadcastableVerifier) {
  const Op op = Node("add", {"f32[?]", "f32[?]"}, "f32[4]");
  EXPECT_EQ(Verify(op), "ok");
  EXPECT_NE(Verify(op, InferPolicy::kBuilder, BroadcastableMode::kStrict),
            "ok");
  EXPECT_EQ(Verify(op, InferPolicy::kBuilder, BroadcastableMode::kMlir), "ok");
}

TEST(VerifyNodeTest, PolicyOfXlasVerifier) {
  struct Row {
    Op op;
    const char* outcome;
  };
  const Row rows[] = {
      {Node("add", {"f32[2]", "f32[2]"}, "f32[2]"), "ok"},
      {Node("add", {"f32[2]", "f32[<=2]"}, "f32[2]"), "ok"},
      {Node("add", {"f32[?]", "f32[5]"}, "f32[5]"), "ok"},
      {Node("add", {"f32[1]", "f32[?]"}, "f32[1]"), "ok"},
      {Node("add", {"f32[1]", "f32[?]"}, "f32[5]"), "implicit-broadcast"},
      {Node("add", {"f32[2]", "f32[1]"}, "f32[2]"), "implicit-broadcast"},
      {Node("add", {"f32[2]", "f32[]"}, "f32[2]"), "implicit-broadcast"},
      {Node("add", {"f32[2]", "bf16[2]"}, "f32[2]"), "mixed-float-types"},
      {Node("complex", {"f32[2]", "f32[2]"}, "c64[2]"), "ok"},
      {Node("compare", {"f32[2]", "f32[2]"}, "pred[2]"), "ok"},
      {Node("clamp", {"f32[]", "f32[2]", "f32[]"}, "f32[2]"), "ok"},
      {Node("select", {"pred[]", "f32[2]", "f32[2]"}, "f32[2]"), "ok"},
      {Node("select", {"pred[2]", "f32[]", "f32[2]"}, "f32[2]"),
       "implicit-broadcast"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Verify(row.op, InferPolicy::kVerifier), row.outcome)
        << row.op.name << " " << row.op.operands[0] << " " << row.op.operands[1]
        << " -> " << row.op.declared;
  }
}

TEST(VerifyNodeTest, WhatXlaMakesAnewIsAWarning) {
  const Op done = Node("send-done", {"(f32[2], u32[], token[])"}, "f32[]");
  EXPECT_EQ(Verify(done), "result-differs");
  const OpCase op_case(done);
  InferContext context(InferPolicy::kVerifier);
  EXPECT_TRUE(VerifyNode(&context, op_case.inputs()).ok);
  ASSERT_EQ(context.diagnostics().size(), 1u);
  EXPECT_EQ(context.diagnostics()[0].code, Code::kResultOdd);
  // Data would go on to users.
  for (const Op& op :
       {Node("send", {"f32[2]", "token[]"}, "f32[]"),
        Node("recv-done", {"(f32[2], u32[], token[])"}, "(f32[3], token[])")}) {
    EXPECT_EQ(Verify(op, InferPolicy::kVerifier), "result-differs") << op.name;
  }
}

TEST(VerifyNodeTest, MessageShowsBothShapes) {
  const OpCase op(Node("tanh", {"f32[2]"}, "f32[3]"));
  InferContext context;
  VerifyNode(&context, op.inputs());
  ASSERT_EQ(context.diagnostics().size(), 1);
  DiagnosticSubject subject;
  subject.op = "tanh";
  subject.operands = op.inputs().operands;
  subject.declared = op.inputs().declared;
  const std::string message = FormatMessage(context.diagnostics()[0], subject);
  EXPECT_EQ(message,
            "tanh is recorded as f32[3], but its operands give f32[2]");
}

// In a graph inference needs no plan for named sizes, so it doesn't see what is
// wrong with one; the verifier says it.
TEST(VerifyNodeTest, APlanThatFailsIsDiagnosed) {
  const Op op = Node("add", {"f32[n]", "f32[n]"}, "f32[n]", BroadcastDims({1}));
  const OpCase op_case(op);
  InferContext context(InferPolicy::kVerifier);
  ASSERT_TRUE(InferShape(&context, op_case.inputs()));
  EXPECT_EQ(Verify(op, InferPolicy::kVerifier), "broadcast-dims-equal-ranks");
}

}  // namespace
}  // namespace indim
