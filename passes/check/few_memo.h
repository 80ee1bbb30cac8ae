// FewMemo: answers about what most nodes are, of at most two operands and no
// callees, so that three words say all that an answer depends on. In front of
// tables that take any node: a key is made faster than theirs, and what a graph
// holds is mostly like something met not long ago.

#ifndef INDIM_PASSES_CHECK_FEW_MEMO_H_
#define INDIM_PASSES_CHECK_FEW_MEMO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "indim/ir/module_data.h"

namespace indim {

inline bool HasFewParts(const InstructionRecord& r) {
  return r.operand_count <= 2 && r.callee_count == 0;
}

// One of the three words: the shapes of the operands of `r`, for which
// HasFewParts holds. `base`: the instructions of its computation.
inline uint64_t OperandShapes(const ModuleData& data,
                              const InstructionRecord* base,
                              const InstructionRecord& r) {
  const uint32_t* const operands = data.operands.data() + r.first_operand;
  uint64_t shapes = 0;
  if (r.operand_count > 0) shapes = base[operands[0]].shape.value;
  if (r.operand_count > 1) {
    shapes |= uint64_t{base[operands[1]].shape.value} << 32;
  }
  return shapes;
}

// Each key has one place, and a newer answer takes an older one's. Answer() is
// that of words that are all 0.
template <typename Answer, int kBits>
class FewMemo {
 public:
  using Words = std::array<uint64_t, 3>;

  // Null: it isn't here. Valid until the next Put.
  const Answer* Find(const Words& words) const {
    const Entry& entry = entries_[PlaceOf(words)];
    return ((entry.words[0] ^ words[0]) | (entry.words[1] ^ words[1]) |
            (entry.words[2] ^ words[2])) == 0
               ? &entry.answer
               : nullptr;
  }
  void Put(const Words& words, const Answer& answer) {
    entries_[PlaceOf(words)] = {words, answer};
  }
  void Clear() { entries_.assign(entries_.size(), Entry()); }

 private:
  struct Entry {
    Words words = {};
    Answer answer = {};
  };
  static size_t PlaceOf(const Words& words) {
    const uint64_t hash = words[0] * 0x9e3779b97f4a7c15 +
                          words[1] * 0xa0761d6478bd642f +
                          words[2] * 0xe7037ed1a0b428db;
    return static_cast<size_t>(hash >> (64 - kBits));
  }

  std::vector<Entry> entries_ = std::vector<Entry>(size_t{1} << kBits);
};

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_FEW_MEMO_H_
