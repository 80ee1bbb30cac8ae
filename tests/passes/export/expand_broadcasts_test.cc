// SPDX-License-Identifier: Apache-2.0
// What is written for XLA where the author broadcast implicitly.

#include "indim/passes/export/expand_broadcasts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/builder/computation_builder.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/ir/report.h"
#include "indim/passes/check/verify_shapes.h"
#include "indim/passes/export/export.h"
#include "indim/passes/sizes/refine.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

using ::testing::ElementsAre;

// The instructions behind the parameters: "f32[4,2] broadcast", one each.
std::vector<std::string> Emitted(const Module& module) {
  std::vector<std::string> lines;
  for (const Instruction i : module.entry().instructions()) {
    if (i.opcode() == Opcode::kParameter) continue;
    lines.push_back(absl::StrCat(i.shape().WithoutLayout().ToString(), " ",
                                 i.opcode_name()));
    if (i.opcode() == Opcode::kBroadcast) {
      absl::StrAppend(
          &lines.back(), " {",
          absl::StrJoin(As<DimensionsAttributes>(i.attributes()).dimensions,
                        ","),
          "}");
    }
  }
  return lines;
}

Module AddModule(const char* lhs, const char* rhs, const BroadcastArg& spec) {
  ComputationBuilder b("m");
  const Op x = b.Parameter(0, lhs, "x");
  const Op y = b.Parameter(1, rhs, "y");
  absl::StatusOr<Module> module = b.Build(b.Add(x, y, spec));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *module : Module();
}

std::vector<std::string> Expanded(const char* lhs, const char* rhs,
                                  const BroadcastArg& spec = {}) {
  const Module module = AddModule(lhs, rhs, spec);
  if (module.computation_count() == 0) return {};
  const ExpandResult result = ExpandBroadcasts(module);
  EXPECT_TRUE(result.report.ok()) << RenderReport(module, result.report);
  EXPECT_FALSE(result.module.is_recorded());
  const VerifyResult verified = VerifyShapes(result.module);
  EXPECT_TRUE(verified.ok()) << RenderReport(result.module, verified.report);
  return Emitted(result.module);
}

TEST(ExpandBroadcasts, NothingWhereShapesAgree) {
  EXPECT_THAT(Expanded("f32[2,3]", "f32[2,3]"), ElementsAre("f32[2,3] add"));
  EXPECT_THAT(Expanded("f32[<=8]", "f32[8]"), ElementsAre("f32[<=8] add"));
  EXPECT_THAT(Expanded("f32[<=8]", "f32[<=8]"), ElementsAre("f32[<=8] add"));
}

// A sum of unranked arrays can't be expanded, which is an error only where
// something else of its computation must be.
TEST(ExpandBroadcasts, UnrankedSumsStayWhereAllDoes) {
  for (const bool broadcasts : {false, true}) {
    ComputationBuilder b("m");
    const Op x = b.Parameter(0, "f32[*]", "x");
    const Op y = b.Parameter(1, "f32[2]", "y");
    const auto sum_of = [](ComputationBuilder sub, bool also_broadcasts) {
      const Op p = sub.Parameter(0, "f32[*]", "p");
      const Op q = sub.Parameter(1, "f32[2]", "q");
      if (also_broadcasts) sub.Mul(q, sub.ConstantR0(ElementType::kF32, 2));
      return sub.BuildCallee(sub.Add(p, p));
    };
    const Op stays = b.Call(sum_of(b.SubBuilder("stays"), false), {x, y});
    const absl::StatusOr<Module> module =
        b.Build(b.Call(sum_of(b.SubBuilder("sums"), broadcasts), {stays, y}));
    ASSERT_TRUE(module.ok()) << module.status();
    const ExpandResult result = ExpandBroadcasts(*module);
    EXPECT_EQ(result.report.error_count(), broadcasts ? 1 : 0)
        << RenderReport(*module, result.report);
  }
}

// What was done for one node is done again for the next like it, but with that
// one's own operands: also after a node whose operands are one value.
TEST(ExpandBroadcasts, NodesAlikeKeepTheirOwnOperands) {
  ComputationBuilder b("m");
  const Op x = b.Parameter(0, "f32[2]", "x");
  const Op y = b.Parameter(1, "f32[2]", "y");
  const Op s = b.Parameter(2, "f32[]", "s");
  const Op t = b.Parameter(3, "f32[]", "t");
  Op last = b.Mul(x, x);
  for (const Op operand : {y, x, y}) last = b.Mul(last, operand);
  b.Select(b.Compare(s, s, ComparisonDirection::kEq), x, y);
  last = b.Add(b.Add(b.Mul(last, s), b.Mul(last, t)), b.Mul(s, x));
  last = b.Clamp(s, last, s);
  last = b.Clamp(s, last, t);
  const absl::StatusOr<Module> module = b.Build(last);
  ASSERT_TRUE(module.ok()) << module.status();
  const ExpandResult result = ExpandBroadcasts(*module);
  // Each instruction with its operands, through the broadcasts of scalars.
  const auto behind = [](Instruction i) {
    return i.opcode() == Opcode::kBroadcast ? i.operand(0) : i;
  };
  std::vector<Instruction> old;
  for (const Instruction i : module->entry().instructions()) old.push_back(i);
  size_t at = 0;
  for (const Instruction i : result.module.entry().instructions()) {
    if (i.opcode() == Opcode::kBroadcast) continue;
    ASSERT_LT(at, old.size());
    ASSERT_EQ(i.id(), old[at].id());
    for (int k = 0; k < i.operand_count(); ++k) {
      EXPECT_EQ(behind(i.operand(k)).id(), old[at].operand(k).id())
          << i.opcode_name() << " " << i.id() << ", operand " << k;
    }
    ++at;
  }
  EXPECT_EQ(at, old.size());
}

// A trailing 1 that pdpd drops, of an operand that has the result's rank.
TEST(ExpandBroadcasts, DroppedDimStretches) {
  BroadcastSpec spec;
  spec.rule = BroadcastRule::kPdpd;
  spec.axis = 0;
  EXPECT_THAT(
      Expanded("f32[3]", "f32[1]", spec),
      ElementsAre("f32[] reshape", "f32[3] broadcast {}", "f32[3] add"));
  EXPECT_THAT(
      Expanded("f32[2,3]", "f32[2,1]", spec),
      ElementsAre("f32[2] reshape", "f32[2,3] broadcast {0}", "f32[2,3] add"));
  EXPECT_THAT(Expanded("f32[2,1]", "f32[2,1]", spec),
              ElementsAre("f32[2,1] add"));
}

TEST(ExpandBroadcasts, ScalarIsOneBroadcast) {
  EXPECT_THAT(Expanded("f32[2,3]", "f32[]"),
              ElementsAre("f32[2,3] broadcast {}", "f32[2,3] add"));
  // The bound becomes a size: XLA writes static broadcasts.
  EXPECT_THAT(Expanded("f32[]", "f32[<=8]"),
              ElementsAre("f32[8] broadcast {}", "f32[<=8] add"));
}

TEST(ExpandBroadcasts, InDimIsOneBroadcast) {
  EXPECT_THAT(Expanded("f32[2,3]", "f32[3]", {1}),
              ElementsAre("f32[2,3] broadcast {1}", "f32[2,3] add"));
  EXPECT_THAT(Expanded("f32[3,4]", "f32[2,3,4]", {1, 2}),
              ElementsAre("f32[2,3,4] broadcast {1,2}", "f32[2,3,4] add"));
}

TEST(ExpandBroadcasts, DegenerateDimsAreReshapedAway) {
  EXPECT_THAT(
      Expanded("f32[2,1]", "f32[2,3]"),
      ElementsAre("f32[2] reshape", "f32[2,3] broadcast {0}", "f32[2,3] add"));
  EXPECT_THAT(
      Expanded("f32[2,1]", "f32[1,3]"),
      ElementsAre("f32[2] reshape", "f32[2,3] broadcast {0}", "f32[3] reshape",
                  "f32[2,3] broadcast {1}", "f32[2,3] add"));
  EXPECT_THAT(
      Expanded("f32[1]", "f32[0]"),
      ElementsAre("f32[] reshape", "f32[0] broadcast {}", "f32[0] add"));
}

// The two examples of composition in XLA's document.
TEST(ExpandBroadcasts, ComposedInXlasOrder) {
  EXPECT_THAT(Expanded("f32[4]", "f32[1,2]", {0}),
              ElementsAre("f32[4,2] broadcast {0}", "f32[2] reshape",
                          "f32[4,2] broadcast {1}", "f32[4,2] add"));
  EXPECT_THAT(Expanded("f32[1,2]", "f32[4,3,1]", {1, 2}),
              ElementsAre("f32[4,1,2] broadcast {1,2}", "f32[4,2] reshape",
                          "f32[4,3,2] broadcast {0,2}", "f32[4,3] reshape",
                          "f32[4,3,2] broadcast {0,1}", "f32[4,3,2] add"));
}

TEST(ExpandBroadcasts, OtherRulesByTheirPlan) {
  EXPECT_THAT(Expanded("f32[3]", "f32[2,1]", BroadcastRule::kNumpy),
              ElementsAre("f32[2,3] broadcast {1}", "f32[2] reshape",
                          "f32[2,3] broadcast {0}", "f32[2,3] add"));
  BroadcastSpec pdpd;
  pdpd.rule = BroadcastRule::kPdpd;
  pdpd.axis = 1;
  EXPECT_THAT(Expanded("f32[2,3,4,5]", "f32[3,1]", pdpd),
              ElementsAre("f32[3] reshape", "f32[2,3,4,5] broadcast {1}",
                          "f32[2,3,4,5] add"));
  EXPECT_THAT(Expanded("f32[2,3]", "f32[2,3]", BroadcastRule::kNone),
              ElementsAre("f32[2,3] add"));
}

TEST(ExpandBroadcasts, UnknownSizesAreStretchedAtRunTime) {
  // Used as they are: what ? is must be 4.
  EXPECT_THAT(Expanded("f32[?]", "f32[4]"), ElementsAre("f32[4] add"));
  EXPECT_THAT(Expanded("f32[?]", "f32[]"),
              ElementsAre("s32[] get-dimension-size", "s32[1] reshape",
                          "f32[?] custom-call", "f32[?] add"));
  EXPECT_THAT(
      Expanded("f32[?,1]", "f32[1,3]"),
      ElementsAre("s32[] get-dimension-size", "s32[] constant",
                  "s32[1] reshape", "s32[1] reshape", "s32[2] concatenate",
                  "f32[?,3] custom-call", "s32[] get-dimension-size",
                  "s32[] constant", "s32[1] reshape", "s32[1] reshape",
                  "s32[2] concatenate", "f32[?,3] custom-call",
                  "f32[?,3] add"));
}

TEST(ExpandBroadcasts, FloatTypesAreUnified) {
  EXPECT_THAT(Expanded("bf16[3]", "f32[3]"),
              ElementsAre("f32[3] convert", "f32[3] add"));
  EXPECT_THAT(
      Expanded("f32[2,3]", "bf16[]"),
      ElementsAre("f32[] convert", "f32[2,3] broadcast {}", "f32[2,3] add"));
}

TEST(ExpandBroadcasts, ScalarsOfSelectAndClamp) {
  ComputationBuilder b("m");
  const Op p = b.Parameter(0, "pred[]", "p");
  const Op x = b.Parameter(1, "f32[4]", "x");
  const Op zero = b.ConstantR0(ElementType::kF32, 0);
  const absl::StatusOr<Module> module =
      b.Build(b.Select(p, b.Clamp(zero, x, zero), zero));
  ASSERT_TRUE(module.ok()) << module.status();
  const ExpandResult result = ExpandBroadcasts(*module);
  EXPECT_THAT(
      Emitted(result.module),
      ElementsAre("f32[] constant", "f32[4] broadcast {}",
                  "f32[4] broadcast {}", "f32[4] clamp", "pred[4] broadcast {}",
                  "f32[4] broadcast {}", "f32[4] select"));
}

TEST(ExpandBroadcasts, RefusesWhatXlaCannotSay) {
  struct Row {
    const char* lhs;
    const char* rhs;
    Code code;
  };
  for (const Row& row : {Row{"f32[*]", "f32[3]", Code::kExpandUnranked},
                         Row{"f32[2..5]", "f32[2..5]", Code::kExpandInterval},
                         Row{"f32[<=3]", "f32[5]", Code::kExpandBounded}}) {
    const Module module = AddModule(row.lhs, row.rhs, BroadcastRule::kNumpy);
    ASSERT_EQ(module.computation_count(), 1);
    const ExpandResult result = ExpandBroadcasts(module);
    ASSERT_EQ(result.report.diagnostics().size(), 1u) << row.lhs;
    EXPECT_EQ(result.report.diagnostics()[0].diagnostic.code, row.code);
    // The module is given back as it was.
    EXPECT_EQ(result.module.instruction_count(), module.instruction_count());
  }
}

TEST(ExpandBroadcasts, BroadcastsToNamedSizes) {
  EXPECT_THAT(Expanded("f32[n,4]", "f32[4]", {1}),
              ElementsAre("f32[n,4] broadcast {1}", "f32[n,4] add"));
  EXPECT_THAT(Expanded("f32[]", "f32[2*n]"),
              ElementsAre("f32[2*n] broadcast {}", "f32[2*n] add"));
  EXPECT_THAT(
      Expanded("f32[n,1]", "f32[n,m]"),
      ElementsAre("f32[n] reshape", "f32[n,m] broadcast {0}", "f32[n,m] add"));
}

// Of a module whose sizes got values; an empty one where they can't be.
Module WithSizes(const Module& module, int n, int m) {
  // A setting must name a size that the module has.
  std::string parameters;
  for (const Shape& p : module.entry().signature().parameters) {
    absl::StrAppend(&parameters,
                    absl::StrJoin(p.dims(), " ", [](std::string* out, Dim dim) {
                      out->append(dim.ToString());
                    }));
  }
  RefineOptions options;
  for (const auto& [name, size] : {std::pair("n", n), std::pair("m", m)}) {
    if (!absl::StrContains(parameters, name)) continue;
    EXPECT_TRUE(AddSetting(absl::StrCat(name, "=", size), &options).ok());
  }
  RefineResult refined = Refine(module, options);
  return refined.ok() ? refined.module : Module();
}

// Where it depends on the run which size stretches: XLA's own call, which the
// evaluator doesn't know.
bool HasCustomCall(const Module& module) {
  for (const Instruction i : module.entry().instructions()) {
    if (i.opcode() == Opcode::kCustomCall) return true;
  }
  return false;
}

// Whichever values the names get: what the recorded module computes.
TEST(ExpandBroadcasts, NamedSizesAreWhatTheyBecome) {
  int compared = 0;
  const char* const kShapes[] = {"f32[]",    "f32[n]",   "f32[1]",
                                 "f32[3]",   "f32[n,m]", "f32[m,n]",
                                 "f32[1,n]", "f32[3,m]", "f32[n,1]"};
  for (const char* lhs : kShapes) {
    for (const char* rhs : kShapes) {
      const Module module = AddModule(lhs, rhs, BroadcastRule::kNumpy);
      ASSERT_EQ(module.computation_count(), 1);
      const ExpandResult expanded = ExpandBroadcasts(module);
      ASSERT_TRUE(expanded.ok()) << RenderReport(module, expanded.report);
      if (HasCustomCall(expanded.module)) continue;
      for (const auto& [n, m] : {std::pair(1, 1), std::pair(1, 3),
                                 std::pair(3, 1), std::pair(3, 3)}) {
        const Module want = WithSizes(module, n, m);
        if (want.computation_count() == 0) continue;
        const Module got = WithSizes(expanded.module, n, m);
        ASSERT_EQ(got.computation_count(), 1) << lhs << " " << rhs;
        RandomStream random(1);
        std::vector<Literal> inputs;
        for (const Shape& p : want.entry().signature().parameters) {
          inputs.push_back(RandomLiteral(p, &random).value());
        }
        const auto wanted = Evaluate(want, inputs);
        const auto is = Evaluate(got, inputs);
        ASSERT_TRUE(wanted.ok()) << wanted.status();
        ASSERT_TRUE(is.ok()) << is.status() << lhs << " " << rhs;
        EXPECT_EQ(*is, *wanted) << lhs << " " << rhs;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 4 * 53);
}

TEST(ExpandBroadcasts, KeepsNamesIdsAndPlaces) {
  const Module module = AddModule("f32[2,3]", "f32[]", {});
  const Instruction before = module.entry().root();
  const ExpandResult result = ExpandBroadcasts(module);
  const Instruction after = result.module.entry().root();
  EXPECT_EQ(after.name(), before.name());
  EXPECT_EQ(after.id(), before.id());
  const Instruction broadcast = after.operand(1);
  EXPECT_EQ(broadcast.opcode(), Opcode::kBroadcast);
  EXPECT_EQ(broadcast.location().line, after.location().line);
  EXPECT_NE(broadcast.name(), after.name());
}

// All shapes of rank up to 2 over {0, 1, 3} and a scalar, every rule: what
// inference takes is expanded to something that XLA's verifier takes.
TEST(ExpandBroadcasts, AllSmallShapes) {
  std::vector<std::string> shapes = {"f32[]"};
  for (const char* a : {"0", "1", "3", "<=3", "?"}) {
    shapes.push_back(absl::StrCat("f32[", a, "]"));
    for (const char* b : {"0", "1", "3", "<=3", "?"}) {
      shapes.push_back(absl::StrCat("f32[", a, ",", b, "]"));
    }
  }
  std::vector<BroadcastArg> specs = {{},
                                     {0},
                                     {1},
                                     {0, 1},
                                     BroadcastRule::kNumpy,
                                     BroadcastRule::kNone,
                                     BroadcastRule::kPdpd,
                                     BroadcastRule::kBidirectional};
  int taken = 0;
  int asked = 0;
  for (const std::string& lhs : shapes) {
    for (const std::string& rhs : shapes) {
      for (const BroadcastArg& spec : specs) {
        if (asked++ % SampleStep(5) != 0) continue;
        ComputationBuilder b("m");
        const Op x = b.Parameter(0, lhs, "x");
        const Op y = b.Parameter(1, rhs, "y");
        const absl::StatusOr<Module> module = b.Build(b.Add(x, y, spec));
        if (!module.ok()) continue;
        ++taken;
        const ExpandResult result = ExpandBroadcasts(*module);
        if (!result.report.ok()) {
          // Only where a bounded dim is not the result's.
          EXPECT_EQ(result.report.diagnostics()[0].diagnostic.code,
                    Code::kExpandBounded);
          continue;
        }
        const VerifyResult verified = VerifyShapes(result.module);
        EXPECT_TRUE(verified.ok())
            << lhs << " " << rhs << " "
            << RenderReport(result.module, verified.report);
      }
    }
  }
  EXPECT_GT(taken, 1000 / SampleStep(5));
}

TEST(Export, GivesBytesOrTheFirstError) {
  EXPECT_TRUE(ExportHloModuleProto(AddModule("f32[2,3]", "f32[3]", {1})).ok());
  const absl::StatusOr<std::string> bytes =
      ExportHloModuleProto(AddModule("f32[*]", "f32[3]", {}));
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(bytes.status().message()),
              ::testing::HasSubstr("IND0624"));
}

}  // namespace
}  // namespace indim
