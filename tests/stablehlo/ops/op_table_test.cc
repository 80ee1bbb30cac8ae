// SPDX-License-Identifier: Apache-2.0
// The tables of MLIR's operations: what must hold of their rows.

#include "indim/stablehlo/ops/op_table.h"

#include <set>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "indim/shape/ops/opcode.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/attribute_kind.h"

namespace indim::mlir {
namespace {

TEST(OpTableTest, NamesAreFoundAndUnique) {
  std::set<absl::string_view> names;
  int stablehlo = 0;
  int chlo = 0;
  for (const OpRow& row : Ops()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(FindOp(row.name), &row);
    stablehlo += absl::StartsWith(row.name, "stablehlo.") ? 1 : 0;
    chlo += absl::StartsWith(row.name, "chlo.") ? 1 : 0;
  }
  // 117 of StableHLO 1.17, and collective_reduce of 1.19.
  EXPECT_EQ(stablehlo, 118);
  EXPECT_EQ(chlo, 51);
  EXPECT_EQ(FindOp("stablehlo.ad"), nullptr);
}

TEST(OpTableTest, CountsAreInOrder) {
  for (const OpRow& row : Ops()) {
    for (const Count count : {row.operands, row.results, row.regions}) {
      EXPECT_GE(count.least, 0) << row.name;
      EXPECT_TRUE(count.most < 0 || count.most >= count.least) << row.name;
    }
  }
}

// Each attribute belongs to a row, which sees all of its own.
TEST(OpTableTest, AttributesBelongToOps) {
  std::set<const AttributeRow*> seen;
  for (const OpRow& op : Ops()) {
    for (const AttributeRow& row : op.attributes) seen.insert(&row);
    std::set<absl::string_view> names;
    for (const AttributeRow& row : op.attributes) {
      EXPECT_TRUE(names.insert(row.name).second) << op.name << " " << row.name;
      EXPECT_EQ(FindAttribute(op, row.name), &row);
      EXPECT_FALSE(row.required && row.defaulted) << op.name << " " << row.name;
    }
  }
  EXPECT_EQ(seen.size(), AllAttributes().size());
}

// What a kind speaks of, a word or a struct, is in the tables too. Shardy's
// attributes are texts.
TEST(OpTableTest, KindsNameKnownAttributes) {
  for (const AttributeRow& row : AllAttributes()) {
    const bool shardy = absl::StartsWith(row.of, "sdy.");
    const bool words =
        row.kind == ValueKind::kWord || row.kind == ValueKind::kPrecisions;
    const bool fields =
        row.kind == ValueKind::kStruct || row.kind == ValueKind::kStructArray;
    EXPECT_EQ(FindWords(row.of) != nullptr, words) << row.op << " " << row.name;
    EXPECT_EQ(FindStruct(row.of) != nullptr || shardy, fields)
        << row.op << " " << row.name;
  }
}

TEST(OpTableTest, WordsHaveNumbers) {
  const WordsRow* const words = FindWords("stablehlo.rng_distribution");
  ASSERT_NE(words, nullptr);
  EXPECT_EQ(NumberOf(*words, "UNIFORM"), 1);
  EXPECT_EQ(NumberOf(*words, "NORMAL"), 2);
  EXPECT_EQ(NumberOf(*words, "normal"), -1);
  EXPECT_EQ(FindWords("stablehlo.gather"), nullptr);
}

TEST(OpTableTest, OpcodesFindTheirOp) {
  EXPECT_EQ(FindOp(Opcode::kAdd)->name, "stablehlo.add");
  EXPECT_EQ(FindOp(Opcode::kTopK)->name, "chlo.top_k");
  EXPECT_EQ(FindOp(Opcode::kScaledDot), nullptr);
  EXPECT_EQ(FindOp(Opcode::kInvalid), nullptr);
}

TEST(OpTableTest, VersionsAreOrdered) {
  const Version old = {0, 9, 0};
  const Version later = {1, 10, 0};
  EXPECT_LT(old, later);
  EXPECT_LT((Version{1, 9, 5}), later);
  EXPECT_LT(later, kNotPortable);
  EXPECT_EQ(ToString(later), "1.10.0");
  for (const OpRow& op : Ops()) {
    for (const AttributeRow& row : op.attributes) {
      EXPECT_FALSE(row.since < Version({0, 9, 0})) << op.name << row.name;
    }
  }
}

// Old texts write lists of integers as tensors.
TEST(AttributeKindTest, ListsBecomeModern) {
  Ir ir;
  const AttrId list = ir.I64ArrayAttr({1, 2});
  const AttrId dense = ir.DenseI64Attr({1, 2}, {2});
  EXPECT_EQ(Modern(&ir, ValueKind::kI64Array, dense), list);
  EXPECT_EQ(Modern(&ir, ValueKind::kI64Array, list), list);
  EXPECT_EQ(Modern(&ir, ValueKind::kI64Pairs, dense), dense);
  const AttrId pairs = ir.DenseI64Attr({1, 2}, {1, 2});
  EXPECT_EQ(Modern(&ir, ValueKind::kI64Array, pairs), pairs);
  EXPECT_TRUE(HasKind(ir, ValueKind::kI64Array, "", list));
  EXPECT_FALSE(HasKind(ir, ValueKind::kI64Array, "", pairs));
  EXPECT_FALSE(HasKind(ir, ValueKind::kBoolArray, "", list));
}

TEST(AttributeKindTest, ValuesHaveTheirKind) {
  Ir ir;
  EXPECT_TRUE(HasKind(ir, ValueKind::kI64, "", ir.IntegerAttr(3)));
  EXPECT_FALSE(HasKind(ir, ValueKind::kI32, "", ir.IntegerAttr(3)));
  const AttrId high = ir.WordAttr("stablehlo.precision", "HIGH");
  EXPECT_TRUE(HasKind(ir, ValueKind::kWord, "stablehlo.precision", high));
  EXPECT_FALSE(HasKind(ir, ValueKind::kWord, "stablehlo.transpose", high));
  EXPECT_TRUE(HasKind(ir, ValueKind::kPrecisions, "stablehlo.precision",
                      ir.ArrayAttr({high, high})));
  EXPECT_FALSE(HasKind(ir, ValueKind::kPrecisions, "stablehlo.precision",
                       ir.ArrayAttr({high, ir.UnitAttr()})));
  const AttributeRow* const lower =
      FindAttribute(*FindOp("stablehlo.cholesky"), "lower");
  EXPECT_TRUE(IsDefault(ir, *lower, ir.BoolAttr(false)));
  EXPECT_FALSE(IsDefault(ir, *lower, ir.BoolAttr(true)));
}

}  // namespace
}  // namespace indim::mlir
