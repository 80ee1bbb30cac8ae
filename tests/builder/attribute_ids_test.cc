// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/attribute_ids.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "indim/ir/pools.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/shape/ops/attributes.h"

namespace indim::internal {
namespace {

struct Given {
  Opcode opcode;
  Attributes attributes;
};

// More structs than the caches have places, among them such as differ in one
// member only.
std::vector<Given> ManyAttributes() {
  std::vector<Given> all;
  for (int64_t i = -1; i < 40; ++i) {
    for (int64_t k = -1; k < 40; ++k) {
      BroadcastSpec broadcast;
      if (k >= 0) broadcast.dimensions = DimIndices{i, k};
      if (i == 0) broadcast.dimensions = DimIndices();
      broadcast.rule = static_cast<BroadcastRule>((i + k + 2) % 5);
      broadcast.axis = k % 3 - 1;
      all.push_back({Opcode::kAdd, ElementwiseAttributes{broadcast}});
      all.push_back({Opcode::kCompare,
                     CompareAttributes{
                         static_cast<ComparisonDirection>((i + 1) % 6),
                         static_cast<ComparisonType>((k + 1) % 5), broadcast}});
      DimIndices dims = {i + 1, k + 1};
      if (k < 0) dims.pop_back();
      all.push_back({Opcode::kTranspose, DimensionsAttributes{dims}});
      DotAttributes dot;
      (k % 2 == 0 ? dot.lhs_contracting_dims : dot.lhs_batch_dims) = dims;
      (k % 3 == 0 ? dot.rhs_contracting_dims : dot.rhs_batch_dims) = dims;
      if (i % 4 == 0) dot.precision.operand_precision = {Precision::kHigh};
      if (i % 5 == 0) dot.precision.algorithm = static_cast<DotAlgorithm>(1);
      all.push_back({Opcode::kDot, dot});
      dot.lhs_ragged_dims = {i + 1};
      dot.rhs_group_dims = {0};
      all.push_back({Opcode::kDot, dot});  // not a field of this opcode
      all.push_back({Opcode::kRaggedDot, dot});
      all.push_back({Opcode::kGetTupleElement, GetTupleElementAttributes{k}});
      all.push_back({Opcode::kExp, NoAttributes{}});
    }
  }
  return all;
}

TEST(AttributeIdsTest, AreThoseOfTheEncodedBytes) {
  Pools pools;
  AttributeIds ids(&pools);
  const std::vector<Given> all = ManyAttributes();
  for (int round = 0; round < 2; ++round) {
    for (const Given& given : all) {
      const AttributeBytesId id = ids.Of(given.opcode, given.attributes);
      EXPECT_EQ(id.value,
                pools
                    .AddAttributeBytes(
                        EncodeAttributes(given.opcode, given.attributes).view())
                    .value)
          << Name(given.opcode);
    }
  }
}

// A struct is known without its opcode: all opcodes that have it write the same
// bytes for it.
TEST(AttributeIdsTest, AreThoseOfEveryOpcode) {
  for (const Given& given : ManyAttributes()) {
    Pools pools;
    AttributeIds ids(&pools);
    for (int k = 1; k < 256; ++k) {
      const Opcode opcode = static_cast<Opcode>(k);
      if (Info(opcode).attributes != Info(given.opcode).attributes) continue;
      ASSERT_EQ(ids.Of(opcode, given.attributes).value,
                pools
                    .AddAttributeBytes(
                        EncodeAttributes(opcode, given.attributes).view())
                    .value)
          << Name(opcode);
    }
  }
}

}  // namespace
}  // namespace indim::internal
