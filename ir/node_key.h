// SPDX-License-Identifier: Apache-2.0
// Keys of nodes: what a node's result, verification or bytes depend on, which
// excludes its name and place. A graph repeats few nodes, so work on one is
// kept in a Memo by its key.

#ifndef INDIM_IR_NODE_KEY_H_
#define INDIM_IR_NODE_KEY_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "indim/ir/ids.h"
#include "indim/ir/storage/memo.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

// Opcode and metadata; shape and attribute bytes; then up to kParts parts, two
// in each word: what is said of operands, then of callees. A user that doesn't
// depend on one of these leaves it 0.
template <size_t kParts>
using NodeKeyOf = std::array<uint64_t, 2 + (kParts + 1) / 2>;

// With more operands and callees, a look-up takes as long as the work.
constexpr uint32_t kMaxKeyParts = 6;
using NodeKey = NodeKeyOf<kMaxKeyParts>;

template <size_t kParts, typename Answer, size_t kMax = size_t{1} << 14>
using NodeMemo = Memo<2 + (kParts + 1) / 2, Answer, kMax>;

// Sets *key to one without parts. With metadata, counts must be below 256 and
// 2^16. Word by word in place: what reads a word just after it was written as
// part of a copy of two waits until the copy is done.
template <size_t kWords>
void SetNodeKey(Opcode opcode, uint32_t operand_count, uint32_t callee_count,
                MetadataId metadata, ShapeId shape,
                AttributeBytesId attribute_bytes,
                std::array<uint64_t, kWords>* key) {
  *key = {};
  (*key)[0] = static_cast<uint8_t>(opcode) | uint64_t{operand_count} << 8 |
              uint64_t{callee_count} << 16 | uint64_t{metadata.value} << 32;
  (*key)[1] = shape.value | uint64_t{attribute_bytes.value} << 32;
}

template <size_t kWords>
void AddPart(uint32_t part, uint32_t value, std::array<uint64_t, kWords>* key) {
  (*key)[2 + part / 2] |= uint64_t{value} << (part % 2 * 32);
}

}  // namespace indim

#endif  // INDIM_IR_NODE_KEY_H_
