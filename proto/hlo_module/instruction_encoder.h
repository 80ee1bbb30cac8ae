// SPDX-License-Identifier: Apache-2.0
// InstructionEncoder: writes instructions as HloInstructionProto bytes.
//
// Most instructions repeat the opcode, shape, metadata and attributes of an
// earlier one. The caller keeps those bytes (InstructionBytes), so that writing
// an instruction is a copy plus its name, id and operands.

#ifndef INDIM_PROTO_HLO_MODULE_INSTRUCTION_ENCODER_H_
#define INDIM_PROTO_HLO_MODULE_INSTRUCTION_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/wire_buffer.h"

namespace indim {

// The bytes that instructions of one opcode, shape, metadata and fields share.
class InstructionBytes {
 public:
  // Null `shape` or `metadata`: none. The attribute bytes must outlive this or
  // its next Assign.
  void Assign(absl::string_view opcode, const absl::string_view* shape,
              const absl::string_view* metadata,
              const AttributeBytesView& attribute_bytes);

 private:
  friend class InstructionEncoder;

  // name_ is "add."; fields_ has all fields from the opcode to the id; tail_
  // has the fields after the callees. Each has kSlack further bytes.
  std::string name_;
  std::string fields_;
  std::string tail_;
  size_t name_size_ = 0;
  size_t fields_size_ = 0;
  size_t tail_size_ = 0;
  AttributeBytesView rest_;  // the fields that aren't in fields_ and tail_
  bool has_rest_ = false;
  size_t room_ = 0;         // size of all of this and of the constant parts
  size_t length_size_ = 1;  // of the length of the last instruction written
};

class InstructionEncoder {
 public:
  explicit InstructionEncoder(WireBuffer* out) : out_(*out) {}

  // The properties of a single instruction.
  struct Own {
    absl::string_view name;  // empty: made of opcode and id
    int64_t id = 0;
    absl::Span<const int64_t> ids;  // of operands, then of callees
    size_t operand_count = 0;
    // Unless null, a packed payload written instead of the operands' ids.
    const std::string* operands_as_read = nullptr;
    bool nameless = false;  // has an empty name, which stays empty

    absl::Span<const int64_t> operands() const {
      return ids.first(operand_count);
    }
    absl::Span<const int64_t> callees() const {
      return ids.subspan(operand_count);
    }
  };
  // Writes an instruction as an entry of HloComputationProto.instructions.
  void Write(const Own& own, InstructionBytes* bytes);

 private:
  void WriteLarge(const Own& own, const InstructionBytes& bytes);
  static char* WriteName(const Own& own, const InstructionBytes& bytes,
                         char* out);

  WireBuffer& out_;
};

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_INSTRUCTION_ENCODER_H_
