// Linking: copying finished computations from one graph into another.

#ifndef INDIM_BUILDER_LINK_H_
#define INDIM_BUILDER_LINK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/module_data.h"
#include "indim/ir/pools.h"

namespace indim::internal {

// Ids of one graph's pools as ids of another's. What an id names is copied when
// the id is first asked for; large attribute bytes (literals) are shared
// instead.
class IdMap {
 public:
  // `to` must outlive the map; equal pools map every id to itself.
  IdMap(std::shared_ptr<const Pools> from, Pools* to)
      : from_(std::move(from)), to_(to) {}

  ShapeId Map(ShapeId id);
  AttributeBytesId Map(AttributeBytesId id);
  MetadataId Map(MetadataId id);
  NameId Map(NameId id);
  // Bytes that the pools keep alive.
  absl::string_view Map(absl::string_view kept);
  // Whether the attribute bytes `id` of `to` say control predecessors.
  bool HasControl(AttributeBytesId id);

 private:
  std::shared_ptr<const Pools> from_;
  Pools* to_;
  absl::flat_hash_map<ShapeId, ShapeId> shapes_;
  absl::flat_hash_map<AttributeBytesId, AttributeBytesId> attribute_bytes_;
  absl::flat_hash_map<MetadataId, MetadataId> metadata_;
  bool kept_ = false;  // to_ holds on to from_
  enum class Control : uint8_t { kUnknown, kNone, kSome };
  std::vector<Control> control_;  // by attribute bytes of to_
};

// What the numbers in field 37 (control_predecessor_ids) are. Computations that
// wait in a builder name positions, since ids are given only when all is known.
enum class ControlForm { kIds, kPositions };

// `field` (control predecessors, packed, as attribute bytes have it) with each
// number changed; those without an answer are left out.
std::string MapControl(
    absl::string_view field,
    absl::FunctionRef<std::optional<uint64_t>(uint64_t)> number_of);

// Appends computation `index` of `from` to `*to`: its records, operands and
// rare things, ids mapped by `map`, callees by `callee_of`. Its id, and those
// of its instructions, follow from where they stand in `*to`; control
// predecessors go from the form `from_form` to `to_form`. Returns its index in
// `*to`.
uint32_t AppendComputation(const ModuleData& from, uint32_t index,
                           ControlForm from_form, ControlForm to_form,
                           absl::FunctionRef<uint32_t(uint32_t)> callee_of,
                           IdMap* map, ModuleData* to);

// The same for all of `from`, what a builder has recorded: one computation of
// the pools of `*to`, nothing rare, control predecessors as positions.
uint32_t AppendWhole(ModuleData&& from, ControlForm to_form,
                     absl::FunctionRef<uint32_t(uint32_t)> callee_of,
                     ModuleData* to);

// The computations that `roots` are or call, however deep, in ascending order:
// callees before callers.
std::vector<uint32_t> Reachable(const ModuleData& data,
                                absl::Span<const uint32_t> roots);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_LINK_H_
