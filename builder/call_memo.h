// CallMemo: what calls of the builder came to, by everything that they depend
// on: the opcode, the operands' shapes, the callee, and the words that say all
// else (dims, sizes ...). A graph of many layers makes the same few calls again
// and again; then neither attributes are written nor shapes inferred nor looked
// up in their table (ir/memo_table.h).

#ifndef INDIM_BUILDER_CALL_MEMO_H_
#define INDIM_BUILDER_CALL_MEMO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/memo_table.h"
#include "indim/shape/opcode.h"

namespace indim::internal {

// What a call says besides its operands and callee, as numbers. Two calls of
// one opcode that add the same things in the same order must mean the same.
class CallWords {
 public:
  static constexpr size_t kLargest = 16;

  CallWords() = default;
  CallWords(std::initializer_list<absl::Span<const int64_t>> lists) {
    Add(lists);
  }

  void Add(int64_t word) {
    if (count_ == kLargest) {
      fits_ = false;
    } else {
      words_[count_++] = word;
    }
  }
  // At most 8 lists.
  void Add(std::initializer_list<absl::Span<const int64_t>> lists) {
    uint64_t sizes = 0;
    for (const absl::Span<const int64_t> list : lists) {
      if (list.size() > kLargest) fits_ = false;
      sizes = sizes << 8 | (list.size() & 0xff);
    }
    Add(static_cast<int64_t>(sizes));
    for (const absl::Span<const int64_t> list : lists) {
      for (const int64_t word : list) Add(word);
    }
  }

  // False: they are too many to be remembered.
  bool fits() const { return fits_; }
  absl::Span<const int64_t> words() const { return {words_.data(), count_}; }

  friend bool operator==(const CallWords& a, const CallWords& b) {
    if (a.count_ != b.count_) return false;
    for (uint32_t i = 0; i < a.count_; ++i) {
      if (a.words_[i] != b.words_[i]) return false;
    }
    return true;
  }

 private:
  bool fits_ = true;
  uint32_t count_ = 0;
  std::array<int64_t, kLargest> words_ = {};
};

struct CallMemoKey {
  static constexpr size_t kOperands = 3;

  Opcode opcode = Opcode::kInvalid;
  std::array<uint32_t, kOperands> operands = {};  // ShapeIds; 0: none
  uint32_t callee = 0;                            // computation + 1; 0: none
  CallWords words;

  friend bool operator==(const CallMemoKey& a, const CallMemoKey& b) {
    return a.opcode == b.opcode && a.operands[0] == b.operands[0] &&
           a.operands[1] == b.operands[1] && a.operands[2] == b.operands[2] &&
           a.callee == b.callee && a.words == b.words;
  }
  uint64_t Hash() const {
    constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
    uint64_t hash = (static_cast<uint64_t>(opcode) << 32 | callee) ^
                    (uint64_t{operands[0]} << 16);
    hash = (hash ^ (uint64_t{operands[1]} << 32 | operands[2])) * kMultiplier;
    for (const int64_t word : words.words()) {
      hash = (hash ^ (hash >> 29) ^ static_cast<uint64_t>(word)) * kMultiplier;
    }
    return hash ^ hash >> 29;
  }
};

struct CallMemoAnswer {
  ShapeId shape;
  BlobId blob;
};

using CallMemo = MemoTable<CallMemoKey, CallMemoAnswer, 16, 1024>;

}  // namespace indim::internal

#endif  // INDIM_BUILDER_CALL_MEMO_H_
