// InstructionPattern: the bytes of one HloInstructionProto with places for its
// numbers. An instruction that differs in nothing else, and whose numbers take
// as many bytes, is a copy with its own numbers put in.

#ifndef INDIM_IR_INSTRUCTION_PATTERN_H_
#define INDIM_IR_INSTRUCTION_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace indim {

class InstructionPattern {
 public:
  // More ids, of operands and callees, don't fit into a pattern.
  static constexpr size_t kMostIds = 6;
  // How many bytes behind the instruction Write may fill too.
  static constexpr size_t kSlack = 32;

  // Where the numbers of an instruction stand in its bytes.
  struct Places {
    size_t digits = 0;  // those of the id in its name
    size_t after_digits = 0;
    size_t id = 0;
    size_t operands = 0;  // the first of each, if there are any
    size_t callees = 0;
  };
  // Takes this one as the pattern, if it can be one: its name ends in its id,
  // and `ids` are those of `operand_count` operands and then of callees.
  void Set(absl::string_view bytes, const Places& places, int64_t id,
           absl::Span<const int64_t> ids, size_t operand_count);
  void Clear() { counts_ = kNone; }

  // Whether all numbers take as many bytes as here.
  bool Fits(int64_t id, const int64_t* ids, size_t operands,
            size_t callees) const {
    if (Counts(operands, callees) != counts_) return false;
    bool fits = id_.Fits(id);
    for (size_t k = 0; k < operands + callees; ++k) {
      fits &= places_[k].Fits(ids[k]);
    }
    return fits;
  }
  size_t size() const { return size_; }
  // For numbers that fit. `out` has room for size() bytes and kSlack. Returns
  // the end of the instruction.
  char* Write(int64_t id, const int64_t* ids, size_t count, char* out) {
    const uint64_t number = static_cast<uint64_t>(id);
    if (ABSL_PREDICT_FALSE(number - hundreds_ >= 100)) SetHundreds(number);
    // What is written below may be anything, for all that the compiler knows:
    // what is needed is taken before.
    const size_t size = size_;
    const char* const from = bytes_.data();
    const char* const pair = &kPairs[2 * (number - hundreds_)];
    char* const last_digits = out + last_digits_;
    const Place id_place = id_;
    for (size_t done = 0; done < size; done += kSlack) {
      std::memcpy(out + done, from + done, kSlack);
    }
    std::memcpy(last_digits, pair, 2);
    // Ascending: what one fills behind itself belongs to the next.
    id_place.Put(id, out);
    for (size_t k = 0; k < count; ++k) places_[k].Put(ids[k], out);
    return out + size;
  }

 private:
  static constexpr size_t kNone = ~size_t{0};
  static size_t Counts(size_t operands, size_t callees) {
    return operands << 32 | callees;
  }
  static constexpr char kPairs[] =
      "0001020304050607080910111213141516171819202122232425262728293031323334"
      "3536373839404142434445464748495051525354555657585960616263646566676869"
      "707172737475767778798081828384858687888990919293949596979899";

  // A varint of at most four bytes.
  struct Place {
    uint64_t first = 0;  // the numbers that take as many bytes
    uint64_t count = 0;
    size_t at = 0;
    // The four bytes from there, with nothing of the number in them.
    uint32_t around = 0;

    bool Fits(int64_t number) const {
      return static_cast<uint64_t>(number) - first < count;
    }
    void Put(int64_t number, char* out) const {
      // Seven bits to a byte: first 14 to two, then each 14 once more.
      uint32_t bits = static_cast<uint32_t>(number);
      bits = (bits & 0x3fff) | (bits & 0xfffc000) << 2;
      bits = (bits & 0x7f007f) | (bits & 0x3f803f80) << 1;
      bits |= around;
      out += at;
      out[0] = static_cast<char>(bits);
      out[1] = static_cast<char>(bits >> 8);
      out[2] = static_cast<char>(bits >> 16);
      out[3] = static_cast<char>(bits >> 24);
    }
  };
  Place PlaceOf(int64_t number, size_t at) const;
  void SetHundreds(uint64_t number);

  std::string bytes_;  // with kSlack more
  size_t size_ = 0;
  size_t counts_ = kNone;
  size_t digits_ = 0;
  size_t last_digits_ = 0;  // the place of the last two
  uint64_t hundreds_ = 0;   // the number that the others say, times 100
  Place id_;
  Place places_[kMostIds];
};

}  // namespace indim

#endif  // INDIM_IR_INSTRUCTION_PATTERN_H_
