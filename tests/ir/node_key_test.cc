// SPDX-License-Identifier: Apache-2.0
// Keys of nodes: nodes that differ in anything have different keys.

#include "indim/ir/node_key.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace indim {
namespace {

constexpr uint32_t kId = ~uint32_t{0};
constexpr Opcode kLast = static_cast<Opcode>(255);

TEST(NodeKeyTest, EachFieldHasItsBits) {
  std::vector<NodeKey> keys;
  const auto add = [&](Opcode opcode, uint32_t operands, uint32_t callees,
                       MetadataId metadata, ShapeId shape,
                       AttributeBytesId attribute_bytes) {
    SetNodeKey(opcode, operands, callees, metadata, shape, attribute_bytes,
               &keys.emplace_back());
  };
  add(kLast, 0, 0, {}, {}, {});
  add(Opcode::kInvalid, kMaxKeyParts, 0, {}, {}, {});
  add(Opcode::kInvalid, 0, kMaxKeyParts, {}, {}, {});
  add(Opcode::kInvalid, 0, 0, {kId}, {}, {});
  add(Opcode::kInvalid, 0, 0, {}, {kId}, {});
  add(Opcode::kInvalid, 0, 0, {}, {}, {kId});
  for (uint32_t part = 0; part < kMaxKeyParts; ++part) {
    AddPart(part, kId, &keys.emplace_back());
  }
  NodeKey used = {};
  for (const NodeKey& key : keys) {
    EXPECT_FALSE(SameKey(key, NodeKey{}));
    for (size_t word = 0; word < key.size(); ++word) {
      EXPECT_EQ(key[word] & used[word], 0) << "field " << &key - keys.data();
      used[word] |= key[word];
    }
  }
}

// Without metadata there is room for any number of operands.
TEST(NodeKeyTest, CountsWithoutMetadata) {
  const auto key = [](Opcode opcode, uint32_t operands) {
    NodeKeyOf<1> key;
    SetNodeKey(opcode, operands, 0, {}, {kId}, {kId}, &key);
    return key;
  };
  const uint32_t counts[] = {0, 1, 255, 256, 257, 1 << 16, 1 << 24, kId};
  for (const uint32_t a : counts) {
    EXPECT_FALSE(SameKey(key(Opcode::kAdd, a), key(kLast, a)));
    for (const uint32_t b : counts) {
      EXPECT_EQ(SameKey(key(kLast, a), key(kLast, b)), a == b) << a << " " << b;
    }
  }
}

}  // namespace
}  // namespace indim
