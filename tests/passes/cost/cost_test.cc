// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/io/read.h"
#include "indim/passes/cost/statistics.h"
#include "indim/tests/passes/cost/xla_costs.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

Module Read(const std::string& computations, const std::string& entry) {
  const absl::StatusOr<Module> module = ReadModuleText(
      absl::StrCat("HloModule m\n", computations, "\nENTRY e { ", entry, " }"));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *module : Module();
}

CostReport CostOfText(const std::string& computations, const std::string& entry,
                      const CostOptions& options = {}) {
  const absl::StatusOr<CostReport> cost =
      Cost(Read(computations, entry), options);
  EXPECT_TRUE(cost.ok()) << cost.status();
  return cost.ok() ? *cost : CostReport();
}

TEST(CostTest, CountsAsXlaDoes) {
  for (const XlaCostCase& c : kXlaCosts) {
    const CostReport cost = CostOfText(c.computations, c.entry);
    EXPECT_EQ(cost.xla.flops.ToString(), Amount(c.flops).ToString()) << c.entry;
    EXPECT_EQ(cost.xla.transcendentals.ToString(),
              Amount(c.transcendentals).ToString())
        << c.entry;
    EXPECT_EQ(cost.xla.bytes.ToString(), Amount(c.bytes).ToString()) << c.entry;
  }
}

// The rows of a report are parts of its sum.
TEST(CostTest, RowsAddUpToTheTotal) {
  for (const XlaCostCase& c : kXlaCosts) {
    const CostReport cost = CostOfText(c.computations, c.entry);
    Costs sum;
    for (const InstructionCost& row : cost.instructions) sum += row.total;
    EXPECT_TRUE(sum.flops == cost.total.flops) << c.entry;
    EXPECT_TRUE(sum.transcendentals == cost.total.transcendentals) << c.entry;
    EXPECT_TRUE(sum.bytes == cost.total.bytes) << c.entry;
  }
}

// A state of a counter and a vector; the body takes 8 sines.
constexpr char kBody[] = R"(
body {
  t = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[8] get-tuple-element(t), index=1
  two = s32[] constant(2)
  j = s32[] add(i, two)
  y = f32[8] sine(x)
  ROOT r = (s32[], f32[8]) tuple(j, y)
}
)";
std::string Condition(const std::string& bound) {
  return absl::StrCat(R"(
condition {
  t = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] )",
                      bound, R"(
  ROOT r = pred[] compare(i, n), direction=LT
}
)");
}
constexpr char kLoop[] =
    "x = f32[8] parameter(0)  i = s32[] constant(1)"
    "  t = (s32[], f32[8]) tuple(i, x)"
    "  ROOT w = (s32[], f32[8]) while(t), condition=condition, body=body";

TEST(CostTest, ALoopCountsAsOftenAsItRuns) {
  const CostReport cost =
      CostOfText(absl::StrCat(kBody, Condition("constant(10)")), kLoop);
  // From 1 by 2 below 10: five steps, six comparisons.
  EXPECT_EQ(cost.total.transcendentals.ToString(), "40");
  EXPECT_EQ(cost.total.flops.ToString(), "11");
  EXPECT_EQ(cost.xla.transcendentals.ToString(), "8");
  ASSERT_EQ(cost.loops.size(), 1u);
  EXPECT_EQ(cost.loops[0].steps.ToString(), "5");
  EXPECT_TRUE(cost.unknown.empty());
}

// As a gradient's loop goes back through the steps of the other.
TEST(CostTest, ALoopMayRunAsFarAsAnotherCounted) {
  const CostReport cost =
      CostOfText(absl::StrCat(kBody, Condition("constant(10)"), R"(
back {
  t = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT r = (s32[], s32[]) tuple(j, n)
}
until {
  t = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] get-tuple-element(t), index=1
  ROOT r = pred[] compare(i, n), direction=LT
}
)"),
                 "x = f32[8] parameter(0)  i = s32[] constant(1)"
                 "  t = (s32[], f32[8]) tuple(i, x)"
                 "  w = (s32[], f32[8]) while(t), condition=condition, "
                 "body=body  e = s32[] get-tuple-element(w), index=0"
                 "  z = s32[] constant(0)  s = (s32[], s32[]) tuple(z, e)"
                 "  ROOT b = (s32[], s32[]) while(s), condition=until, "
                 "body=back");
  EXPECT_TRUE(cost.unknown.empty());
  ASSERT_EQ(cost.loops.size(), 2u);
  // The counter ends at 11.
  EXPECT_EQ(cost.loops[0].steps.ToString(), "5");
  EXPECT_EQ(cost.loops[1].steps.ToString(), "11");
}

TEST(CostTest, AnUnknownNumberOfStepsIsUnknown) {
  const std::string condition =
      absl::StrCat(kBody, Condition("custom-call(), custom_call_target=\"n\""));
  const CostReport cost = CostOfText(condition, kLoop);
  EXPECT_EQ(cost.total.transcendentals.ToString(), "8*steps(w)");
  ASSERT_EQ(cost.unknown.size(), 2u);
  EXPECT_EQ(cost.unknown[0].why, UnknownCost::Why::kCustomCall);
  EXPECT_EQ(cost.unknown[0].times.ToString(), "steps(w) + 1");
  EXPECT_EQ(cost.unknown[1].why, UnknownCost::Why::kSteps);
  EXPECT_EQ(cost.unknown[1].instruction.name(), "w");
}

TEST(CostTest, LoopsInLoopsMultiply) {
  const std::string outer = R"(
outer {
  t = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[8] get-tuple-element(t), index=1
  one = s32[] constant(1)
  s = (s32[], f32[8]) tuple(one, x)
  w = (s32[], f32[8]) while(s), condition=condition, body=body
  y = f32[8] get-tuple-element(w), index=1
  j = s32[] add(i, one)
  ROOT r = (s32[], f32[8]) tuple(j, y)
}
outer_condition {
  t = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(4)
  ROOT r = pred[] compare(i, n), direction=LT
}
)";
  const CostReport cost = CostOfText(
      absl::StrCat(kBody, Condition("constant(10)"), outer),
      "x = f32[8] parameter(0)  i = s32[] constant(1)"
      "  t = (s32[], f32[8]) tuple(i, x)"
      "  ROOT w = (s32[], f32[8]) while(t), condition=outer_condition, "
      "body=outer");
  EXPECT_EQ(cost.total.transcendentals.ToString(), "120");
}

constexpr char kBranches[] = R"(
dear { a = f32[8] parameter(0)  b = f32[8] sine(a)  ROOT r = f32[8] sine(b) }
cheap { a = f32[8] parameter(0)  ROOT r = f32[8] sine(a) }
)";
constexpr char kConditional[] =
    "p = pred[] parameter(0)  x = f32[8] parameter(1)"
    "  ROOT c = f32[8] conditional(p, x, x), true_computation=cheap, "
    "false_computation=dear";

TEST(CostTest, BranchesCountByWeight) {
  struct {
    std::vector<double> weights;
    const char* transcendentals;
  } const rows[] = {
      {{}, "16"}, {{1, 0}, "8"}, {{0.5, 0.5}, "12"}, {{0, 0}, "0"}};
  for (const auto& row : rows) {
    CostOptions options;
    if (!row.weights.empty()) options.branch_weights["c"] = row.weights;
    EXPECT_EQ(CostOfText(kBranches, kConditional, options)
                  .total.transcendentals.ToString(),
              row.transcendentals);
  }
}

TEST(CostTest, RefusesWeightsThatFitNothing) {
  struct {
    const char* name;
    std::vector<double> weights;
    const char* error;
  } const rows[] = {
      {"d", {1, 0}, "'d' is no conditional of the module"},
      {"c", {1}, "'c' has 2 branches, not 1"},
      {"c", {-1, 2}, "no number from 0 up"},
      {"c", {std::nan(""), 2}, "no number from 0 up"},
  };
  const Module module = Read(kBranches, kConditional);
  for (const auto& row : rows) {
    CostOptions options;
    options.branch_weights[row.name] = row.weights;
    const absl::StatusOr<CostReport> cost = Cost(module, options);
    EXPECT_EQ(cost.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(cost.status().message()), HasSubstr(row.error));
  }
}

TEST(CostTest, NamedSizesGiveExpressions) {
  ReadOptions options;
  options.symbols = true;
  const absl::StatusOr<Module> module = ReadModuleText(
      "HloModule m\nENTRY e { x = f32[n,784] parameter(0)"
      "  w = f32[784,10] parameter(1)"
      "  ROOT r = f32[n,10] dot(x, w), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0} }",
      options);
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<CostReport> cost = Cost(*module);
  ASSERT_TRUE(cost.ok());
  EXPECT_EQ(cost->total.flops.ToString(), "15680*n");
  EXPECT_EQ(cost->total.bytes.ToString(), "3176*n + 31360");
}

TEST(CostTest, RefusesModulesWithoutShapesOrEntry) {
  EXPECT_EQ(Cost(Module()).status().code(), absl::StatusCode::kInvalidArgument);
}

// Of JAX's modules: each row belongs to a computation that runs, and sums of
// modules without loops, branches and custom calls are XLA's.
TEST(CostTest, WithoutLoopsTheSumsAreXlas) {
  int compared = 0;
  for (const char* name : {"dt_bitcast", "nn_gpt_scan_remat"}) {
    const absl::StatusOr<Module> module =
        ReadModuleFile(absl::StrCat("tests/data/jax/", name, ".hlo.pb"));
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<CostReport> cost = Cost(*module);
    ASSERT_TRUE(cost.ok()) << cost.status();
    if (!cost->loops.empty() || !cost->unknown.empty()) {
      EXPECT_GT(cost->total.flops.Estimate(), cost->xla.flops.Estimate());
      continue;
    }
    ++compared;
    EXPECT_TRUE(cost->total.flops == cost->xla.flops) << name;
    EXPECT_TRUE(cost->total.bytes == cost->xla.bytes) << name;
  }
  EXPECT_GT(compared, 0);
}

// --- Several devices
// ----------------------------------------------------------

constexpr char kRows[] = "sharding={devices=[4,1]<=[4]}";
constexpr char kColumns[] = "sharding={devices=[1,4]<=[4]}";
constexpr char kDot[] =
    "dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}";

// On four devices. XLA's partitioner gives each as many FLOPs, but for those of
// an all-reduce.
TEST(CostTest, ADeviceHasItsShareOfWhatShardingsCut) {
  const std::string loop = absl::StrCat(R"(
body {
  t = (s32[], f32[16,8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[16,8] get-tuple-element(t), index=1
  q = f32[] constant(1)
  w = f32[8,8] broadcast(q), dimensions={}
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[16,8] )",
                                        kDot, R"(
  ROOT r = (s32[], f32[16,8]) tuple(j, y)
}
condition {
  t = (s32[], f32[16,8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(20)
  ROOT r = pred[] compare(i, n), direction=LT
}
)");
  const std::string relu = R"(
relu {
  a = f32[16,8] parameter(0)
  zero = f32[] constant(0)
  z = f32[16,8] broadcast(zero), dimensions={}
  ROOT m = f32[16,8] maximum(a, z)
}
)";
  const std::string sum =
      "sum { a = f32[] parameter(0)  b = f32[] parameter(1)"
      "  ROOT r = f32[] add(a, b) }\n";
  struct {
    std::string computations;
    std::string x;  // what cuts x, f32[16,8]
    std::string w;  // and w, f32[8,8]
    std::string rest;
    double share;
  } const rows[] = {
      // Rows, columns, both, sums.
      {"", kRows, "", absl::StrCat("ROOT y = f32[16,8] ", kDot), 0.25},
      {"", "", kColumns, absl::StrCat("ROOT y = f32[16,8] ", kDot), 0.25},
      {"", "sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}",
       "sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
       absl::StrCat("ROOT y = f32[16,8] ", kDot), 0.25},
      {"", kColumns, "", absl::StrCat("ROOT y = f32[16,8] ", kDot), 0.25},
      {"", "", kRows, absl::StrCat("ROOT y = f32[16,8] ", kDot), 0.25},
      // Rows of both: the rows of w are gathered.
      {"", kRows, kRows, absl::StrCat("ROOT y = f32[16,8] ", kDot), 0.25},
      // Nothing cuts what is replicated.
      {"", "sharding={replicated}", kColumns, "ROOT y = f32[16,8] negate(x)",
       1},
      // What a constraint asks for, and what is made of numbers.
      {"", "", "",
       absl::StrCat("y = f32[16,8] ", kDot,
                    "  ROOT c = f32[16,8] custom-call(y), "
                    "custom_call_target=\"Sharding\", ",
                    kRows),
       0.25},
      {"", kRows, "",
       "one = f32[] constant(1)  o = f32[16,8] broadcast(one), dimensions={}"
       "  y = f32[8,8] dot(x, o), lhs_contracting_dims={0}, "
       "rhs_contracting_dims={0}  ROOT z = f32[16,8] dot(o, w), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       0.25},
      // Through moves, reductions, calls and loops.
      {"", kRows, "",
       "a = f32[8,16] transpose(x), dimensions={1,0}"
       "  b = f32[8,4,4] reshape(a)  c = f32[2,8,4,4] broadcast(b), "
       "dimensions={1,2,3}  ROOT d = f32[2,8,4,4] negate(c)",
       0.25},
      {sum, kRows, "",
       "z = f32[] constant(0)  ROOT s = f32[8] reduce(x, z), dimensions={0}, "
       "to_apply=sum",
       0.25},
      {relu, kRows, "",
       "a = f32[16,8] call(x), to_apply=relu  b = f32[16,8] negate(a)"
       "  ROOT c = f32[16,8] call(b), to_apply=relu",
       0.25},
      {loop, kRows, "",
       "i = s32[] constant(0)  t = (s32[], f32[16,8]) tuple(i, x)"
       "  ROOT l = (s32[], f32[16,8]) while(t), condition=condition, "
       "body=body",
       0.25},
  };
  for (const auto& row : rows) {
    const std::string entry =
        absl::StrCat("x = f32[16,8] parameter(0)", row.x.empty() ? "" : ", ",
                     row.x, "  w = f32[8,8] parameter(1)",
                     row.w.empty() ? "" : ", ", row.w, "  ", row.rest);
    const absl::StatusOr<Module> module = ReadModuleText(
        absl::StrCat("HloModule m, num_partitions=4\n", row.computations,
                     "\nENTRY e { ", entry, " }"));
    ASSERT_TRUE(module.ok()) << module.status() << entry;
    const absl::StatusOr<CostReport> cost = Cost(*module);
    ASSERT_TRUE(cost.ok()) << cost.status();
    EXPECT_EQ(cost->devices, 4);
    ASSERT_GT(cost->total.flops.number(), 0) << entry;
    // A loop's counter is every device's.
    EXPECT_NEAR(cost->on_device.flops.number() / cost->total.flops.number(),
                row.share, 0.001)
        << entry;
    EXPECT_EQ(cost->is_cut, row.share < 1 || !row.w.empty());
    EXPECT_LE(cost->on_device.bytes.number(), cost->total.bytes.number());
  }
}

// What says how a value is sharded computes nothing.
TEST(CostTest, ShardingCallsAreNotUnknown) {
  for (const char* target :
       {"Sharding", "xla.sdy.FuncResultSharding", "SPMDFullToShardShape"}) {
    const CostReport cost =
        CostOfText("", absl::StrCat("x = f32[8] parameter(0)  ROOT c = f32[8] "
                                    "custom-call(x), custom_call_target=\"",
                                    target, "\""));
    EXPECT_TRUE(cost.unknown.empty()) << target;
  }
}

// Parameters keep their shardings when their shapes are a device's already.
TEST(CostTest, WhatIsPartitionedIsADevicesOwn) {
  const absl::StatusOr<Module> module = ReadModuleText(
      absl::StrCat("HloModule m, is_scheduled=true, num_partitions=4\nENTRY e {"
                   " x = f32[16,8] parameter(0), ",
                   kRows, "  ROOT n = f32[16,8] negate(x) }"));
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<CostReport> cost = Cost(*module);
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_EQ(cost->devices, 4);
  EXPECT_FALSE(cost->is_cut);
  EXPECT_EQ(cost->on_device.flops.number(), 128);
}

TEST(StatisticsTest, CountsWhatIsThere) {
  const Module module = Read(
      absl::StrCat(kBody, Condition("constant(10)"),
                   "sum { a = f32[] parameter(0)  b = f32[] parameter(1)"
                   "  ROOT r = f32[] add(a, b) }\n"),
      "x = f32[8] parameter(0), metadata={source_file=\"f.py\" source_line=3}"
      "  i = s32[] constant(1)"
      "  a = f32[8] all-reduce(x), to_apply=sum, "
      "replica_groups={{0,1,2},{3,4,5}}"
      "  c = f32[8] custom-call(a), custom_call_target=\"f\""
      "  t = (s32[], f32[8]) tuple(i, c)"
      "  ROOT w = (s32[], f32[8]) while(t), condition=condition, body=body");
  const ModuleStatistics all = Statistics(module);
  EXPECT_EQ(all.computations, 4);
  EXPECT_EQ(all.instructions, module.instruction_count());
  EXPECT_EQ(all.opcodes.at("constant"), 3);
  EXPECT_EQ(all.constants.bytes.ToString(), "12");
  EXPECT_EQ(all.parameters.count, 1);
  EXPECT_EQ(all.parameters.bytes.ToString(), "32");
  EXPECT_EQ(all.results.count, 2);
  EXPECT_EQ(all.results.bytes.ToString(), "36");
  ASSERT_EQ(all.collectives.size(), 1u);
  EXPECT_EQ(all.collectives[0].bytes.ToString(), "32");
  EXPECT_EQ(all.collectives[0].groups, 2);
  EXPECT_EQ(all.collectives[0].group_size, 3);
  EXPECT_EQ(all.custom_calls.at("f"), 1);
  EXPECT_EQ(all.source_files.at("f.py"), 1);
  ASSERT_EQ(all.loops.size(), 1u);
  EXPECT_EQ(all.loops[0].steps, 5);
}

TEST(StatisticsTest, AnEmptyModuleHasNothing) {
  const ModuleStatistics all = Statistics(Module());
  EXPECT_EQ(all.instructions, 0);
  EXPECT_TRUE(all.opcodes.empty());
}

}  // namespace
}  // namespace indim
