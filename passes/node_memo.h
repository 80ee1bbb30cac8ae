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
class NodeKey {
 public:
  static constexpr uint32_t kParts = 6;

  // False when the node has too many operands and callees. `declared` is a
  // StructureId or a ShapeId: whatever the answer depends on.
  // callee_key(callee): what stands for it.
  template <typename CalleeKey>
  static bool Of(const ModuleData& data, uint32_t computation,
                 const InstructionRecord& r, uint32_t declared,
                 const CalleeKey& callee_key, NodeKey* key) {
    const uint64_t count = uint64_t{r.operand_count} + r.callee_count;
    if (count > kParts) return false;
    const ShapeTable& shapes = data.pools->shapes();
    const InstructionRecord* const base =
        data.instructions.data() + data.computations[computation].first;
    const uint32_t* const parts = data.operands.data() + r.first_operand;
    key->answer_of_ = uint64_t{r.blob.value} << 32 | declared;
    key->form_ = uint64_t{r.callee_count} << 32 |
                 uint64_t{r.operand_count} << 8 |
                 static_cast<uint8_t>(r.opcode);
    key->parts_ = {};
    for (uint32_t k = 0; k < r.operand_count; ++k) {
      key->SetPart(k, shapes.structure(base[parts[k]].shape).value);
    }
    for (uint32_t k = r.operand_count; k < count; ++k) {
      key->SetPart(k, callee_key(parts[k]));
    }
    return true;
  }
  static bool Of(const ModuleData& data, uint32_t computation,
                 const InstructionRecord& r, uint32_t declared, NodeKey* key) {
    return Of(
        data, computation, r, declared, [](uint32_t callee) { return callee; },
        key);
  }

  // The answer depends on no attribute.
  void ForgetBlob() { answer_of_ &= ~uint32_t{0}; }

  friend bool operator==(const NodeKey& a, const NodeKey& b) {
    return ((a.parts_[0] ^ b.parts_[0]) | (a.parts_[1] ^ b.parts_[1]) |
            (a.parts_[2] ^ b.parts_[2]) | (a.answer_of_ ^ b.answer_of_) |
            (a.form_ ^ b.form_)) == 0;
  }

  uint64_t Hash() const {
    // Products that don't wait for each other.
    const uint64_t hash =
        parts_[0] * 0x9e3779b97f4a7c15 + parts_[1] * 0xa0761d6478bd642f +
        parts_[2] * 0xe7037ed1a0b428db + answer_of_ * 0x8ebc6af09c88c6e3 +
        form_ * 0x589965cc75374cc3;
    return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
  }

 private:
  void SetPart(uint32_t k, uint32_t part) {
    parts_[k / 2] |= uint64_t{part} << (32 * (k % 2));
  }

  // Structures of operands, then callees; two in each.
  std::array<uint64_t, kParts / 2> parts_ = {};
  uint64_t answer_of_ = 0;  // blob, declared
  uint64_t form_ = 0;       // counts, opcode
};

template <typename Answer>
using NodeMemo = MemoTable<NodeKey, Answer, 64, size_t{1} << 14>;

}  // namespace indim

#endif  // INDIM_PASSES_NODE_MEMO_H_
