// SPDX-License-Identifier: Apache-2.0
// What the verifier makes of a shape function that is at fault: it says "wrong"
// with a diagnostic alone, and "ok" of nothing that it didn't check.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/infer/verify_node_with.h"
#include "indim/tests/shape/infer/infer_cases.h"

namespace indim {
namespace {

using Answer = std::optional<Shape>;

Answer NoShape(InferContext*, const OpInputs&) { return std::nullopt; }

Answer OnlyAWarning(InferContext* context, const OpInputs&) {
  context->Diagnose(Code::kResultOdd).Arg(std::string("odd"));
  return std::nullopt;
}

Answer AnErrorAndTheRecord(InferContext* context, const OpInputs& inputs) {
  context->Diagnose(Code::kOperandMissing).Arg(int64_t{0});
  return *inputs.declared;
}

Answer NoKind(InferContext*, const OpInputs&) { return Shape(); }
Answer AToken(InferContext*, const OpInputs&) { return S("token[]"); }
Answer ATuple(InferContext*, const OpInputs&) { return S("(f32[2], f32[])"); }
Answer Another(InferContext*, const OpInputs&) { return S("s8[7,7,7]"); }
Answer TheRecord(InferContext*, const OpInputs& inputs) {
  return inputs.declared->WithoutLayout();
}
Answer Operand0(InferContext*, const OpInputs& inputs) {
  if (inputs.operands.empty()) return S("f32[2]");
  return inputs.operands[0]->WithoutLayout();
}

struct Fault {
  const char* name;
  ShapeFunction function;
};
const Fault kFaults[] = {{"none", &InferShape},
                         {"no shape", &NoShape},
                         {"a warning alone", &OnlyAWarning},
                         {"an error and a shape", &AnErrorAndTheRecord},
                         {"no kind", &NoKind},
                         {"a token", &AToken},
                         {"a tuple", &ATuple},
                         {"another", &Another},
                         {"the record", &TheRecord},
                         {"operand 0", &Operand0}};

// Operands that go together in some ops, and in most don't.
const std::vector<std::vector<std::string>> kOperands = {
    {},
    {"f32[2]"},
    {"f32[*]"},
    {"token[]"},
    {"(f32[2], f32[])"},
    {"f32[2]", "f32[2]"},
    {"f32[2]", "f32[3]"},
    {"f32[2,3]", "f32[3]"},
    {"f32[n]", "f32[2*n]"},
    {"f32[<=1]", "f32[3]"},
    {"f32[?]", "f32[5]"},
    {"f32[2]", "token[]"},
    {"f32[2]", "(f32[2])"},
    {"pred[2]", "f32[2]", "f32[3]"},
    {"f32[]", "f32[2]", "f32[]"},
    {"f32[2,2]", "f32[2]", "s32[]", "s32[]"},
};
const char* const kRecords[] = {"f32[2]", "f32[*]",  "f32[?]",
                                "f32[n]", "token[]", "(f32[2], f32[])"};

const std::pair<InferPolicy, BroadcastableMode> kWays[] = {
    {InferPolicy::kBuilder, BroadcastableMode::kLenient},
    {InferPolicy::kBuilder, BroadcastableMode::kStrict},
    {InferPolicy::kVerifier, BroadcastableMode::kStrict},
    {InferPolicy::kVerifier, BroadcastableMode::kMlir}};

// What holds of every answer.
void Check(const OpInputs& inputs, const Fault& fault, InferPolicy policy,
           BroadcastableMode mode, int* right) {
  InferContext context(policy, mode);
  const NodeCheck check = VerifyNodeWith(&context, inputs, fault.function);
  const auto what = [&] {
    const auto append = [](std::string* out, const Shape* shape) {
      absl::StrAppend(out, shape->ToString());
    };
    return absl::StrCat(Name(inputs.opcode), "(",
                        absl::StrJoin(inputs.operands, ", ", append), ") -> ",
                        inputs.declared->ToString(), ": ", fault.name);
  };
  EXPECT_NE(check.kind, CheckKind::kUnchecked) << what();
  EXPECT_EQ(check.ok, !context.has_error()) << what();
  if (!check.ok) return;
  ++*right;
  // It was checked: the function, asked again, gives a shape that goes with the
  // record, or the record is one that XLA makes anew.
  InferContext again(policy, mode);
  const Answer inferred = fault.function(&again, inputs);
  ASSERT_TRUE(inferred) << what();
  EXPECT_FALSE(again.has_error()) << what();
  const bool is_odd = !context.diagnostics().empty() &&
                      context.diagnostics()[0].code == Code::kResultOdd;
  if (is_odd) return;
  if (Info(inputs.opcode).has(kBroadcasts) && policy == InferPolicy::kBuilder) {
    // The trait alone decides here, from operands that go together.
    std::vector<Diagnostic> diagnostics;
    BroadcastPlan plan;
    EXPECT_TRUE(
        PlanBroadcast(BroadcastSpec(), inputs.operands, &plan, &diagnostics) &&
        VerifyBroadcastable(mode, plan, inputs.operands, *inputs.declared,
                            &diagnostics))
        << what();
    return;
  }
  EXPECT_TRUE(Compatible(*inferred, *inputs.declared)) << what();
  if (check.broadcastable != Broadcastability::kYes) return;
  std::vector<Diagnostic> diagnostics;
  EXPECT_TRUE(VerifyBroadcastable(mode, inputs.operands, *inputs.declared,
                                  &diagnostics))
      << what();
}

TEST(VerifyFaultsTest, NoPathIsSilent) {
  int right = 0;
  for (const OpInfo& op : AllOps()) {
    for (const std::vector<std::string>& operands : kOperands) {
      for (const char* record : kRecords) {
        const OpCase op_case({std::string(op.wire), operands, {}, {}, record});
        OpInputs inputs = op_case.inputs();
        inputs.attributes = nullptr;  // the op's own, all left out
        for (const Fault& fault : kFaults) {
          for (const auto& [policy, mode] : kWays) {
            Check(inputs, fault, policy, mode, &right);
          }
        }
      }
    }
  }
  EXPECT_GT(right, 10000);
}

TEST(VerifyFaultsTest, ASilentFailureIsTold) {
  const OpCase op({"tanh", {"f32[2]"}, {}, {}, "f32[2]"});
  InferContext context;
  EXPECT_FALSE(VerifyNodeWith(&context, op.inputs(), &NoShape).ok);
  ASSERT_EQ(context.diagnostics().size(), 1u);
  DiagnosticSubject subject;
  subject.op = "tanh";
  subject.operands = op.inputs().operands;
  subject.declared = op.inputs().declared;
  EXPECT_EQ(FormatMessage(context.diagnostics()[0], subject),
            "tanh is recorded as f32[2], but its operands give no shape");
}

}  // namespace
}  // namespace indim
