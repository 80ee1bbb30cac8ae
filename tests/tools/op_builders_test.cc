// SPDX-License-Identifier: Apache-2.0
// Every op of the table can be built, by a call with XLA's name: what is built
// is that op, verifies, and comes back from a file for XLA.

#include "indim/tests/tools/op_builders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "indim/builder/computation_builder.h"
#include "indim/ir/report.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/builder/sharding_scope.h"

namespace indim {
namespace {

int Count(const Module& module, Opcode opcode) {
  int count = 0;
  for (const Instruction& i : module.entry().instructions()) {
    if (i.opcode() == opcode) ++count;
  }
  return count;
}

void ExpectVerified(const Module& module) {
  const VerifyResult result = VerifyModule(module);
  EXPECT_TRUE(result.ok()) << RenderReport(module, result.report);
  EXPECT_EQ(result.unchecked, 0);
}

TEST(OpBuildersTest, EveryRowHasItsCall) {
  std::set<Opcode> seen;
  for (const OpBuilder& op : AllOpBuilders()) {
    EXPECT_TRUE(seen.insert(op.opcode).second) << op.name;
  }
  for (const OpInfo& op : AllOps()) {
    EXPECT_EQ(seen.count(op.opcode), 1) << op.wire;
  }
}

TEST(OpBuildersTest, WhatIsBuiltIsTheOpAndComesBack) {
  for (const OpBuilder& op : AllOpBuilders()) {
    SCOPED_TRACE(op.name);
    TestBuilder b("case");
    const absl::StatusOr<Module> module = b.Build(op.build(b));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(module->entry().root().opcode(), op.opcode);
    EXPECT_TRUE(b.DiagnosticsText().empty()) << b.DiagnosticsText();
    ExpectVerified(*module);

    const absl::StatusOr<std::string> bytes = ExportHloModuleProto(*module);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<Module> back = ReadHloModuleProto(*bytes);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_FALSE(back->is_recorded());
    EXPECT_EQ(Count(*back, op.opcode), Count(*module, op.opcode));
    EXPECT_TRUE(SameStructure(back->entry().root().shape(),
                              module->entry().root().shape()))
        << back->entry().root().shape();
    ExpectVerified(*back);
  }
}

// A sharding in scope is on the op that the call is for. A row that also builds
// the other half of a pair makes a call whose result can't carry it.
TEST(OpBuildersTest, AShardingInScopeIsOnTheOp) {
  std::set<std::string> of_pairs;
  for (const OpBuilder& op : AllOpBuilders()) {
    SCOPED_TRACE(op.name);
    if (op.opcode == Opcode::kParameter) continue;  // P() leaves it out
    for (const bool device : {false, true}) {
      const UnderScope found = CallUnder(
          [&](const Shape& shape) {
            return device ? MaximalSharding(1) : ShardingOf(shape);
          },
          {}, [&](TestBuilder& b, const Ops&) { return Ops{op.build(b)}; });
      if (device) {
        EXPECT_EQ(found.errors, "");
      }
      if (!found.errors.empty()) {
        of_pairs.insert(op.name);
        continue;
      }
      ASSERT_EQ(found.results.size(), 1u);
      EXPECT_THAT(found.sharded, ::testing::Contains(found.results[0]));
    }
  }
  EXPECT_THAT(of_pairs,
              ::testing::ElementsAre("AllGatherStart", "AsyncStart",
                                     "AsyncUpdate", "CollectivePermuteStart",
                                     "CopyDone", "CopyStart", "Recv"));
}

}  // namespace
}  // namespace indim
