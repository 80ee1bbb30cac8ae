// Recent: ids of a few byte strings met before, each where what is quickly told
// of its bytes puts it. In front of a table that hashes them whole: in a file
// the same opcodes, shapes, attributes and metadata come again and again, close
// together.

#ifndef INDIM_IR_RECENT_H_
#define INDIM_IR_RECENT_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "indim/ir/attribute_wire.h"
#include "indim/ir/byte_hash.h"

namespace indim {
namespace recent {

// Of the first bytes, those in the middle and the last ones.
inline uint64_t Told(absl::string_view bytes) {
  using namespace byte_hash;
  const char* const first = bytes.data();
  const size_t size = bytes.size();
  if (size >= 8) {
    return (Load8(first) ^ Load8(first + size - 8)) * kFactors[0] +
           Load8(first + size / 2 - 4);
  }
  if (size >= 4) return Load4(first) << 32 | Load4(first + size - 4);
  if (size == 0) return 0;
  const auto at = [first](size_t i) {
    return static_cast<uint64_t>(static_cast<uint8_t>(first[i]));
  };
  return at(0) << 16 | at(size / 2) << 8 | at(size - 1);
}
inline bool Same(absl::string_view a, absl::string_view b) {
  return SameBytes(a, b);
}

// The runs before the id differ most; what comes last is often the same.
inline uint64_t Told(const BlobView& blob) {
  return Told(blob.before_id) * byte_hash::kFactors[1] +
         Told(blob.after_callees);
}
inline bool Same(const BlobView& a, const BlobView& b) {
  return SameBytes(a.before_id, b.before_id) &&
         SameBytes(a.after_callees, b.after_callees) &&
         SameBytes(a.control, b.control);
}

}  // namespace recent

// Key: absl::string_view or BlobView; what it views must outlive this. Id: as
// in ids.h, or an enum; its default, 0, is that of nothing.
template <typename Key, typename Id>
class Recent {
 public:
  // Id(): it wasn't met, or something else came in its place since.
  Id Find(const Key& key) const {
    const Slot& slot = slots_[PlaceOf(key)];
    return recent::Same(slot.key, key) ? slot.id : Id();
  }
  void Put(const Key& key, Id id) { slots_[PlaceOf(key)] = {key, id}; }

 private:
  struct Slot {
    Key key;
    Id id = Id();
  };
  static constexpr int kBits = 8;
  static size_t PlaceOf(const Key& key) {
    return static_cast<size_t>(recent::Told(key) * byte_hash::kFactors[2] >>
                               (64 - kBits));
  }

  std::array<Slot, size_t{1} << kBits> slots_;
};

}  // namespace indim

#endif  // INDIM_IR_RECENT_H_
