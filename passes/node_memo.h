// NodeMemo: answers about nodes, by everything that shapes and attributes can
// say about one. A real graph of 90,000 nodes has some hundred different ones.
//
// Direct-mapped, so a newer answer may take an older one's place; it grows
// while it is used much, up to a bound, so that a graph of nothing but
// different nodes costs no more memory than any other. Nodes of many operands
// are not remembered: to look at them takes as long as to check them.

#ifndef INDIM_PASSES_NODE_MEMO_H_
#define INDIM_PASSES_NODE_MEMO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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
class NodeMemo {
 public:
  // Null when the answer isn't here. Valid until the next Insert.
  const Answer* Find(const NodeKey& key) const {
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[key.Hash() & (entries_.size() - 1)];
    return entry.used && entry.key == key ? &entry.answer : nullptr;
  }

  void Insert(const NodeKey& key, Answer answer) {
    if (inserted_ >= entries_.size() && entries_.size() < kLargestSize) Grow();
    ++inserted_;
    Place({key, std::move(answer), true});
  }

 private:
  struct Entry {
    NodeKey key;
    Answer answer = {};
    bool used = false;
  };
  static constexpr size_t kFirstSize = 64;
  static constexpr size_t kLargestSize = 1 << 14;

  void Place(Entry entry) {
    const size_t at = entry.key.Hash() & (entries_.size() - 1);
    entries_[at] = std::move(entry);
  }

  void Grow() {
    std::vector<Entry> old(entries_.empty() ? kFirstSize : entries_.size() * 4);
    old.swap(entries_);
    inserted_ = 0;
    for (Entry& entry : old) {
      if (!entry.used) continue;
      ++inserted_;
      Place(std::move(entry));
    }
  }

  std::vector<Entry> entries_;  // a power of two
  size_t inserted_ = 0;
};

}  // namespace indim

#endif  // INDIM_PASSES_NODE_MEMO_H_
