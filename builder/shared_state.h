// SPDX-License-Identifier: Apache-2.0
// SharedState: the data that a family, a builder and its sub-builders, shares:
// pools, finished computations that they may call, and the memo of repeated
// calls.
//
// All builders of a family belong to one thread at a time.

#ifndef INDIM_BUILDER_SHARED_STATE_H_
#define INDIM_BUILDER_SHARED_STATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/builder/attribute_ids.h"
#include "indim/builder/call_diagnostic.h"
#include "indim/builder/call_memo.h"
#include "indim/builder/op.h"
#include "indim/ir/ids.h"
#include "indim/ir/link.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/ir/pools.h"
#include "indim/ir/storage/memo.h"
#include "indim/proto/wire/field_list.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"

namespace indim::internal {

class SharedState {
 public:
  SharedState() : serial_(NextSerial()) {}
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;

  Pools& pools() { return *store_.pools; }
  const Pools& pools() const { return *store_.pools; }
  CallMemo& calls() { return calls_; }
  AttributeIds& attribute_ids() { return attribute_ids_; }

  // Finished computations, callees first; control predecessors are positions.
  const ModuleData& store() const { return store_; }

  // Takes over a computation of this family: the records in `own`, whose
  // callees are in store(). `signature` has the shapes of its parameters, by
  // number, then of its result. Returns its index in store().
  uint32_t Adopt(ModuleData&& own, absl::Span<const ShapeId> signature);

  // The same; of a computation that is equal to an earlier one but for the
  // lines of its calls, that one's index.
  uint32_t AdoptOnce(ModuleData&& own, absl::Span<const ShapeId> signature);

  // The index in store() of the computation of `callee`; the first time it is
  // copied, with everything that it calls. Errors: the callee's own, or a
  // message that says what the callee lacks.
  absl::StatusOr<uint32_t> Link(const Callee& callee);

  // The same for a computation of a module.
  absl::StatusOr<uint32_t> Link(const Module& module, uint32_t computation);

  // A computation of store() as an argument of calls.
  static Callee CalleeOf(std::shared_ptr<SharedState> family,
                         uint32_t computation) {
    return Callee(std::move(family), computation);
  }

  // The signature of a computation that Adopt or Link returned.
  const Signature& signature(uint32_t computation) const {
    return *signatures_[computation];
  }

  // Keeps the warnings about a computation that Adopt returned.
  void KeepWarnings(uint32_t computation,
                    std::vector<CallDiagnostic> warnings) {
    warnings_[computation] = std::move(warnings);
  }
  absl::Span<const CallDiagnostic> Warnings(uint32_t computation) const {
    const auto found = warnings_.find(computation);
    return found == warnings_.end() ? absl::Span<const CallDiagnostic>()
                                    : absl::MakeConstSpan(found->second);
  }

  // The computation of `family` that ops share by its name and element type;
  // `make` builds it the first time. Without a family, what `make` builds.
  static Callee Shared(const std::shared_ptr<SharedState>& family,
                       const std::string& name, ElementType type,
                       absl::FunctionRef<Callee()> make);

  // The id of fields as attribute bytes.
  AttributeBytesId AddAttributeBytes(const FieldList& fields);
  // `attribute_bytes` with the sharding (bytes of an OpSharding) added.
  AttributeBytesId WithSharding(AttributeBytesId attribute_bytes,
                                const std::string& sharding);

  // The id of OpMetadata with a place, an op_name and an op_type (0: none); all
  // may be missing.
  MetadataId Location(Caller caller, NameId op_name, NameId op_type);

 private:
  // The origin of a linked computation: the serial of its module or family, and
  // its index there.
  using Source = std::pair<uint64_t, uint32_t>;

  static uint64_t NextSerial();
  absl::StatusOr<uint32_t> LinkFamily(const SharedState& family,
                                      uint32_t index);
  uint32_t Copy(const ModuleData& from, uint64_t serial, uint32_t root,
                ControlForm form);
  void SetSignature(uint32_t computation, const Signature& signature);
  void SetSignature(uint32_t computation, absl::Span<const ShapeId> shapes);

  const uint64_t serial_;  // unique among families and linked modules
  ModuleData store_;
  std::vector<const Signature*> signatures_;  // by computation
  // By shapes, as in Adopt; many computations have equal signatures.
  absl::flat_hash_map<absl::InlinedVector<uint32_t, 6>,
                      std::unique_ptr<const Signature>>
      signature_of_;
  absl::flat_hash_map<Source, uint32_t> linked_;
  // The modules linked here; keeping them keeps their addresses unique.
  absl::flat_hash_map<const ModuleData*, std::pair<Module, uint64_t>> modules_;

  absl::flat_hash_map<std::pair<std::string, ElementType>, uint32_t> shared_;
  // By content: what AdoptOnce returned.
  absl::flat_hash_map<std::string, uint32_t> adopted_once_;
  absl::flat_hash_map<uint32_t, std::vector<CallDiagnostic>> warnings_;

  CallMemo calls_;
  AttributeIds attribute_ids_{store_.pools.get()};
  // By the address of the file's name, line, op_name and op_type.
  Memo<3, MetadataId> locations_;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_SHARED_STATE_H_
