// SPDX-License-Identifier: Apache-2.0
// The op table: its rows against XLA's facts, and the lookups.

#include "indim/shape/ops/opcode.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/ascii.h"

namespace indim {
namespace {

TEST(OpTableTest, HasAllOfXlaInOrder) {
  EXPECT_EQ(AllOps().size(), 137);
  int last = 0;
  std::set<std::string> names;
  std::set<std::string> wires;
  for (const OpInfo& op : AllOps()) {
    SCOPED_TRACE(std::string(op.wire));
    EXPECT_GT(static_cast<int>(op.opcode), last);
    last = static_cast<int>(op.opcode);
    EXPECT_TRUE(names.insert(std::string(op.name)).second);
    EXPECT_TRUE(wires.insert(std::string(op.wire)).second);
    for (char c : op.wire) {
      EXPECT_TRUE(absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-');
    }
  }
}

TEST(OpTableTest, CountsMakeSense) {
  for (const OpInfo& op : AllOps()) {
    SCOPED_TRACE(std::string(op.wire));
    EXPECT_GE(op.min_operands, 0);
    EXPECT_TRUE(op.max_operands == -1 || op.max_operands >= op.min_operands);
    EXPECT_GE(op.callees, -1);
    EXPECT_TRUE(op.operand == TypeMask::kAny || op.min_operands > 0);
  }
}

TEST(OpTableTest, TraitsMakeSense) {
  int broadcasts = 0;
  for (const OpInfo& op : AllOps()) {
    SCOPED_TRACE(std::string(op.wire));
    if (op.has(kBroadcasts)) {
      ++broadcasts;
      EXPECT_TRUE(op.has(kElementwise));
      EXPECT_EQ(op.min_operands, 2);
      EXPECT_EQ(op.max_operands, 2);
      EXPECT_TRUE(op.attributes == AttributesKind::kElementwise ||
                  op.attributes == AttributesKind::kCompare);
    }
    EXPECT_TRUE(!op.has(kCommutative) || op.min_operands == 2);
  }
  EXPECT_EQ(broadcasts, 18);
}

// MLIR's trait, by its preconditions.
TEST(OpTableTest, EveryRowSaysWhetherItIsBroadcastable) {
  int elementwise = 0;
  int yes = 0;
  for (const OpInfo& op : AllOps()) {
    SCOPED_TRACE(std::string(op.wire));
    const Broadcastability b = op.broadcastable;
    EXPECT_NE(b, Broadcastability::kUnknown);
    EXPECT_FALSE(Name(b).empty() || Describe(b).empty());
    yes += b == Broadcastability::kYes ? 1 : 0;
    if (op.has(kElementwise)) {
      ++elementwise;
      EXPECT_EQ(b, Broadcastability::kYes);
    }
    if (b == Broadcastability::kYes) {
      EXPECT_GT(op.min_operands, 0);
      EXPECT_TRUE(op.result == ResultSource::kInferred ||
                  op.result == ResultSource::kTypeGiven);
    }
    EXPECT_EQ(b == Broadcastability::kNoOperand, op.max_operands == 0);
  }
  EXPECT_EQ(elementwise, 60);
  EXPECT_EQ(yes, 72);
}

TEST(OpTableTest, InfoFindsEachRowAndNothingElse) {
  for (const OpInfo& op : AllOps()) {
    EXPECT_EQ(&Info(op.opcode), &op);
    EXPECT_EQ(Name(op.opcode), op.wire);
    EXPECT_EQ(OpcodeFromName(op.wire), op.opcode);
  }
  for (Opcode bad :
       {Opcode::kInvalid, static_cast<Opcode>(138), static_cast<Opcode>(255)}) {
    EXPECT_EQ(Name(bad), "invalid");
    EXPECT_EQ(Info(bad).max_operands, 0);
  }
}

TEST(OpTableTest, UnknownNames) {
  for (const char* bad : {"", "Add", "add ", "invalid", "broadcast-in-dim"}) {
    EXPECT_EQ(OpcodeFromName(bad), std::nullopt) << bad;
  }
}

TEST(OpTableTest, NearestOpcode) {
  EXPECT_EQ(NearestOpcode("substract"), Opcode::kSubtract);
  EXPECT_EQ(NearestOpcode("transpse"), Opcode::kTranspose);
  EXPECT_EQ(NearestOpcode("multiply"), Opcode::kMultiply);
  EXPECT_EQ(NearestOpcode("get_tuple_element"), Opcode::kGetTupleElement);
  EXPECT_EQ(NearestOpcode("mul"), Opcode::kMultiply);
  EXPECT_EQ(NearestOpcode("max"), Opcode::kMaximum);
  EXPECT_EQ(NearestOpcode("dot_general"), Opcode::kDot);
  EXPECT_EQ(NearestOpcode("while_loop"), Opcode::kWhile);
  EXPECT_EQ(NearestOpcode("sin"), Opcode::kSin);
  EXPECT_EQ(NearestOpcode("Exp"), Opcode::kExp);
  EXPECT_EQ(NearestOpcode("clz"), Opcode::kClz);
  EXPECT_EQ(NearestOpcode(""), std::nullopt);
  EXPECT_EQ(NearestOpcode("zzzzzzzzzz"), std::nullopt);
  EXPECT_EQ(NearestOpcode(std::string(100000, 'a')), std::nullopt);
}

}  // namespace
}  // namespace indim
