// InstructionEncoder: instructions as HloInstructionProto bytes.
//
// Most of an instruction is like one before: its opcode, shape, metadata and
// attributes. Those bytes are made once (InstructionBytes) and kept by whoever
// writes, so that writing one more is a copy, the digits of its name and id,
// and its operands. Where those numbers take as many bytes as the last time,
// they alone are written into a copy of all that was written then.

#ifndef INDIM_IR_INSTRUCTION_ENCODER_H_
#define INDIM_IR_INSTRUCTION_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/attribute_wire.h"
#include "indim/ir/wire_buffer.h"

namespace indim {

// What instructions of one opcode, shape, metadata and fields have in common.
class InstructionBytes {
 public:
  // `shape`, `metadata`: null where there is none. The blob must outlive this
  // or its next Assign.
  void Assign(absl::string_view opcode, const absl::string_view* shape,
              const absl::string_view* metadata, const BlobView& blob);

 private:
  friend class InstructionEncoder;

  // Numbers that take equally many bytes.
  struct Range {
    uint64_t first = 0;
    uint64_t count = 0;
    bool Has(int64_t number) const {
      return static_cast<uint64_t>(number) - first < count;
    }
  };
  // The last one that was written, if nothing but its numbers was its own.
  struct Last {
    static constexpr size_t kMostOperands = 4;
    std::string bytes;  // with kSlack more
    size_t size = 0;    // 0: there is none
    // Where the digits of its name begin and end, its id and its operands.
    size_t digits = 0, after_digits = 0, id = 0, operands = 0;
    Range ids;  // with as many digits, too
    size_t operand_count = 0;
    Range operand_ids[kMostOperands];
  };

  // "add."; from the opcode to where the id stands, all fields; those after the
  // callees. Each with kSlack bytes behind it.
  std::string name_;
  std::string fields_;
  std::string tail_;
  size_t name_size_ = 0;
  size_t fields_size_ = 0;
  size_t tail_size_ = 0;
  BlobView rest_;  // what isn't in fields_ and tail_
  bool has_rest_ = false;
  size_t room_ = 0;         // that all of this takes, and what is always there
  size_t length_size_ = 1;  // of the length of the last one written
  Last last_;
};

class InstructionEncoder {
 public:
  explicit InstructionEncoder(WireBuffer* out) : out_(*out) {}

  // What differs from one instruction to the next.
  struct Own {
    absl::string_view name;  // empty: made of opcode and id
    int64_t id = 0;
    // Ids. `operands_as_read`, unless null, is written instead: a packed
    // payload.
    absl::Span<const int64_t> operands;
    absl::Span<const int64_t> callees;
    const std::string* operands_as_read = nullptr;
    bool nameless = false;  // has an empty name, which nobody makes
  };
  // Writes one as an entry of HloComputationProto.instructions.
  void Write(const Own& own, InstructionBytes* bytes);
  // One of which nothing else differs.
  void Write(int64_t id, absl::Span<const int64_t> operands,
             InstructionBytes* bytes);

 private:
  // The decimal digits of numbers that come from two sequences, in which most
  // differ from the one before in the last two digits.
  class Digits {
   public:
    Digits() = default;
    Digits(const Digits&) = delete;
    // At most 20 of them, at `out`, where some bytes more may be written.
    char* Write(int64_t number, char* out);

   private:
    struct Prefix {
      uint64_t value = 0;  // of all digits but two
      size_t size = 0;
      char text[24] = {};
    };
    Prefix prefixes_[2];
    Prefix* last_ = prefixes_;
  };

  // False: it isn't the last one with other numbers.
  bool WriteLike(const InstructionBytes::Last& last, int64_t id,
                 absl::Span<const int64_t> operands);
  void WriteAnew(const Own& own, InstructionBytes* bytes);
  // `last` but for `bytes` is filled in.
  static void Remember(const Own& own, absl::string_view bytes,
                       InstructionBytes::Last* last);
  void WriteLarge(const Own& own, const InstructionBytes& bytes);
  char* WriteName(const Own& own, const InstructionBytes& bytes, char* out);

  WireBuffer& out_;
  Digits digits_;
};

}  // namespace indim

#endif  // INDIM_IR_INSTRUCTION_ENCODER_H_
