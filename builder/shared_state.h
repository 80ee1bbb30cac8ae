// SharedState: what a builder and its sub-builders, a family, share. Their
// pools, the finished computations that they may call, and the memo of repeated
// calls.
//
// All builders of a family belong to one thread at a time.

#ifndef INDIM_BUILDER_SHARED_STATE_H_
#define INDIM_BUILDER_SHARED_STATE_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/call_diagnostic.h"
#include "indim/builder/link.h"
#include "indim/builder/op.h"
#include "indim/ir/ids.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/ir/pools.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/storage/memo.h"
#include "indim/wire/wire.h"

namespace indim::internal {

// What a call says besides its operands and callee, as numbers. Two calls of
// one opcode that add the same things in the same order must mean the same.
class CallWords {
 public:
  static constexpr size_t kLargest = 40;  // bytes

  CallWords() = default;
  CallWords(std::initializer_list<absl::Span<const int64_t>> lists) {
    Add(lists);
  }

  void Add(int64_t word) {
    if (size_ > kLargest - kMaxVarintBytes) {
      fits_ = false;
      return;
    }
    // Small ones of either sign take a byte.
    const uint64_t zigzag =
        static_cast<uint64_t>(word) << 1 ^ static_cast<uint64_t>(word >> 63);
    char* const end = WriteVarint(zigzag, &bytes_[size_]);
    size_ = static_cast<uint32_t>(end - bytes_.data());
  }
  void Add(std::initializer_list<absl::Span<const int64_t>> lists) {
    for (const absl::Span<const int64_t> list : lists) {
      Add(static_cast<int64_t>(list.size()));
      for (const int64_t word : list) Add(word);
    }
  }

  // False: they are too many to be remembered.
  bool fits() const { return fits_; }
  uint32_t size() const { return size_; }
  const std::array<char, kLargest>& bytes() const { return bytes_; }

 private:
  bool fits_ = true;
  uint32_t size_ = 0;
  std::array<char, kLargest> bytes_ = {};
};

// What a call came to.
struct CallAnswer {
  ShapeId shape;
  AttributeBytesId attribute_bytes;
};
// By opcode, shapes of operands, callee and CallWords. A graph of many layers
// makes the same few calls again and again; then neither attributes are written
// nor shapes inferred.
using CallMemo = Memo<3 + CallWords::kLargest / sizeof(uint64_t), CallAnswer>;

class SharedState {
 public:
  SharedState() : serial_(NextSerial()) {}
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;

  Pools& pools() { return *store_.pools; }
  const Pools& pools() const { return *store_.pools; }
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

  // The id of the attribute bytes that say the attributes.
  AttributeBytesId InternAttributes(Opcode opcode,
                                    const Attributes& attributes);
  // `attribute_bytes` with the sharding (bytes of an OpSharding) in it.
  AttributeBytesId WithSharding(AttributeBytesId attribute_bytes,
                                const std::string& sharding);

  // OpMetadata of a place and an op_name (0: none), either of which may be
  // missing.
  MetadataId Location(Caller caller, NameId op_name);

 private:
  // What a linked computation was: the data or family it came from, and its
  // place there.
  using Source = std::pair<uint64_t, uint32_t>;

  static uint64_t NextSerial();
  absl::StatusOr<uint32_t> LinkModule(const Module& module);
  absl::StatusOr<uint32_t> LinkFamily(const SharedState& family,
                                      uint32_t index);
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

  CallMemo calls_;
  // By the address of the file's name, line and op_name.
  Memo<2, MetadataId> locations_;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_SHARED_STATE_H_
