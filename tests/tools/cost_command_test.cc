// SPDX-License-Identifier: Apache-2.0
// indim stats, indim list, indim cost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Mlp() {
  return Written("mlp.hlo",
                 "HloModule mlp\nENTRY e {\n"
                 "  x = f32[8,784]{1,0} parameter(0)\n"
                 "  w = f32[784,10]{1,0} parameter(1)\n"
                 "  d = f32[8,10]{1,0} dot(x, w), lhs_contracting_dims={1}, "
                 "rhs_contracting_dims={0}, metadata={op_name=\"jit(f)/dot\" "
                 "source_file=\"f.py\" source_line=7}\n"
                 "  ROOT t = f32[8,10]{1,0} tanh(d)\n}\n");
}

TEST(StatsCommand, TellsWhatAModuleHolds) {
  const Outcome run = Indim(absl::StrCat("stats ", Mlp()));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("module mlp, 1 computation, 4 instructions\n"
                                 "2 parameters, 56.4 kB; 1 result, 320 B; 0 "
                                 "constants, 0 B\n"));
  EXPECT_THAT(run.out, HasSubstr("operations:\n  parameter   2\n  dot         "
                                 "1\n  tanh        1\n"));
  EXPECT_THAT(run.out, HasSubstr("source files:\n  f.py   1\n"));
}

TEST(StatsCommand, PutsSeveralFilesInATable) {
  const std::string mlp = Mlp();
  const Outcome run = Indim(absl::StrCat("stats ", mlp, " ", mlp));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("custom calls\n"));
  EXPECT_THAT(run.out, HasSubstr("operations of all:\n  parameter   4\n"));
  EXPECT_EQ(Indim(absl::StrCat("stats ", mlp, " /nonexistent")).exit, 2);
}

TEST(StatsCommand, WritesJson) {
  const Outcome run = Indim(absl::StrCat("stats --json ", Mlp()));
  EXPECT_EQ(run.exit, 0);
  EXPECT_THAT(run.out,
              HasSubstr("\"parameters\":{\"count\":2,\"bytes\":56448},"));
  EXPECT_THAT(run.out, HasSubstr("\"operations\":{\"dot\":1,\"parameter\":2,"
                                 "\"tanh\":1},\"loops\":[],"));
}

TEST(ListCommand, ListsWhatThePatternMatches) {
  const Outcome run = Indim(absl::StrCat("list ", Mlp(), " 'dot'"));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("  e: %d = f32[8,10]{1,0} dot("));
  EXPECT_THAT(run.out, HasSubstr("  f.py:7\n"));
  EXPECT_EQ(Indim(absl::StrCat("list ", Mlp(), " add")).exit, 1);
  EXPECT_EQ(Indim(absl::StrCat("list ", Mlp(), " 'ad('")).exit, 2);
}

TEST(ListCommand, WritesJson) {
  const Outcome run =
      Indim(absl::StrCat("list --json ", Mlp(), " 'tanh(?a=dot)'"));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out,
            "{\"instruction\":\"t\",\"computation\":\"e\",\"opcode\":\"tanh\","
            "\"shape\":\"f32[8,10]{1,0}\",\"file\":null,\"line\":null,"
            "\"named\":{\"a\":\"d\"}}\n");
}

TEST(CostCommand, TellsWhatDominatesFirst) {
  const Outcome run = Indim(absl::StrCat("cost ", Mlp()));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(": 125 k FLOPs, 80 transcendentals, 57.4 kB "
                                 "accessed\n"));
  EXPECT_THAT(run.out, HasSubstr("peak memory 56.8 kB: arguments 56.4 kB, "
                                 "results 320 B, temporaries 0 B; without a "
                                 "schedule, in file order\n"));
  EXPECT_LT(run.out.find("e/d"), run.out.find("e/t"));
  EXPECT_THAT(run.out, HasSubstr("  ####################    100 %   125 k "));
}

TEST(CostCommand, PutsCostsTogether) {
  struct {
    const char* by;
    const char* row;
  } const rows[] = {{"opcode", " dot\n"},
                    {"line", " f.py:7\n"},
                    {"scope", " jit(f)\n"},
                    {"computation", " e\n"}};
  for (const auto& row : rows) {
    const Outcome run = Indim(absl::StrCat("cost --by=", row.by, " ", Mlp()));
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr(row.row));
  }
}

TEST(CostCommand, ABudgetIsHeld) {
  struct {
    const char* budget;
    int exit;
  } const rows[] = {
      {"flops=126k", 0},         {"flops=125k", 1}, {"bytes=1MiB", 0},
      {"peak=60k", 0},           {"peak=56.4k", 1}, {"bytes=57k,flops=1G", 1},
      {"transcendentals=79", 1}, {"apples=1", 2},   {"flops=many", 2}};
  for (const auto& row : rows) {
    EXPECT_EQ(
        Indim(absl::StrCat("cost --budget=", row.budget, " ", Mlp())).exit,
        row.exit)
        << row.budget;
  }
}

TEST(CostCommand, WritesJson) {
  const Outcome run = Indim(absl::StrCat("cost --json ", Mlp()));
  EXPECT_THAT(run.out,
              HasSubstr("\"flops\":125440,\"transcendentals\":80,\"bytes\":"));
  EXPECT_THAT(run.out, HasSubstr("\"rows\":[{\"instruction\":\"e/d\","));
}

TEST(DotCommand, DrawsAComputation) {
  const Outcome run = Indim(absl::StrCat("dot ", Mlp()));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("digraph \"e\" {\n"));
  EXPECT_THAT(run.out, HasSubstr("  n2 [label=\"d\\ndot\\nf32[8,10]\", "));
  EXPECT_THAT(run.out, HasSubstr("  n1 -> n2 [label=1];\n"));
  EXPECT_THAT(run.out, HasSubstr("  n2 -> n3;\n}\n"));
  EXPECT_EQ(Indim(absl::StrCat("dot --max-nodes=3 ", Mlp())).exit, 1);
  EXPECT_EQ(Indim(absl::StrCat("dot ", Mlp(), " other")).exit, 2);
  EXPECT_EQ(Indim("dot /nonexistent").exit, 2);
}

// A scalar stands beside each user, an element has its index, a name that says
// the operation stands alone, and long shapes are cut.
TEST(DotCommand, DrawsWhatPeopleLookFor) {
  std::string shapes = "f32[]";
  for (int i = 0; i < 20; ++i) shapes += ", f32[]";
  std::string operands = "c";
  for (int i = 0; i < 20; ++i) operands += ", c";
  const Outcome run = Indim(absl::StrCat(
      "dot ",
      Written("drawn.hlo",
              absl::StrCat("ENTRY e {\n  c = f32[] constant(2.5)\n"
                           "  tuple.1 = (",
                           shapes, ") tuple(", operands,
                           ")\n  ROOT g = f32[] get-tuple-element(tuple.1), "
                           "index=3\n}\n"))));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out,
              HasSubstr("  s20 [label=\"c\\nconstant\\n2.5\\nf32[]\""));
  EXPECT_THAT(run.out, HasSubstr("  s20 -> n1 [label=20];\n"));
  EXPECT_THAT(run.out, HasSubstr("label=\"tuple.1\\n(f32[], f32[],"));
  EXPECT_THAT(run.out, HasSubstr("...\""));
  EXPECT_THAT(run.out,
              HasSubstr("label=\"g\\nget-tuple-element\\nindex 3\\nf32[]\""));
  EXPECT_THAT(run.out, Not(HasSubstr("  n0 [")));
}

TEST(CostCommand, TellsWhatADeviceDoes) {
  const std::string sharded =
      Written("sharded.hlo",
              "HloModule m, num_partitions=4\nENTRY e {\n"
              "  x = f32[16,8] parameter(0), sharding={devices=[4,1]<=[4]}\n"
              "  w = f32[8,8] parameter(1)\n  ROOT d = f32[16,8] dot(x, w), "
              "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
  const Outcome run = Indim(absl::StrCat("cost ", sharded));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\neach of 4 devices: 512 FLOPs, "));
  EXPECT_THAT(run.out, HasSubstr("FLOPs of a device"));
  EXPECT_THAT(Indim(absl::StrCat("cost --json ", sharded)).out,
              HasSubstr("\"devices\":4,\"is_cut\":true,\"on_device\":{"
                        "\"flops\":512,"));
  EXPECT_THAT(Indim(absl::StrCat("cost ", Mlp())).out,
              Not(HasSubstr("devices")));
  const auto exit = [&](const char* budget) {
    return Indim(absl::StrCat("cost --budget=", budget, " ", sharded)).exit;
  };
  EXPECT_EQ(exit("device-flops=512"), 0);
  EXPECT_EQ(exit("device-flops=511"), 1);
  EXPECT_EQ(exit("flops=512"), 1);
  EXPECT_EQ(exit("device-transcendentals=0,device-bytes=1G"), 0);
  EXPECT_EQ(exit("device-bytes=1"), 1);
  EXPECT_EQ(exit("device-peak=1G"), 2);
}

TEST(CostCommand, ABudgetDoesNotPassWhatACustomCallCosts) {
  const std::string module =
      Written("custom.hlo",
              "ENTRY e {\n  p = f32[4]{0} parameter(0)\n  ROOT c = f32[4]{0} "
              "custom-call(p), custom_call_target=\"mine\"\n}\n");
  const Outcome run = Indim(absl::StrCat("cost --budget=flops=1T ", module));
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(run.err, HasSubstr("flops is 0 and what the custom call e/c "
                                 "costs, which isn't known to be within"));
  EXPECT_EQ(Indim(absl::StrCat("cost --budget=peak=1k ", module)).exit, 0);
}

TEST(CostCommand, PutsLayersTogether) {
  const auto add = [](const char* name, const char* scope) {
    return absl::StrCat("  ", name,
                        " = f32[4]{0} add(p, p), metadata={op_name="
                        "\"",
                        scope, "\"}\n");
  };
  const std::string module = Written(
      "layers.hlo",
      absl::StrCat("ENTRY e {\n  p = f32[4]{0} parameter(0)\n",
                   add("a", "jit(step)/jvp(GPT)/h_0/mlp/add"),
                   add("b", "jit(step)/transpose(jvp(GPT))/h_11/mlp/add"),
                   add("c", "jit(step)/jvp(GPT)/while/body/h_1/attn/add"),
                   "  ROOT t = f32[4]{0} add(a, b)\n}\n"));
  const Outcome layers = Indim(absl::StrCat("cost --by=layer ", module));
  EXPECT_THAT(layers.out, HasSubstr("0    96 B   GPT/h_*/mlp\n"));
  EXPECT_THAT(layers.out, HasSubstr("   GPT/h_*/attn\n"));
  EXPECT_THAT(Indim(absl::StrCat("cost --by=layer --depth=1 ", module)).out,
              HasSubstr(" 75 %  "));
}

TEST(CostCommand, TellsWhatNeedsMemoryAtThePeak) {
  const Outcome run = Indim(absl::StrCat("cost --rows=0 ", Mlp()));
  EXPECT_THAT(run.out, HasSubstr("\n  31.4 kB   argument   e/w   "));
  EXPECT_THAT(run.out, Not(HasSubstr("share")));
  EXPECT_THAT(
      Indim(absl::StrCat("cost --json ", Mlp())).out,
      HasSubstr("\"largest\":[{\"instruction\":\"e/w\",\"kind\":"
                "\"argument\",\"bytes\":31360,\"shape\":\"f32[784,10]\"},"));
}

TEST(CostCommand, SaysThatABudgetHolds) {
  const std::string budget =
      absl::StrCat("cost --rows=0 --budget=flops=1M ", Mlp());
  EXPECT_THAT(Indim(budget).out,
              HasSubstr("flops is 125 k, within the budget of 1.00 M\n"));
  EXPECT_EQ(Indim(absl::StrCat(budget, " --quiet")).out, "");
}

TEST(CostCommand, HasARowForEachOfSeveralFiles) {
  const Outcome run = Indim(absl::StrCat("cost ", Mlp(), " ", Mlp()));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("transcendentals"));
  EXPECT_THAT(run.out, HasSubstr("peak memory\n"));
  EXPECT_EQ(Indim(absl::StrCat("cost /nonexistent ", Mlp())).exit, 2);
}

TEST(ListCommand, SaysWhatIsNearest) {
  const Outcome run = Indim(absl::StrCat("list ", Mlp(), " 'dot: f32[*]'"));
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(run.err, HasSubstr("no instruction matches dot: f32[*]\nthese "
                                 "are of the same operation:\n  e: "));
  EXPECT_THAT(Indim("help pattern").out, HasSubstr("dot: f32 "));
}

TEST(DotCommand, LetsGraphvizDrawSvg) {
  const std::string svg = Temp("it's.svg");
  const std::string dot =
      absl::StrCat("tools/indim dot ", Mlp(), " -o \"", svg, "\"");
  const std::string here =
      Written("dot", "#!/bin/sh\n{ echo \"$@\"; cat; } > \"$3\"\n");
  const std::string folder = here.substr(0, here.rfind('/'));
  const Outcome run =
      Shell(absl::StrCat("chmod +x ", here, "; PATH=", folder, ":$PATH ", dot));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(Contents(svg),
              StartsWith(absl::StrCat("-Tsvg -o ", svg, "\ndigraph ")));
  const Outcome none = Shell(absl::StrCat("PATH=/nonexistent ", dot));
  EXPECT_EQ(none.exit, 2);
  EXPECT_THAT(none.err, HasSubstr("the package graphviz"));
}

TEST(ExportCommand, WritesAGraphForEachComputation) {
  const std::string loop =
      Written("call.hlo",
              "f {\n  ROOT x = f32[4]{0} parameter(0)\n}\nENTRY e {\n"
              "  p = f32[4]{0} parameter(0)\n  ROOT c = f32[4]{0} call(p), "
              "to_apply=f, metadata={op_name=\"jit(g)/block/call\"}\n}\n");
  const Outcome run = Indim(absl::StrCat("export --model-explorer ", loop));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\"graphs\":[{\"id\":\"e\",\"nodes\":["));
  EXPECT_THAT(run.out, HasSubstr("\"namespace\":\"jit(g)/block\","
                                 "\"subgraphIds\":[\"f\"]"));
  EXPECT_THAT(run.out, HasSubstr("\"sourceNodeId\":\"p\""));
  EXPECT_EQ(Indim(absl::StrCat("export ", loop)).exit, 2);
}

}  // namespace
}  // namespace indim
