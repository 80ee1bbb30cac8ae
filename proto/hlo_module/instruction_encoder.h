// SPDX-License-Identifier: Apache-2.0
// InstructionEncoder: writes instructions as HloInstructionProto bytes.

#ifndef INDIM_PROTO_HLO_MODULE_INSTRUCTION_ENCODER_H_
#define INDIM_PROTO_HLO_MODULE_INSTRUCTION_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/wire_buffer.h"

namespace indim {

// What instructions of one opcode, shape, metadata and attributes share. All
// views must outlive the writing.
struct InstructionParts {
  absl::string_view opcode;
  std::optional<absl::string_view> shape;     // a ShapeProto
  std::optional<absl::string_view> metadata;  // an OpMetadata
  // The fields of these three in one run, for parts that are written often;
  // empty: not made.
  absl::string_view joined;
  AttributeBytesView attribute_bytes;
};
// Joins these fields in *joined, which must outlive the parts.
void JoinParts(InstructionParts* parts, std::string* joined);

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
  void Write(const Own& own, const InstructionParts& parts);

 private:
  // An instruction that may not fit into WireBuffer::kMaxRoom.
  void WriteLarge(const Own& own, const InstructionParts& parts);

  WireBuffer& out_;
};

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_INSTRUCTION_ENCODER_H_
