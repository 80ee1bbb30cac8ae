// NodeMemo: answers about nodes, by everything that shapes and attributes can
// say about one (ir/memo_table.h). Nodes of many operands are not remembered:
// to look at them takes as long as to check them.

#ifndef INDIM_PASSES_NODE_MEMO_H_
#define INDIM_PASSES_NODE_MEMO_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "indim/ir/memo_table.h"
#include "indim/ir/module_data.h"

namespace indim {

// A node as a memo knows it: two nodes with equal keys have the same answer.
struct NodeKey {
  static constexpr size_t kParts = 6;

  // Structures of operands, then indices of callees.
  std::array<uint32_t, kParts> parts = {};
  uint32_t blob = 0;
  uint32_t declared = 0;
  Opcode opcode = Opcode::kInvalid;
  uint8_t operand_count = 0;
  uint8_t callee_count = 0;

  // False when the node has too many operands and callees. `declared` is a
  // StructureId or a ShapeId: whatever the answer depends on.
  static bool Of(const ModuleData& data, uint32_t computation,
                 const InstructionRecord& r, uint32_t declared, NodeKey* key) {
    if (r.operand_count > kParts || r.callee_count > kParts ||
        r.operand_count + r.callee_count > kParts) {
      return false;
    }
    const ShapeTable& shapes = data.pools->shapes();
    const InstructionRecord* const base =
        data.instructions.data() + data.computations[computation].first;
    key->opcode = r.opcode;
    key->blob = r.blob.value;
    key->declared = declared;
    key->operand_count = static_cast<uint8_t>(r.operand_count);
    key->callee_count = static_cast<uint8_t>(r.callee_count);
    size_t part = 0;
    for (const uint32_t operand : data.Operands(r)) {
      key->parts[part++] = shapes.structure(base[operand].shape).value;
    }
    for (const uint32_t callee : data.Callees(r)) key->parts[part++] = callee;
    return true;
  }

  friend bool operator==(const NodeKey& a, const NodeKey& b) {
    uint32_t differ = (a.blob ^ b.blob) | (a.declared ^ b.declared);
    for (size_t i = 0; i < kParts; ++i) differ |= a.parts[i] ^ b.parts[i];
    return differ == 0 && a.opcode == b.opcode &&
           a.operand_count == b.operand_count &&
           a.callee_count == b.callee_count;
  }

  uint64_t Hash() const {
    uint64_t hash = (uint64_t{blob} << 32 | declared) ^
                    (static_cast<uint64_t>(opcode) << 16);
    for (size_t i = 0; i < kParts; i += 2) {
      hash ^= uint64_t{parts[i]} << 32 | parts[i + 1];
      hash *= 0x9e3779b97f4a7c15;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

template <typename Answer>
using NodeMemo = MemoTable<NodeKey, Answer, 64, size_t{1} << 14>;

}  // namespace indim

#endif  // INDIM_PASSES_NODE_MEMO_H_
