// Family: what a builder and its sub-builders share. Their pools, the finished
// computations that they may call, and what was learnt about repeated calls.
//
// All of one family belong to one thread at a time.

#ifndef INDIM_BUILDER_FAMILY_H_
#define INDIM_BUILDER_FAMILY_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/call_diagnostic.h"
#include "indim/builder/call_memo.h"
#include "indim/builder/link.h"
#include "indim/builder/op.h"
#include "indim/ir/ids.h"
#include "indim/ir/memo_table.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/ir/pools.h"
#include "indim/shape/attributes.h"
#include "indim/shape/infer.h"

namespace indim::internal {

// What shape inference depends on.
struct InferenceMemoKey {
  Opcode opcode = Opcode::kInvalid;
  std::array<uint32_t, 3> operands = {};  // StructureIds; 0: no such operand
  uint32_t blob = 0;
  uint32_t declared = 0;  // ShapeId
  uint32_t callee = 0;    // computation + 1

  friend bool operator==(const InferenceMemoKey& a, const InferenceMemoKey& b) {
    return a.opcode == b.opcode && a.operands[0] == b.operands[0] &&
           a.operands[1] == b.operands[1] && a.operands[2] == b.operands[2] &&
           a.blob == b.blob && a.declared == b.declared && a.callee == b.callee;
  }
  uint64_t Hash() const {
    constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
    uint64_t h = static_cast<uint64_t>(opcode);
    for (uint32_t operand : operands) h = (h ^ operand) * kMultiplier;
    h = (h ^ blob ^ (uint64_t{declared} << 32)) * kMultiplier;
    h = (h ^ callee) * kMultiplier;
    return h ^ h >> 29;
  }
};
// Answers without anything to say.
using InferenceMemo = MemoTable<InferenceMemoKey, ShapeId, 16, 4096>;

class Family {
 public:
  Family() : serial_(NextSerial()) {}
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  Pools& pools() { return *store_.pools; }
  const Pools& pools() const { return *store_.pools; }
  InferenceMemo& memo() { return memo_; }
  CallMemo& calls() { return calls_; }

  // Finished computations, callees first; control predecessors are positions.
  const ModuleData& store() const { return store_; }

  // Takes over a computation of this family: its records, in `own`, name
  // computations of store(). Returns its place there.
  // `signature`: shapes of its parameters, by number, then of its result.
  uint32_t Adopt(ModuleData&& own, absl::Span<const ShapeId> signature);

  // The place in store() of what `callee` says, which is copied with all that
  // it calls when it is new here. Its error, or one that says what it lacks.
  absl::StatusOr<uint32_t> Link(const Callee& callee);

  // Of a computation that Adopt or Link returned.
  const Signature& signature(uint32_t computation) const {
    return *signatures_[computation];
  }

  // What was odd in the making of a computation that Adopt returned.
  void KeepWarnings(uint32_t computation,
                    std::vector<CallDiagnostic> warnings) {
    warnings_[computation] = std::move(warnings);
  }
  absl::Span<const CallDiagnostic> Warnings(uint32_t computation) const {
    const auto found = warnings_.find(computation);
    return found == warnings_.end() ? absl::Span<const CallDiagnostic>()
                                    : absl::MakeConstSpan(found->second);
  }

  // Computations of store() that composite ops have in common, by name and
  // element type.
  using SharedKey = std::pair<std::string, ElementType>;
  std::optional<uint32_t> FindShared(const SharedKey& key) const {
    const auto found = shared_.find(key);
    if (found == shared_.end()) return std::nullopt;
    return found->second;
  }
  void KeepShared(const SharedKey& key, uint32_t computation) {
    shared_.emplace(key, computation);
  }

  // The id of the blob that says the attributes. Those of elementwise ops,
  // default ones, and an op's last dimensions are remembered.
  BlobId AttributesBlob(Opcode opcode, const Attributes& attributes);
  BlobId ElementwiseBlob(Opcode opcode, const BroadcastSpec& broadcast);
  BlobId CompareBlob(const CompareAttributes& attributes);
  BlobId DefaultBlob(Opcode opcode);
  // `blob` with the sharding (bytes of an OpSharding) in it.
  BlobId WithSharding(BlobId blob, const std::string& sharding);

  // OpMetadata of a place and an op_name (0: none), either of which may be
  // missing.
  MetadataId Location(Caller caller, NameId op_name);

 private:
  // What a linked computation was: the data or family it came from, and its
  // place there.
  using Source = std::pair<uint64_t, uint32_t>;

  static uint64_t NextSerial();
  absl::StatusOr<uint32_t> LinkModule(const Module& module);
  absl::StatusOr<uint32_t> LinkFamily(const Family& family, uint32_t index);
  uint32_t Copy(const ModuleData& from, uint64_t serial, uint32_t root,
                ControlForm form);
  void SetSignature(uint32_t computation, const Signature& signature);
  void SetSignature(uint32_t computation, absl::Span<const ShapeId> shapes);

  const uint64_t serial_;  // no other family or linked module has it
  ModuleData store_;
  std::vector<const Signature*> signatures_;  // by computation
  // By shapes, as in Adopt: many computations have the same.
  absl::flat_hash_map<absl::InlinedVector<uint32_t, 6>,
                      std::unique_ptr<const Signature>>
      signature_of_;
  absl::flat_hash_map<Source, uint32_t> linked_;
  // Modules linked here, kept so that their addresses stay theirs.
  absl::flat_hash_map<const ModuleData*, std::pair<Module, uint64_t>> modules_;

  absl::flat_hash_map<SharedKey, uint32_t> shared_;
  absl::flat_hash_map<uint32_t, std::vector<CallDiagnostic>> warnings_;

  InferenceMemo memo_;
  CallMemo calls_;
  std::vector<BlobId> default_blobs_;  // by opcode; kUnset
  struct ElementwiseEntry {
    BroadcastSpec broadcast;
    BlobId blob;
    bool set = false;
  };
  std::array<ElementwiseEntry, 4> last_elementwise_;
  size_t next_elementwise_ = 0;  // to be replaced
  absl::flat_hash_map<BroadcastSpec, BlobId> elementwise_;
  struct DimensionsEntry {
    Opcode opcode = Opcode::kInvalid;
    DimIndices dimensions;
    BlobId blob;
  };
  std::array<DimensionsEntry, 8> last_dimensions_;  // by opcode
  absl::flat_hash_map<
      std::tuple<ComparisonDirection, ComparisonType, BroadcastSpec>, BlobId>
      compare_;
  absl::flat_hash_map<std::pair<BlobId, std::string>, BlobId> sharded_;

  struct LocationEntry {
    const char* file = nullptr;
    int line = 0;
    NameId op_name;
    MetadataId id;
  };
  std::array<LocationEntry, 128> locations_ = {};
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_FAMILY_H_
