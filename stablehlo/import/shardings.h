// Shardings of instructions, as OpSharding bytes (builder/sharding.h).

#ifndef INDIM_STABLEHLO_IMPORT_SHARDINGS_H_
#define INDIM_STABLEHLO_IMPORT_SHARDINGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/stablehlo/import/graph_writer.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

// The sharding of a value; nullopt: it has none, which isn't {replicated}.
using ValueSharding = std::optional<std::string>;

// What the text of an attribute mhlo.sharding means: HLO's text, or the bytes
// of the message. nullopt: it is neither.
ValueSharding ShardingOfText(absl::string_view text);

ValueSharding ShardingOf(const GraphWriter& writer, Node node);
void SetSharding(GraphWriter* writer, Node node, absl::string_view sharding);

// The sharding of each of `count` results: the parts of a tuple's sharding, or
// `sharding` itself for each.
std::vector<ValueSharding> ShardingsOfResults(const std::string& sharding,
                                              size_t count);

// The sharding of a tuple of values, {replicated} for those without one, as XLA
// writes it; nullopt: none has one.
ValueSharding ShardingOfTuple(absl::Span<const ValueSharding> values);

// The value that `function` returns. Where a result has an mhlo.sharding, XLA
// notes it on a tuple of the results; of a single one, on the element of that
// tuple, since the result itself may have another.
Node ResultOfFunction(const Ir& ir, const Op& function,
                      absl::Span<const Node> results, GraphWriter* writer);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_IMPORT_SHARDINGS_H_
