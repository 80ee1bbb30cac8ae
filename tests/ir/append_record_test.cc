// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/append_record.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "indim/ir/module_data.h"

namespace indim {
namespace {

using Numbers = std::vector<uint32_t>;

Numbers OperandsOf(const ModuleData& data, size_t i) {
  const auto span = data.Operands(data.instructions[i]);
  return {span.begin(), span.end()};
}
Numbers CalleesOf(const ModuleData& data, size_t i) {
  const auto span = data.Callees(data.instructions[i]);
  return {span.begin(), span.end()};
}

// One instruction for each pair of counts, with numbers that tell them apart.
ModuleData Made(uint32_t from) {
  ModuleData data;
  for (const uint32_t operands : {0u, 1u, 2u, 40u}) {
    for (const uint32_t callees : {0u, 1u, 3u}) {
      Numbers used, called;
      for (uint32_t k = 0; k < operands; ++k) used.push_back(from++);
      for (uint32_t k = 0; k < callees; ++k) called.push_back(from++);
      InstructionRecord& r =
          AppendRecord(used, called, &data.operands, &data.instructions);
      EXPECT_EQ(&r, &data.instructions.back());
      r.name = NameId{from};
      const size_t i = data.instructions.size() - 1;
      EXPECT_EQ(OperandsOf(data, i), used);
      EXPECT_EQ(CalleesOf(data, i), called);
    }
  }
  return data;
}

TEST(AppendRecordTest, KeepsOperandsAndCallees) {
  const ModuleData data = Made(1);
  // None of the later ones changed an earlier one: the numbers count up.
  uint32_t next = 1;
  for (size_t i = 0; i < data.instructions.size(); ++i) {
    for (const uint32_t k : OperandsOf(data, i)) EXPECT_EQ(k, next++);
    for (const uint32_t k : CalleesOf(data, i)) EXPECT_EQ(k, next++);
    EXPECT_EQ(data.instructions[i].name.value, next);
  }
  EXPECT_EQ(next - 1, data.operands.size());
}

TEST(AppendRecordTest, LikeAnother) {
  ModuleData data = Made(1);
  InstructionRecord like = data.instructions[5];
  like.opcode = Opcode::kAdd;
  like.unknown_opcode = 1;
  like.shape = ShapeId{7};
  const InstructionRecord& r = AppendRecordLike(
      like, {3, 4, 5}, {6}, &data.operands, &data.instructions);
  EXPECT_EQ(r.opcode, Opcode::kAdd);
  EXPECT_TRUE(r.unknown_opcode);
  EXPECT_EQ(r.shape.value, 7u);
  EXPECT_EQ(r.name.value, like.name.value);
  EXPECT_EQ(OperandsOf(data, data.instructions.size() - 1), Numbers({3, 4, 5}));
  EXPECT_EQ(CalleesOf(data, data.instructions.size() - 1), Numbers({6}));
}

// What the caller appended becomes a record's, also of one that has others.
TEST(AppendRecordTest, TakesWhatWasAppended) {
  ModuleData data = Made(1);
  const size_t first = data.operands.size();
  for (const uint32_t k : {8, 9, 10}) data.operands.push_back(k);
  TakeOperands(first, 1, data.operands, &data.instructions[3]);
  EXPECT_EQ(OperandsOf(data, 3), Numbers({8, 9}));
  EXPECT_EQ(CalleesOf(data, 3), Numbers({10}));
  TakeOperands(data.operands.size(), 0, data.operands, &data.instructions[3]);
  EXPECT_EQ(OperandsOf(data, 3), Numbers());
  EXPECT_EQ(CalleesOf(data, 3), Numbers());
}

TEST(AppendRecordTest, KeepsTheFirstOperands) {
  ModuleData data;
  AppendRecord({7, 8, 9}, {1}, &data.operands, &data.instructions);
  KeepOperands(1, &data.instructions[0]);
  EXPECT_EQ(OperandsOf(data, 0), Numbers({7}));
  EXPECT_EQ(CalleesOf(data, 0), Numbers());
}

// Whether the columns in front are longer or shorter, or empty.
TEST(AppendRecordTest, MovesColumns) {
  for (const int parts : {0, 1, 3}) {
    SCOPED_TRACE(parts);
    ModuleData to;
    for (int k = 0; k < parts; ++k) {
      ModuleData more = Made(1000);
      AppendRecords(std::move(more.instructions), std::move(more.operands),
                    &to.operands, &to.instructions);
    }
    const size_t before = to.instructions.size();
    ModuleData from = Made(1);
    from.operands.push_back(99);  // no instruction's
    const ModuleData expected = from;
    AppendRecords(std::move(from.instructions), std::move(from.operands),
                  &to.operands, &to.instructions);
    const size_t count = expected.instructions.size();
    ASSERT_EQ(to.instructions.size(), before + count);
    EXPECT_EQ(before, parts * count);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(OperandsOf(to, before + i), OperandsOf(expected, i));
      EXPECT_EQ(CalleesOf(to, before + i), CalleesOf(expected, i));
      EXPECT_EQ(to.instructions[before + i].name.value,
                expected.instructions[i].name.value);
    }
    if (parts > 0) {
      EXPECT_EQ(OperandsOf(to, 3), Numbers({1004}));
    }
  }
}

}  // namespace
}  // namespace indim
