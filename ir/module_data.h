// SPDX-License-Identifier: Apache-2.0
// ModuleData: the storage behind Module, as flat arrays. For Indim's builders,
// readers and passes; programs read a graph through module.h.
//
// A computation is a slice of module-wide arrays; an instruction is a fixed
// record of 28 bytes (32 on Windows); operands are 32-bit positions inside
// their computation. Operands always precede their users, callees their
// callers, so every pass is one forward sweep and nothing recurses.

#ifndef INDIM_IR_MODULE_DATA_H_
#define INDIM_IR_MODULE_DATA_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/instruction_ids.h"
#include "indim/ir/pools.h"
#include "indim/ir/storage/column.h"
#include "indim/ir/text_positions.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

struct InstructionRecord {
  InstructionRecord() : unknown_opcode(false), callee_count(0) {}

  // Readers and builders refuse more.
  static constexpr uint32_t kMaxCallees = (uint32_t{1} << 23) - 1;

  Opcode opcode = Opcode::kInvalid;
  // The op table lacks the opcode; ModuleData::opcode_names has it.
  uint32_t unknown_opcode : 1;
  // first_operand is an index in ModuleData::operands: operand_count positions
  // in the computation, then callee_count indices of computations.
  uint32_t callee_count : 23;
  uint32_t first_operand = 0;
  uint32_t operand_count = 0;
  ShapeId shape;  // 0: not inferred yet
  AttributeBytesId attribute_bytes;
  NameId name;
  MetadataId metadata;

  // count <= kMaxCallees.
  void SetCalleeCount(size_t count) {
    callee_count = static_cast<uint32_t>(count) & kMaxCallees;
  }
  // The end of its part of ModuleData::operands.
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

// What the writer writes for a field whose string is empty here.
enum class WhenEmpty : uint8_t {
  kMake,         // the value that it computes
  kLeaveOut,     // nothing: the file that was read had none
  kWritePresent  // an empty value: the file had one
};

struct ComputationRecord {
  uint32_t first = 0;  // slice of ModuleData::instructions
  uint32_t count = 0;
  uint32_t root = 0;  // position in the slice
  NameId name;
  int64_t id = 0;  // XLA's, any 64-bit number
  // Canonical fields of HloComputationProto: its program_shape, and all others
  // except name, instructions, id and root_id. The pools own the bytes.
  absl::string_view program_shape;  // ProgramShapeProto; empty: computed
  absl::string_view other_fields;   // fields 7 and up, and unknown ones
  WhenEmpty program_shape_when_empty = WhenEmpty::kMake;
};

// What a module has beside computations and pools; passes copy it.
struct ModuleProperties {
  std::string name;
  int64_t id = 0;
  std::string entry_name;  // field 2 as read; empty: the entry's name
  // Field 4, whose bytes the pools own; empty: computed.
  absl::string_view host_program_shape;
  std::string other_fields;  // fields 7 and up but our mark, unknown fields
  WhenEmpty entry_name_when_empty = WhenEmpty::kMake;
  WhenEmpty host_program_shape_when_empty = WhenEmpty::kMake;
  bool recorded = false;  // has our mark: implicit broadcasts are allowed
  // The mark as read (RecordedModule); nullopt: the writer makes it.
  std::optional<std::string> recorded_mark;
  // Canonical HloModuleConfigProto without entry_computation_layout: properties
  // in the header of HLO text that HloModuleProto has no fields for
  // (replica_count, num_partitions ...). Empty: all defaults.
  std::string config;
  // mhlo.memory_kind of the entry's arguments and results, by the number of the
  // parameter and of the element (0: of a result that is no tuple). Only
  // StableHLO has a place for it.
  std::map<int64_t, std::string> argument_memory_kinds, result_memory_kinds;
  // Given names are from a file: they are written unchanged, even if XLA would
  // refuse them (duplicates).
  bool names_as_read = false;
};

struct ModuleData : ModuleProperties {
  ModuleData() : ModuleData(std::make_shared<Pools>()) {}
  explicit ModuleData(std::shared_ptr<Pools> with) : pools(std::move(with)) {}

  std::shared_ptr<Pools> pools;

  Column<InstructionRecord> instructions;
  Column<uint32_t> operands;
  // XLA's id of each instruction; empty: position in `instructions` plus 1.
  InstructionIds ids;
  std::vector<ComputationRecord> computations;
  uint32_t entry = 0;  // index of the entry computation

  // What of the program that the module was read from means nothing (IND0815).
  // Not written.
  std::vector<std::string> means_nothing;
  // Positions in HLO text; null: the module wasn't read from HLO text.
  std::shared_ptr<const TextPositions> places;

  // Rare properties, sorted by position in `instructions`.
  std::vector<std::pair<uint32_t, std::string>> opcode_names;
  // operand_ids that weren't spelled as the ids of the operands (only the low
  // 32 bits count), as canonical packed payloads. The writer uses one only
  // while it still refers to the operands.
  std::vector<std::pair<uint32_t, std::string>> operand_spellings;
  // root_id that wasn't spelled as the root's id, by computation.
  std::vector<std::pair<uint32_t, int64_t>> root_spellings;

  // --- Reading -------------------------------------------------------------

  // The position of an instruction of a computation among all instructions.
  uint32_t Position(uint32_t computation, uint32_t i) const {
    return computations[computation].first + i;
  }
  const InstructionRecord& Record(uint32_t computation, uint32_t i) const {
    return instructions[Position(computation, i)];
  }
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

  // The positions (in the computation) of its parameters, by parameter number;
  // the computation's size where no parameter has that number.
  using Positions = absl::InlinedVector<uint32_t, 8>;
  Positions Parameters(uint32_t computation) const;
  // The same, from the parameters' positions in order, if they are known.
  Positions ParametersByNumber(uint32_t computation,
                               absl::Span<const uint32_t> parameters) const;
  // parameter_number of a parameter as in the file, also an invalid one.
  int64_t ParameterNumber(const InstructionRecord& r) const;
  // The opcode's name, also of one that the table lacks.
  absl::string_view OpcodeName(uint32_t position) const;
  // The root's id in the computation's own field, where that was another one
  // with the same low half; null: it wasn't.
  const int64_t* RootSpelling(uint32_t computation) const;

  // --- Changing ------------------------------------------------------------

  // Pools that this module alone owns, copied first if others share them.
  Pools& MutablePools();

  // Drops the program shapes that were read, after shapes have changed; the
  // writer computes them.
  void ForgetProgramShapes();

  // Drops everything that a file spelled in its own way and that XLA may
  // refuse: program shapes, missing and duplicate names, odd ids of operands
  // and roots. For exports to XLA.
  void ForgetSpellings();
};

}  // namespace indim

#endif  // INDIM_IR_MODULE_DATA_H_
