// What is seen at a glance is what checking says.
#include "indim/passes/node_verifier.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/ir/file.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/ir/text/hlo_text.h"
#include "indim/ir/wire_reader.h"
#include "indim/tests/jax_modules.h"

namespace indim {
namespace {

// How many nodes of `module` are surely right. Checking each of them anew says
// the same, and nothing else.
int64_t CountSure(const Module& module) {
  Report report;
  NodeVerifier verifier(&module.data(), BroadcastableMode::kLenient, &report);
  int64_t count = 0;
  for (const Computation computation : module.computations()) {
    const uint32_t c = static_cast<uint32_t>(computation.index());
    for (const Instruction instruction : computation.instructions()) {
      NodeCheck sure;
      if (!verifier.IsSurelyRight(c, instruction.record(), &sure)) continue;
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

TEST(NodeVerifierTest, RealModules) {
  int64_t sure = 0;
  int64_t all = 0;
  for (const std::string& file : JaxModules()) {
    SCOPED_TRACE(file);
    const absl::StatusOr<std::string> bytes = ReadFile(file);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<Module> module = ReadHloModuleProto(*bytes);
    ASSERT_TRUE(module.ok()) << module.status();
    sure += CountSure(*module);
    for (const Computation computation : module->computations()) {
      for (const Instruction instruction : computation.instructions()) {
        const Opcode opcode = instruction.opcode();
        all += opcode == Opcode::kParameter || opcode == Opcode::kConstant ||
               opcode == Opcode::kGetTupleElement;
      }
    }
  }
  // Nearly all of these.
  EXPECT_GT(all, 1000);
  EXPECT_GT(10 * sure, 9 * all);
}

TEST(NodeVerifierTest, WhatIsSureAndWhatIsNot) {
  constexpr absl::string_view kTuple =
      "t = (f32[2]{0}, (s32[], pred[3]), f32[<=4], token[]) parameter(0)\n";
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
      {"x = f32[2]{0} constant({1, 2})", true},
      {"x = s32[] constant(-1)", true},
      {"x = pred[2]{0} constant({1, 0})", true},
      {"x = (f32[], f32[]) constant((1, 2))", false},
      {"x = f32[2]{0} negate(t)", false},
  };
  for (const auto& [line, is_sure] : kCases) {
    const absl::StatusOr<Module> module =
        ParseHloText(absl::StrCat("ENTRY e {\n", kTuple, line, "\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status().message();
    EXPECT_EQ(CountSure(*module), is_sure ? 1 : 0) << line;
  }
}

}  // namespace
}  // namespace indim
