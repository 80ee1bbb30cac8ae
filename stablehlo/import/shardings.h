// SPDX-License-Identifier: Apache-2.0
// Shardings of instructions, as OpSharding bytes (builder/sharding.h).

#ifndef INDIM_STABLEHLO_IMPORT_SHARDINGS_H_
#define INDIM_STABLEHLO_IMPORT_SHARDINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/sharding/values/mesh.h"
#include "indim/stablehlo/import/hlo_writer.h"
#include "indim/stablehlo/import/mlir_names.h"

namespace indim::stablehlo_import {

// The sharding of a value; nullopt: it has none, which isn't {replicated}.
using ValueSharding = std::optional<std::string>;

// What the text of an attribute mhlo.sharding means: HLO's text, or the bytes
// of the message. nullopt: it is neither.
ValueSharding ShardingOfText(absl::string_view text);

ValueSharding ShardingOf(const HloWriter& writer, Node node);
void SetSharding(HloWriter* writer, Node node, absl::string_view sharding);

// A frontend attribute.
struct FrontendNote {
  absl::string_view key;
  std::string value;
};
void AddNotes(HloWriter* writer, Node node,
              absl::Span<const FrontendNote> notes);

// The sharding of each of `count` results: the parts of a tuple's sharding, or
// `sharding` itself for each.
std::vector<ValueSharding> ShardingsOfResults(const std::string& sharding,
                                              size_t count);

// The mesh that an sdy.mesh of the module defines under that name.
absl::StatusOr<Mesh> FindMesh(const Ir& ir, absl::string_view name);

// What Shardy's shardings mean without a mesh: XLA writes both. Each is made
// once.
class ShardyMeanings {
 public:
  // `ir` must outlive it.
  explicit ShardyMeanings(const Ir& ir) : ir_(ir) {}

  // Of #sdy.sharding, or of the values of #sdy.sharding_per_value. nullopt: it
  // is something else, or has a fault.
  const ValueSharding& Of(AttrId sharding);

 private:
  const Ir& ir_;
  absl::flat_hash_map<uint32_t, ValueSharding> known_;  // by AttrId
};

// The sharding of a tuple of values, {replicated} for those without one, as XLA
// writes it; nullopt: none has one.
ValueSharding ShardingOfTuple(absl::Span<const ValueSharding> values);

// The value that `function` returns. Where a result has a sharding, XLA
// notes it on a tuple of the results; of a single one, on the element of that
// tuple, since the result itself may have another.
Node ResultOfFunction(const Ir& ir, const mlir::Op& function,
                      absl::Span<const Node> results, ShardyMeanings* shardy,
                      HloWriter* writer);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_SHARDINGS_H_
