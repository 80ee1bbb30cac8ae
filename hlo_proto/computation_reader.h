// Reads the computations of a module from their bytes, one after the other, and
// resolves ids to positions. For module_reader.h.

#ifndef INDIM_HLO_PROTO_COMPUTATION_READER_H_
#define INDIM_HLO_PROTO_COMPUTATION_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/hlo_proto/module_scanner.h"
#include "indim/ir/module_data.h"
#include "indim/shape/ops/opcode.h"
#include "indim/storage/id_index.h"

namespace indim {

class ComputationReader {
 public:
  explicit ComputationReader(ModuleData* data)
      : data_(*data), pools_(*data->pools) {}

  // Room for `count` computations.
  void Reserve(size_t count) { computation_index_.reserve(count); }
  // Appends a computation, whose bytes ScanComputation takes, to the module.
  // Callees come before. What isn't canonical inside its instructions and its
  // program shape is replaced by what is.
  absl::Status Read(absl::string_view bytes);

  // The index of the computation with XLA's id; nullopt: none was read.
  std::optional<uint32_t> Find(int64_t id) const;

  // Canonical ProgramShapeProto bytes of a computation that was read, `depth`
  // messages inside the file.
  absl::StatusOr<absl::string_view> ReadProgramShape(
      const std::optional<absl::string_view>& bytes, uint32_t computation,
      int depth, WhenEmpty* when_empty);

 private:
  // What became of an instruction's bytes.
  enum class Added { kYes, kNotCanonical, kError };

  absl::Status ReadInstructions(WireReader* reader);
  // What AddInstruction didn't add, and why.
  absl::Status ReadUnusualInstruction(absl::string_view bytes, Added added);
  // Unless kYes nothing was added to the module, but perhaps to its pools;
  // kError: see error_.
  Added AddInstruction(absl::string_view bytes);
  // 0: it isn't canonical.
  AttributeBytesId AddAttributeBytes(const AttributeBytesView& attribute_bytes);
  // The same where what comes after the called computations isn't canonical:
  // made so.
  AttributeBytesId AddRewrittenAttributeBytes(
      AttributeBytesView attribute_bytes);
  MetadataId AddMetadata(absl::string_view metadata);
  Added FindShape(const ScannedInstruction& scanned, ShapeId* shape);
  // One that was not met before.
  Added AddShape(const ScannedInstruction& scanned, ShapeId* shape);
  // What an instruction added to ModuleData::operands.
  struct AddedIds {
    size_t first;
    size_t operands;
    size_t callees;
  };
  // False: the lists of ids aren't canonical.
  bool AddIds(const ScannedInstruction& scanned, const char* end,
              AddedIds* added);
  absl::Status ResolveOperands(const ComputationRecord& computation);
  // Operands of the instruction `position`, in a computation all of whose ids,
  // and ids of operands, have one upper half. False: see error_.
  bool ResolveInstruction(uint32_t position);
  // The same where they don't, of a computation that starts at `first`: with
  // the ids `far`, or, where that is null, ids like its own. Keeps ids that
  // aren't those of the operands.
  bool ResolveOtherInstruction(uint32_t first, uint32_t position,
                               const std::vector<int64_t>* far);
  absl::Status NoSuchOperand(uint32_t position, uint32_t k, int64_t id) const;
  absl::Status ResolveCallees(uint32_t position, const int64_t* ids);
  absl::Status ResolveRoot(int64_t root_id, ComputationRecord* computation);

  absl::Status InThis(const absl::Status& status) const;
  // The same with the name of the instruction at `position` in the module.
  absl::Status At(uint32_t position, const absl::Status& status) const;
  absl::Status InvalidAt(uint32_t position, absl::string_view message) const {
    return At(position, absl::InvalidArgumentError(message));
  }

  ModuleData& data_;
  Pools& pools_;
  absl::Status error_;
  absl::string_view computation_name_;  // that is being read
  absl::string_view instruction_name_;
  ScannedInstruction scanned_;  // the one that is being added
  absl::string_view
      canonical_rest_;  // what came last in the last new attribute bytes
  // The same of the last that was not canonical, and what it was made.
  struct {
    absl::string_view from, to;
  } rewritten_rest_;
  std::vector<ShapeId> parameter_shapes_;  // of the computation
  absl::flat_hash_map<int64_t, uint32_t> computation_index_;
  IdIndex index_;
  // Of the computation that is being read, until ResolveOperands: an operand is
  // the low half of its id, its high half is mostly the user's own. Operand ids
  // of instructions where that isn't so, by position in the module:
  std::vector<std::pair<uint32_t, std::vector<int64_t>>> far_ids_;
  std::vector<int64_t> callee_ids_;  // of all, in order
};

// `status` with the name of a computation.
absl::Status InComputation(absl::string_view name, const absl::Status& status);

// Bytes that libprotobuf would read, but that can't be made canonical: never
// seen.
absl::Status StaysNotCanonical(absl::string_view what);

}  // namespace indim

#endif  // INDIM_HLO_PROTO_COMPUTATION_READER_H_
