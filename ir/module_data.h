// The storage behind Module: flat arrays. For builders, readers and passes of
// Indim; users read a graph through module.h.
//
// A computation is a slice of module-wide arrays; an instruction is a fixed
// record of 28 bytes (32 on Windows); operands are 32-bit positions inside
// their computation. Operands always precede their users, callees their
// callers, so every pass is one forward sweep and nothing recurses.

#ifndef INDIM_IR_MODULE_DATA_H_
#define INDIM_IR_MODULE_DATA_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/instruction_ids.h"
#include "indim/ir/pools.h"
#include "indim/ir/text_positions.h"
#include "indim/shape/ops/opcode.h"
#include "indim/storage/column.h"

namespace indim {

struct InstructionRecord {
  InstructionRecord() : unknown_opcode(false), callee_count(0) {}

  // More are refused by whoever makes a record.
  static constexpr uint32_t kMostCallees = (uint32_t{1} << 23) - 1;

  Opcode opcode = Opcode::kInvalid;
  // The opcode is one that the table lacks; ModuleData::opcode_names has it.
  uint32_t unknown_opcode : 1;
  // Into ModuleData::operands: operand_count positions in the computation, then
  // callee_count indices of computations.
  uint32_t callee_count : 23;
  uint32_t first_operand = 0;
  uint32_t operand_count = 0;
  ShapeId shape;  // 0: not inferred yet
  AttributeBytesId attribute_bytes;
  NameId name;
  MetadataId metadata;

  // count <= kMostCallees.
  void SetCalleeCount(size_t count) {
    callee_count = static_cast<uint32_t>(count) & kMostCallees;
  }
  // Where its part of ModuleData::operands ends.
  uint64_t operands_end() const {
    return uint64_t{first_operand} + operand_count + callee_count;
  }
};
// Windows puts no bit-fields of different types into one number.
#ifdef _WIN32
static_assert(sizeof(InstructionRecord) == 32, "there are millions of them");
#else
static_assert(sizeof(InstructionRecord) == 28, "there are millions of them");
#endif

// What the writer does about a field whose string is empty here.
enum class WhenEmpty : uint8_t {
  kMake,         // writes one that it makes
  kLeaveOut,     // nothing: the file that was read had none
  kWritePresent  // an empty one: the file had that
};

struct ComputationRecord {
  uint32_t first = 0;  // slice of ModuleData::instructions
  uint32_t count = 0;
  uint32_t root = 0;  // position in the slice
  NameId name;
  int64_t id = 0;  // XLA's, any 64-bit number
  // Canonical fields of HloComputationProto that are not spelled out here: its
  // program_shape, and all but name, instructions, id and root_id. Views of
  // what the pools keep alive.
  absl::string_view program_shape;  // ProgramShapeProto; empty: made if written
  absl::string_view other_fields;   // fields 7 and up, unknown ones
  WhenEmpty program_shape_when_empty = WhenEmpty::kMake;
};

struct ModuleData {
  std::shared_ptr<Pools> pools = std::make_shared<Pools>();

  Column<InstructionRecord> instructions;
  Column<uint32_t> operands;
  // XLA's id of each instruction; empty: position in `instructions` plus 1.
  InstructionIds ids;
  std::vector<ComputationRecord> computations;
  uint32_t entry = 0;  // index of the entry computation

  std::string name;
  int64_t id = 0;
  std::string entry_name;  // field 2 as read; empty: the entry's name
  // Field 4, a view of what the pools keep alive; empty: made when written.
  absl::string_view host_program_shape;
  std::string other_fields;  // fields 7 and up but our mark, unknown ones
  WhenEmpty entry_name_when_empty = WhenEmpty::kMake;
  WhenEmpty host_program_shape_when_empty = WhenEmpty::kMake;
  bool recorded = false;  // carries our mark: implicit broadcasts
  // The mark as read (RecordedModule); nullopt: the writer's own.
  std::optional<std::string> recorded_mark;
  // Canonical HloModuleConfigProto without entry_computation_layout: what the
  // header of HLO text says and HloModuleProto has no field for (replica_count,
  // num_partitions ...). Empty: all defaults.
  std::string config;
  // Given names come from a file: written as they are, also where XLA would
  // refuse them (twice the same).
  bool names_as_read = false;
  // Null: not read from HLO text.
  std::shared_ptr<const TextPositions> places;

  // Rare things, sorted by position in `instructions`.
  std::vector<std::pair<uint32_t, std::string>> opcode_names;
  // operand_ids that were not spelled as the ids of the operands (only the low
  // 32 bits count): canonical packed payloads. The writer takes one only where
  // it still names the operands.
  std::vector<std::pair<uint32_t, std::string>> operand_spellings;
  // Likewise root_id, by computation.
  std::vector<std::pair<uint32_t, int64_t>> root_spellings;

  // --- Reading -------------------------------------------------------------
  absl::Span<const InstructionRecord> Instructions(uint32_t computation) const {
    const ComputationRecord& c = computations[computation];
    return absl::MakeConstSpan(instructions).subspan(c.first, c.count);
  }
  absl::Span<const uint32_t> Operands(const InstructionRecord& r) const {
    return absl::MakeConstSpan(operands).subspan(r.first_operand,
                                                 r.operand_count);
  }
  absl::Span<const uint32_t> Callees(const InstructionRecord& r) const {
    return absl::MakeConstSpan(operands).subspan(
        r.first_operand + r.operand_count, r.callee_count);
  }
  int64_t InstructionId(uint32_t position) const {
    return ids.empty() ? int64_t{position} + 1 : ids[position];
  }

  // Positions (in the computation) of its parameters, by parameter number. An
  // entry is the computation's size where no parameter has that number.
  using Positions = absl::InlinedVector<uint32_t, 8>;
  Positions Parameters(uint32_t computation) const;
  // The same where they are known: all of them, in order.
  Positions ParametersByNumber(uint32_t computation,
                               absl::Span<const uint32_t> parameters) const;
  // parameter_number of a parameter as the file says it, whatever that is.
  int64_t ParameterNumber(const InstructionRecord& r) const;
  // The opcode's spelling, also of one that the table lacks.
  absl::string_view OpcodeName(uint32_t position) const;

  // --- Changing ------------------------------------------------------------
  // Pools that may be changed: this module's own, copied first when others
  // share them.
  Pools& MutablePools();

  // Program shapes as read don't fit any more, since shapes have changed: the
  // writer makes them.
  void ForgetProgramShapes();

  // Everything that a file spelled in its own way and that XLA may refuse is
  // left to the writer: program shapes, missing and double names, odd ids of
  // operands and roots. For exports to XLA, not for giving back what came in.
  void ForgetSpellings();
};

}  // namespace indim

#endif  // INDIM_IR_MODULE_DATA_H_
