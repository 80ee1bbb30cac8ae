// InstructionEncoder: instructions as HloInstructionProto bytes.
//
// Most of an instruction is like one before: its opcode, shape, metadata and
// attributes. Those bytes are kept when they come a second time, so that
// writing one more is a copy, the digits of its name and id, and its operands.

#ifndef INDIM_IR_INSTRUCTION_ENCODER_H_
#define INDIM_IR_INSTRUCTION_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/attribute_wire.h"
#include "indim/ir/final_names.h"
#include "indim/ir/module_data.h"
#include "indim/ir/wire_sink.h"

namespace indim {

class InstructionEncoder {
 public:
  // Both must outlive this and not change.
  InstructionEncoder(const ModuleData& data, const FinalNames& names);

  // How many bytes the instruction at `position` (of the module), one of
  // `computation`, takes.
  uint64_t Size(const ComputationRecord& computation, uint32_t position);
  // Writes them, `size` as Size said, and returns their end. There is room for
  // them at `out`; up to `limit` what follows them may be overwritten.
  char* Write(const ComputationRecord& computation, uint32_t position,
              uint64_t size, char* out, const char* limit);

 private:
  // What instructions of one opcode, shape, metadata and blob have in common.
  struct Common {
    enum class State : uint8_t { kEmpty, kSeenOnce, kKept };
    State state = State::kEmpty;
    Opcode opcode = Opcode::kInvalid;
    ShapeId shape;
    MetadataId metadata;
    BlobId blob;
    // "add." and, from the opcode to where the id stands, all fields, both with
    // kSlack bytes behind them.
    std::string name;
    std::string fields;
    uint64_t name_size = 0;
    uint64_t fields_size = 0;
    BlobView rest;  // fields after the id
  };
  static constexpr size_t kLargestTable = 1024;
  static constexpr size_t kLargestKept = 1024;  // blobs above are not kept
  static constexpr size_t kSlack = 16;
  // Their ids take less than 128 bytes, whose count is one byte.
  static constexpr uint32_t kFewOperands = 12;

  // Null: nothing is kept for instructions like this one.
  const Common* Find(const InstructionRecord& record);
  void Keep(const InstructionRecord& record, Common* common) const;
  static void Copy(const std::string& from, uint64_t size, bool roomy,
                   char** out);

  // The name to be written, where it is made of opcode and id in made_.
  absl::string_view NameAt(uint32_t position);
  template <typename Sink>
  void WriteAll(const ComputationRecord& computation, uint32_t position,
                Sink* sink);
  // From the id to the end.
  template <typename Sink>
  void WriteEnd(const ComputationRecord& computation, uint32_t position,
                const BlobView& blob, Sink* sink) const;
  // False: they are more, or spelled in another way, than this is for.
  bool WriteFewOperands(const ComputationRecord& computation,
                        const InstructionRecord& record,
                        wire_sink::SizeSink* sink) const;
  bool WriteFewOperands(const ComputationRecord& computation,
                        const InstructionRecord& record,
                        wire_sink::BufferSink* sink) const;
  template <typename Sink>
  void WriteOperands(const ComputationRecord& computation, uint32_t position,
                     Sink* sink) const;
  // The payload of operand_ids as it was read, or null: made of ids.
  const std::string* OperandSpelling(const ComputationRecord& computation,
                                     uint32_t position) const;

  const ModuleData& data_;
  const FinalNames& names_;
  std::string made_;
  std::vector<Common> table_;  // a power of two; each has two places
};

}  // namespace indim

#endif  // INDIM_IR_INSTRUCTION_ENCODER_H_
