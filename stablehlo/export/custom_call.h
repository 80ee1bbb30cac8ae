// SPDX-License-Identifier: Apache-2.0
// Custom calls and composites.

#ifndef INDIM_STABLEHLO_EXPORT_CUSTOM_CALL_H_
#define INDIM_STABLEHLO_EXPORT_CUSTOM_CALL_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/stablehlo/export/node_export.h"

namespace indim::stablehlo_export {

// A call with is_composite: stablehlo.composite, whose name, attributes and
// version are the frontend attributes composite.name and its like.
void ExportComposite(NodeExport* node);
// A stablehlo.tuple of `shape` from the values of its leaves.
ValueId MakeTuple(const Shape& shape, absl::Span<const ValueId> leaves,
                  NodeExport* node);
// The prefix of these frontend attributes.
inline constexpr absl::string_view kCompositePrefix = "composite.";

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_CUSTOM_CALL_H_
