// InstructionEncoder: instructions as HloInstructionProto bytes.
//
// Most of an instruction is like one before: its opcode, shape, metadata and
// attributes. Those bytes are made once (InstructionBytes) and kept by whoever
// writes, so that writing one more is a copy, the digits of its name and id,
// and its operands.

#ifndef INDIM_HLO_PROTO_INSTRUCTION_ENCODER_H_
#define INDIM_HLO_PROTO_INSTRUCTION_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/wire_buffer.h"

namespace indim {

// What instructions of one opcode, shape, metadata and fields have in common.
class InstructionBytes {
 public:
  // `shape`, `metadata`: null where there is none. The attribute bytes must
  // outlive this or its next Assign.
  void Assign(absl::string_view opcode, const absl::string_view* shape,
              const absl::string_view* metadata,
              const AttributeBytesView& attribute_bytes);

 private:
  friend class InstructionEncoder;

  // "add."; from the opcode to where the id stands, all fields; those after the
  // callees. Each with kSlack bytes behind it.
  std::string name_;
  std::string fields_;
  std::string tail_;
  size_t name_size_ = 0;
  size_t fields_size_ = 0;
  size_t tail_size_ = 0;
  AttributeBytesView rest_;  // what isn't in fields_ and tail_
  bool has_rest_ = false;
  size_t room_ = 0;         // that all of this takes, and what is always there
  size_t length_size_ = 1;  // of the length of the last one written
};

class InstructionEncoder {
 public:
  explicit InstructionEncoder(WireBuffer* out) : out_(*out) {}

  // What differs from one instruction to the next.
  struct Own {
    absl::string_view name;  // empty: made of opcode and id
    int64_t id = 0;
    absl::Span<const int64_t> ids;  // of operands, then of callees
    size_t operand_count = 0;
    // Unless null, written instead of the operands' ids: a packed payload.
    const std::string* operands_as_read = nullptr;
    bool nameless = false;  // has an empty name, which nobody makes

    absl::Span<const int64_t> operands() const {
      return ids.first(operand_count);
    }
    absl::Span<const int64_t> callees() const {
      return ids.subspan(operand_count);
    }
  };
  // Writes one as an entry of HloComputationProto.instructions.
  void Write(const Own& own, InstructionBytes* bytes);

 private:
  void WriteLarge(const Own& own, const InstructionBytes& bytes);
  static char* WriteName(const Own& own, const InstructionBytes& bytes,
                         char* out);

  WireBuffer& out_;
};

}  // namespace indim

#endif  // INDIM_HLO_PROTO_INSTRUCTION_ENCODER_H_
