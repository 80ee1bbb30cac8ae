// SPDX-License-Identifier: Apache-2.0
// No row of the op table is half done: every op has a shape function, an
// accepting case and a rejecting one.

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/oracle_cases.h"
#include "indim/tools/query/case_reader.h"
#include "indim/tools/query/infer_case.h"

namespace indim {
namespace {

TEST(OpTableTest, EveryRowHasAShapeFunction) {
  for (const OpInfo& op : AllOps()) {
    EXPECT_TRUE(IsInferable(op.opcode)) << op.wire;
  }
}

// Cases of the recorded answers, and our own of what XLA can't be asked.
TEST(OpTableTest, EveryRowHasAnAcceptingAndARejectingCase) {
  std::set<std::string> accepted;
  std::set<std::string> rejected;
  for (const char* file :
       {"xla_dev.jsonl", "xla_today_dev.jsonl", "../shape/op_cases.jsonl"}) {
    for (const OracleCase& line : LoadOracleCases(file)) {
      Case c;
      if (!ReadCase(line.line, &c).ok() || c.opcode == Opcode::kInvalid) {
        continue;
      }
      const auto expected = line.Answer("expect");
      ASSERT_TRUE(expected) << line.id;
      const std::string op(Name(c.opcode));
      (expected->shape ? accepted : rejected).insert(op);
      // What the recorded answers say is compared elsewhere.
      if (line.id.rfind("own-", 0) != 0) continue;
      InferContext context;
      const std::optional<Shape> shape = InferCase(&context, c);
      EXPECT_EQ(shape ? shape->ToString() : "refused",
                expected->shape.value_or("refused"))
          << line.id << " " << line.line.ShortDebugString();
    }
  }
  for (const OpInfo& op : AllOps()) {
    const std::string name(op.wire);
    EXPECT_EQ(accepted.count(name), 1) << name;
    EXPECT_EQ(rejected.count(name), 1) << name;
  }
}

}  // namespace
}  // namespace indim
