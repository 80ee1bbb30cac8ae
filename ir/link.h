// SPDX-License-Identifier: Apache-2.0
// Linking: copying finished computations from one graph into another.

#ifndef INDIM_IR_LINK_H_
#define INDIM_IR_LINK_H_

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

// IdMap: maps ids of one graph's pools to ids of another's. The first request
// for an id copies its contents, except large attribute bytes (literals), which
// are shared.
class IdMap {
 public:
  // `to` must outlive the map; equal pools map every id to itself.
  IdMap(std::shared_ptr<const Pools> from, Pools* to)
      : from_(std::move(from)), to_(to) {}

  ShapeId Map(ShapeId id);
  AttributeBytesId Map(AttributeBytesId id);
  MetadataId Map(MetadataId id);
  // The metadata of instruction `i` of `from`, whose pools the map is from.
  // What it says by tables of its module (stack frames, payloads) it says
  // itself afterwards, since the tables stay behind.
  MetadataId MapMetadata(const ModuleData& from, uint32_t computation,
                         uint32_t i);
  NameId Map(NameId id);
  // Maps bytes that the pools keep alive.
  absl::string_view Map(absl::string_view kept);
  // Whether the attribute bytes `id` of `to` have control predecessors.
  bool HasControl(AttributeBytesId id);

 private:
  std::shared_ptr<const Pools> from_;
  Pools* to_;
  absl::flat_hash_map<ShapeId, ShapeId> shapes_;
  absl::flat_hash_map<AttributeBytesId, AttributeBytesId> attribute_bytes_;
  absl::flat_hash_map<MetadataId, MetadataId> metadata_;
  bool kept_ = false;  // to_ keeps from_ alive
  enum class Control : uint8_t { kUnknown, kNone, kSome };
  std::vector<Control> control_;  // by attribute bytes of to_
};

// The meaning of the numbers in field 37 (control_predecessor_ids).
// Computations in a builder have positions, because ids are only assigned at
// the end.
enum class ControlForm { kIds, kPositions };

// `field` (control predecessors as packed attribute bytes) with each number
// replaced; a number without a replacement is dropped.
std::string MapControl(
    absl::string_view field,
    absl::FunctionRef<std::optional<uint64_t>(uint64_t)> number_of);

// Appends computation `index` of `from` to `*to`: its records, operands and
// rare properties, with ids mapped by `map` and callees by `callee_of`. Its id
// and its instructions' ids follow from their positions in `*to`; control
// predecessors change from `from_form` to `to_form`. `order` has its
// instructions' positions in their new order; empty: the old order. Returns its
// index in `*to`.
uint32_t AppendComputation(const ModuleData& from, uint32_t index,
                           ControlForm from_form, ControlForm to_form,
                           absl::FunctionRef<uint32_t(uint32_t)> callee_of,
                           IdMap* map, ModuleData* to,
                           absl::Span<const uint32_t> order = {});

// The place of each number in `order`, which has those from 0 on.
std::vector<uint32_t> InverseOf(absl::Span<const uint32_t> order);

// Appends all of `from`, a builder's recording: one computation with the pools
// of `*to`, no rare properties, control predecessors as positions.
uint32_t AppendModule(ModuleData&& from, ControlForm to_form,
                      absl::FunctionRef<uint32_t(uint32_t)> callee_of,
                      ModuleData* to);

// `roots` and all computations that they call, directly or not, in ascending
// order: callees before callers.
std::vector<uint32_t> Reachable(const ModuleData& data,
                                absl::Span<const uint32_t> roots);

}  // namespace indim::internal

#endif  // INDIM_IR_LINK_H_
