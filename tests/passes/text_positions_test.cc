// SPDX-License-Identifier: Apache-2.0
// A module that was read from HLO text: what passes say of its instructions
// names their lines, also of those that other passes have moved or made.

#include <string>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/eval/evaluator.h"
#include "indim/ir/report.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/sizes/run_time_checks.h"
#include "indim/tests/passes/symbolic_text.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Module ReadNamed(const std::string& text) {
  ParseOptions options;
  options.file = "f.hlo";
  options.symbols = true;
  const absl::StatusOr<Module> module = ParseHloText(text, options);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.value_or(Module());
}

struct ErrorCase {
  const char* text;
  const char* place;
};

TEST(TextPlacesTest, VerificationNamesTheLine) {
  for (const ErrorCase& test : {
           ErrorCase{"ENTRY e {\n  x = f32[2] parameter(0)\n"
                     "  ROOT y = f32[3] negate(x)\n}\n",
                     "f.hlo:3:3: error: negate"},
           ErrorCase{"ENTRY e {\n  x = f32[2] parameter(0)\n"
                     "  y = f32[3] parameter(1)\n\n"
                     "  z = f32[2] add(x, y)\n  ROOT w = f32[2] negate(z)\n}\n",
                     "f.hlo:5:3: error: add"},
           // Of the structure.
           ErrorCase{"ENTRY e {\n  x = f32[2] parameter(0)\n"
                     "  s = (f32[2], f32[2], u32[]) copy-start(x)\n"
                     "  ROOT y = f32[2] negate(x)\n}\n",
                     "f.hlo:3:3: error: "},
           // In a computation that is called.
           ErrorCase{"f {\n  x = f32[2] parameter(0)\n"
                     "  ROOT y = f32[4] negate(x)\n}\nENTRY e {\n"
                     "  p = f32[2] parameter(0)\n"
                     "  ROOT c = f32[4] call(p), to_apply=f\n}\n",
                     "f.hlo:3:3: error: negate"},
       }) {
    const Module module = ReadNamed(test.text);
    const VerifyResult result = VerifyModule(module);
    ASSERT_FALSE(result.report.diagnostics().empty()) << test.text;
    EXPECT_THAT(RenderDiagnostic(module, result.report.diagnostics()[0]),
                StartsWith(test.place));
  }
}

TEST(TextPlacesTest, InferenceNamesTheLine) {
  const InferResult inferred = InferShapes(
      ReadNamed("ENTRY e {\n  x = f32[2] parameter(0)\n"
                "  y = f32[3] parameter(1)\n  ROOT z = f32[2] add(x, y)\n}\n"),
      {});
  ASSERT_FALSE(inferred.report.ok());
  EXPECT_THAT(RenderReport(inferred.module, inferred.report),
              StartsWith("f.hlo:4:3: error: add: "));
}

TEST(TextPlacesTest, RefinementNamesTheLinesOfTheChain) {
  const Module module = ReadNamed(
      "ENTRY e {\n  x = f32[n,4] parameter(0)\n  y = f32[8,4] parameter(1)\n"
      "  n = f32[n,4] negate(x)\n  ROOT z = f32[n,4] add(n, y)\n}\n");
  const RefineResult refined = RefineWith(module, {"n=3"});
  EXPECT_THAT(
      RenderRefinement(module, refined),
      testing::AllOf(
          StartsWith("f.hlo:5:3: error: add"),
          HasSubstr("    %x = f32[3,4] parameter(0), was f32[n,4]        "
                    "f.hlo:2:3\n"
                    "    %n = f32[3,4] negate(%x), was f32[n,4]        "
                    "f.hlo:4:3\n")));
}

TEST(TextPlacesTest, EvaluationNamesTheLine) {
  const Module module = ReadNamed(
      "ENTRY e {\n  x = f32[] constant(1)\n\n"
      "  ROOT y = f32[] custom-call(x), custom_call_target=\"any\"\n}\n");
  const absl::StatusOr<Literal> value = Evaluate(module, {});
  EXPECT_THAT(std::string(value.status().message()),
              StartsWith("f.hlo:4:3: error: "));
}

// What a pass adds stands where the instruction does that needs it; the others
// keep their places.
TEST(TextPlacesTest, PlacesSurvivePassesThatAddInstructions) {
  const Module module = ReadNamed(
      "ENTRY e {\n  x = f32[a,b] parameter(0)\n  y = f32[c,d] parameter(1)\n"
      "  ROOT z = f32[a,d] dot(x, y), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n}\n");
  const RunTimeChecks checked = AddRunTimeChecks(module, CheckForm::kPredicate);
  ASSERT_GT(checked.module.instruction_count(), module.instruction_count());
  for (const Instruction i : checked.module.entry().instructions()) {
    const int line = i.text_location().line;
    const std::string name = i.name();
    EXPECT_EQ(i.text_location().file, "f.hlo") << name;
    EXPECT_GE(line, 2) << name;
    EXPECT_LE(line, 4) << name;
    if (name == "x") {
      EXPECT_EQ(line, 2);
    } else if (name == "y") {
      EXPECT_EQ(line, 3);
    } else if (i.opcode() == Opcode::kCompare) {
      EXPECT_EQ(line, 4);
    }
  }
}

}  // namespace
}  // namespace indim
