// SPDX-License-Identifier: Apache-2.0
// ComputationReader: reads the computations of a module from their bytes, one
// after the other, and resolves ids to positions. For module_reader.h.

#ifndef INDIM_PROTO_HLO_MODULE_COMPUTATION_READER_H_
#define INDIM_PROTO_HLO_MODULE_COMPUTATION_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/id_index.h"
#include "indim/proto/hlo_module/module_scanner.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

class ComputationReader {
 public:
  explicit ComputationReader(ModuleData* data)
      : data_(*data), pools_(*data->pools) {}

  // Reserves room for `count` computations.
  void Reserve(size_t count) { computation_index_.reserve(count); }
  // Appends the computation in `bytes` to the module. Callees come first. Parts
  // that aren't canonical become canonical.
  absl::Status Read(absl::string_view bytes);

  // The index of the computation with XLA's id; nullopt: none was read.
  std::optional<uint32_t> Find(int64_t id) const;

  // Canonical ProgramShapeProto bytes of a computation that was read, at
  // nesting depth `depth` of the file.
  absl::StatusOr<absl::string_view> ReadProgramShape(
      const std::optional<absl::string_view>& bytes, uint32_t computation,
      int depth, WhenEmpty* when_empty);

 private:
  // The result of adding an instruction.
  enum class Added { kYes, kNotCanonical, kError };

  // Reads the name and the instructions, and scans the other fields.
  absl::Status ReadFields(absl::string_view bytes, ScannedParts* others);
  absl::Status ReadInstructions(WireReader* reader);
  // Adds an instruction that AddInstruction didn't add, or returns the error.
  absl::Status ReadUnusualInstruction(absl::string_view bytes, Added added);
  // Unless kYes, nothing was added to the module, but perhaps to its pools.
  // kError: error_ is set.
  Added AddInstruction(absl::string_view bytes);
  // 0: the bytes aren't canonical.
  AttributeBytesId AddAttributeBytes(const AttributeBytesView& attribute_bytes);
  // Adds attribute bytes whose part after the called computations isn't
  // canonical, after making it canonical.
  AttributeBytesId AddRewrittenAttributeBytes(
      AttributeBytesView attribute_bytes);
  MetadataId AddMetadata(absl::string_view metadata);
  Added FindShape(const ScannedInstruction& scanned, ShapeId* shape);
  // For a shape that FindShape hasn't met before.
  Added AddShape(const ScannedInstruction& scanned, ShapeId* shape);
  // The entries that an instruction added to ModuleData::operands.
  struct AddedIds {
    size_t first;
    size_t callees;
  };
  // False: the lists of ids aren't canonical.
  bool AddIds(const ScannedInstruction& scanned, const char* end,
              AddedIds* added);
  absl::Status ResolveOperands(const ComputationRecord& computation);
  // Resolves the operands of instruction `position`, in a computation where all
  // ids, also of operands, have one upper half. False: error_ is set.
  bool ResolveInstruction(uint32_t position);
  // ResolveInstruction for other computations; `first` is the position of the
  // computation. The operands' ids are `far`, or, if that is null, have the
  // instruction's upper half. Keeps the spelling of ids that differ from the
  // operands'.
  bool ResolveOtherInstruction(uint32_t first, uint32_t position,
                               const std::vector<int64_t>* far);
  absl::Status NoSuchOperand(uint32_t position, uint32_t k, int64_t id) const;
  absl::Status ResolveCallees(uint32_t position, const int64_t* ids);
  absl::Status ResolveRoot(int64_t root_id, ComputationRecord* computation);

  absl::Status InThis(const absl::Status& status) const;
  // InThis with the name of the instruction at `position` in the module.
  absl::Status At(uint32_t position, const absl::Status& status) const;
  absl::Status InvalidAt(uint32_t position, absl::string_view message) const {
    return At(position, absl::InvalidArgumentError(message));
  }

  ModuleData& data_;
  Pools& pools_;
  absl::Status error_;
  absl::string_view computation_name_;  // the current one
  absl::string_view instruction_name_;
  ScannedInstruction scanned_;  // the current one
  absl::string_view
      canonical_rest_;  // the last part of the last new attribute bytes
  // The last part that wasn't canonical, and its canonical form.
  struct {
    absl::string_view from, to;
  } rewritten_rest_;
  std::vector<ShapeId> parameter_shapes_;  // of the computation
  absl::flat_hash_map<int64_t, uint32_t> computation_index_;
  IdIndex index_;
  // Until ResolveOperands the current computation's operands are the low halves
  // of their ids; the high half is mostly the user's own. far_ids_ has all
  // operand ids of instructions where it isn't, by position in the module.
  std::vector<std::pair<uint32_t, std::vector<int64_t>>> far_ids_;
  std::vector<int64_t> callee_ids_;  // of all instructions, in order
};

// `status` with the name of a computation.
absl::Status InComputation(absl::string_view name, const absl::Status& status);

// The error for bytes that libprotobuf would read, but that can't be made
// canonical. No such bytes are known.
absl::Status CantBeCanonical(absl::string_view what);

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_COMPUTATION_READER_H_
