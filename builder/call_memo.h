// CallMemo: what calls of the builder came to, by everything that they depend
// on: the opcode, the operands' shapes, the callee, and the words that say all
// else (dims, sizes ...). A graph of many layers makes the same few calls again
// and again; then neither attributes are written nor shapes inferred nor looked
// up in their table.
//
// Each call has two places; a newer one takes an older one's. It grows while it
// is used much, so that the builder of a small computation stays small.

#ifndef INDIM_BUILDER_CALL_MEMO_H_
#define INDIM_BUILDER_CALL_MEMO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/types/span.h"
#include "indim/ir/ids.h"
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

class CallMemo {
 public:
  static constexpr size_t kOperands = 3;

  struct Key {
    Opcode opcode = Opcode::kInvalid;
    std::array<uint32_t, kOperands> operands = {};  // ShapeIds; 0: none
    uint32_t callee = 0;                            // computation + 1; 0: none
    CallWords words;
    friend bool operator==(const Key& a, const Key& b) {
      return a.opcode == b.opcode && a.operands[0] == b.operands[0] &&
             a.operands[1] == b.operands[1] && a.operands[2] == b.operands[2] &&
             a.callee == b.callee && a.words == b.words;
    }
  };
  struct Answer {
    ShapeId shape;
    BlobId blob;
  };

  // Null when the call isn't here. Valid until the next Insert.
  const Answer* Find(const Key& key) const {
    if (entries_.empty()) return nullptr;
    const size_t at = Hash(key) & (entries_.size() - 1);
    if (entries_[at].key == key) return &entries_[at].answer;
    return entries_[at ^ 1].key == key ? &entries_[at ^ 1].answer : nullptr;
  }
  void Insert(const Key& key, Answer answer);

 private:
  struct Entry {
    Key key;
    Answer answer;
  };
  static constexpr size_t kFirstSize = 16;
  static constexpr size_t kLargestSize = 1024;
  static size_t Hash(const Key& key);
  void Place(const Entry& entry) {
    const size_t at = Hash(entry.key) & (entries_.size() - 1);
    entries_[at ^ 1] = entries_[at];
    entries_[at] = entry;
  }

  std::vector<Entry> entries_;  // a power of two
  size_t inserted_ = 0;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_CALL_MEMO_H_
