// What is seen at a glance is what checking says.
#include "indim/passes/glance.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "indim/ir/file.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/ir/text/hlo_text.h"
#include "indim/ir/wire_reader.h"
#include "indim/passes/node_inputs.h"
#include "indim/passes/node_verifier.h"
#include "indim/shape/infer.h"
#include "indim/tests/jax_modules.h"

namespace indim {
namespace {

constexpr BroadcastableMode kModes[] = {BroadcastableMode::kLenient,
                                        BroadcastableMode::kStrict,
                                        BroadcastableMode::kMlir};

// How many nodes of `module` are seen to be right. Checking each of them anew
// says the same, and nothing else.
int64_t CountSure(const Module& module, InferPolicy policy,
                  BroadcastableMode mode) {
  Report report;
  NodeVerifier verifier(&module.data(), policy, mode, &report);
  int64_t count = 0;
  for (const Computation computation : module.computations()) {
    const uint32_t c = static_cast<uint32_t>(computation.index());
    for (const Instruction instruction : computation.instructions()) {
      NodeCheck sure;
      if (!verifier.glance().IsRight(c, instruction.record(), &sure)) continue;
      ++count;
      const uint32_t i = static_cast<uint32_t>(instruction.index());
      const NodeCheck check = verifier.CheckAnew(c, i);
      EXPECT_TRUE(sure.ok && check.ok) << instruction.name();
      EXPECT_EQ(sure.kind, check.kind) << instruction.name();
      EXPECT_EQ(sure.broadcastable, check.broadcastable) << instruction.name();
    }
  }
  EXPECT_TRUE(report.diagnostics().empty());
  return count;
}

// The same by all policies and in all modes.
int64_t CountSure(const Module& module) {
  const int64_t count =
      CountSure(module, InferPolicy::kVerifier, BroadcastableMode::kLenient);
  for (const InferPolicy policy :
       {InferPolicy::kVerifier, InferPolicy::kBuilder}) {
    for (const BroadcastableMode mode : kModes) {
      EXPECT_EQ(CountSure(module, policy, mode), count);
    }
  }
  return count;
}

template <typename F>
void ForEachRealModule(const F& f) {
  for (const std::string& file : JaxModules()) {
    SCOPED_TRACE(file);
    const absl::StatusOr<std::string> bytes = ReadFile(file);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<Module> module = ReadHloModuleProto(*bytes);
    ASSERT_TRUE(module.ok()) << module.status();
    f(*module);
  }
}

TEST(GlanceTest, RealModules) {
  int64_t sure = 0;
  int64_t all = 0;
  ForEachRealModule([&](const Module& module) {
    sure += CountSure(module);
    all += module.instruction_count();
  });
  EXPECT_GT(all, 1000);
  EXPECT_GT(5 * sure, 4 * all);
}

// How often an altered node of `module` is seen to be right; its rule says so
// too.
int64_t CountSureWhenAltered(const Module& module) {
  const ModuleData& data = module.data();
  NodeInputs inputs(&data);
  Glance glance(&data, &inputs);
  int64_t sure = 0;
  const auto look = [&](uint32_t c, const InstructionRecord& r) {
    NodeCheck seen;
    if (!glance.IsRight(c, r, &seen)) return;
    ++sure;
    for (const InferPolicy policy :
         {InferPolicy::kVerifier, InferPolicy::kBuilder}) {
      InferContext context(policy);
      const NodeCheck check = VerifyNode(&context, inputs.Gather(c, r));
      EXPECT_TRUE(check.ok && context.diagnostics().empty())
          << data.pools->name(r.name) << " as " << Name(r.opcode) << " of "
          << data.pools->shapes().shape(r.shape).ToString();
      EXPECT_EQ(check.kind, seen.kind);
      EXPECT_EQ(check.broadcastable, seen.broadcastable);
    }
  };
  for (const Computation computation : module.computations()) {
    const uint32_t c = static_cast<uint32_t>(computation.index());
    const absl::Span<const InstructionRecord> records = data.Instructions(c);
    for (size_t i = 0; i < records.size(); i += 11) {
      InstructionRecord r = records[i];
      for (size_t k = i > 5 ? i - 5 : 0; k <= i; ++k) {
        r.shape = records[k].shape;
        for (const OpInfo& op : AllOps()) {
          r.opcode = op.opcode;
          look(c, r);
        }
      }
    }
  }
  return sure;
}

// Whatever real nodes are turned into, another op or another result: what looks
// right is.
TEST(GlanceTest, AlteredNodes) {
  int64_t sure = 0;
  ForEachRealModule(
      [&](const Module& module) { sure += CountSureWhenAltered(module); });
  EXPECT_GT(sure, 1000);
}

TEST(GlanceTest, WhatIsSureAndWhatIsNot) {
  constexpr absl::string_view kCallee =
      "one {\np = f32[2]{0} parameter(0)\nn = f32[2]{0} negate(p)\n}\n";
  constexpr absl::string_view kOperands =
      "t = (f32[2]{0}, (s32[], pred[3]), f32[<=4], token[]) parameter(0)\n"
      "b = pred[2]{0} constant({1, 0})\n"
      "e = f32[2]{0} get-tuple-element(t), index=0\n"
      "d = f32[<=4] get-tuple-element(t), index=2\n";
  const struct {
    absl::string_view line;
    bool is_sure;
  } kCases[] = {
      {"x = f32[2]{0} get-tuple-element(t), index=0", true},
      {"x = f32[2]{0} get-tuple-element(t), index=0, sharding={replicated}",
       true},
      {"x = f32[2] get-tuple-element(t), index=0", true},
      {"x = f32[3]{0} get-tuple-element(t), index=0", false},
      {"x = s32[2]{0} get-tuple-element(t), index=0", false},
      {"x = f32[2]{0} get-tuple-element(t), index=1", false},
      {"x = f32[2]{0} get-tuple-element(t), index=4", false},
      {"x = f32[2]{0} get-tuple-element(t), index=-1", false},
      {"x = (s32[], pred[3]) get-tuple-element(t), index=1", false},
      {"x = f32[<=4] get-tuple-element(t), index=2", false},
      {"x = token[] get-tuple-element(t), index=3", false},
      {"x = f32[2]{0} parameter(1)", true},
      {"x = f32[2]{0} parameter(1), sharding={replicated}", true},
      {"x = f32[0]{0} parameter(1)", true},
      {"x = f32[?] parameter(1)", false},
      {"x = (f32[2]{0}) parameter(1)", false},
      {"x = f32[4000000000,4000000000]{1,0} parameter(1)", false},
      {"x = f32[4000000000,4000000000,0]{2,1,0} parameter(1)", false},
      {"x = f32[0,4000000000,4000000000]{2,1,0} parameter(1)", false},
      {"x = f32[2]{0} constant({1, 2})", true},
      {"x = s32[] constant(-1)", true},
      {"x = pred[2]{0} constant({1, 0})", true},
      {"x = (f32[], f32[]) constant((1, 2))", false},
      {"x = f32[2]{0} negate(t)", false},
      {"x = (f32[2]{0}, f32[2]{0}) tuple(e, e)", true},
      {"x = (f32[2], (f32[2])) tuple(e, e)", false},
      {"x = (f32[2]{0}, f32[3]{0}) tuple(e, e)", false},
      {"x = f32[2]{0} tuple(e)", false},
      {"x = (f32[2]{0}, f32[<=4]) tuple(e, d)", false},
      {"x = f32[<=4] negate(d)", false},
      {"x = () tuple()", true},
      {"x = f32[2]{0} add(e, e)", true},
      {"x = f32[2] add(e, e)", true},
      {"x = f32[2]{0} negate(e)", true},
      {"x = f32[2]{0} exponential(e)", true},
      {"x = f32[3]{0} add(e, e)", false},
      {"x = f32[] add(e, e)", false},
      {"x = f16[2]{0} add(e, e)", false},
      {"x = f32[2]{0} add(e, t)", false},
      {"x = f32[2]{0} not(e)", false},
      {"x = f32[2]{0} shift-left(e, e)", false},
      {"x = f32[2]{0} compare(e, e), direction=LT", false},
      {"x = f32[2,3]{1,0} broadcast(e), dimensions={0}", true},
      {"x = f32[3,2]{1,0} broadcast(e), dimensions={1}", true},
      {"x = f32[3,2]{1,0} broadcast(e), dimensions={0}", false},
      {"x = f32[3,2]{1,0} broadcast(e), dimensions={2}", false},
      {"x = f32[3,2]{1,0} broadcast(e), dimensions={-1}", false},
      {"x = f32[3,2]{1,0} broadcast(e), dimensions={}", false},
      {"x = f32[2,2]{1,0} broadcast(e), dimensions={0,1}", false},
      {"x = s32[2,3]{1,0} broadcast(e), dimensions={0}", false},
      {"x = f32[1,2]{1,0} reshape(e)", true},
      {"x = s32[2]{0} reshape(e)", false},
      {"x = f32[<=2]{0} reshape(e)", false},
      {"x = pred[2]{0} compare(e, e), direction=LT", true},
      {"x = pred[2]{0} compare(e, e), direction=LT, type=FLOAT", true},
      {"x = pred[2]{0} compare(e, e), direction=LT, type=TOTALORDER", false},
      {"x = pred[3]{0} compare(e, e), direction=LT", false},
      {"x = pred[2]{0} compare(e, d), direction=LT", false},
      {"x = f32[2]{0} select(b, e, e)", true},
      {"x = f32[2]{0} select(e, e, e)", false},
      {"x = f32[2]{0} select(b, e, b)", false},
      {"x = f32[3]{0} select(b, e, e)", false},
      {"x = f32[2]{0} transpose(e), dimensions={0}", true},
      {"x = f32[3]{0} transpose(e), dimensions={0}", false},
      {"x = s32[2]{0} transpose(e), dimensions={0}", false},
      {"x = f32[1]{0} slice(e), slice={[1:2]}", true},
      {"x = f32[1]{0} slice(e), slice={[0:2:2]}", true},
      {"x = f32[0]{0} slice(e), slice={[1:1]}", true},
      {"x = f32[2]{0} slice(e), slice={[1:2]}", false},
      {"x = f32[2]{0} slice(e), slice={[1:3]}", false},
      {"x = s32[1]{0} slice(e), slice={[1:2]}", false},
      {"x = s8[8]{0} bitcast(e)", true},
      {"x = (s8[8]{0}) bitcast(e)", false},
      {"x = f32[2]{0} call(e), to_apply=one", true},
      {"x = f32[2] call(e), to_apply=one", true},
      {"x = f32[3]{0} call(e), to_apply=one", false},
      {"x = f32[2]{0} call(e, e), to_apply=one", false},
      {"x = f32[2]{0} call(t), to_apply=one", false},
      {"x = f32[2]{0} call(), to_apply=one", false},
      {"x = f32[2]{0} fusion(e), kind=kLoop, calls=one", true},
      {"x = f32[2]{0} fusion(e), kind=kCustom, calls=one", true},
      {"x = f32[2]{0} fusion(e, e), kind=kLoop, calls=one", false},
  };
  for (const auto& [line, is_sure] : kCases) {
    const absl::StatusOr<Module> module = ParseHloText(
        absl::StrCat(kCallee, "ENTRY main {\n", kOperands, line, "\n}\n"));
    ASSERT_TRUE(module.ok()) << line << module.status().message();
    // The callee's two, the constant and the element are.
    EXPECT_EQ(CountSure(*module), is_sure ? 5 : 4) << line;
  }
}

}  // namespace
}  // namespace indim
