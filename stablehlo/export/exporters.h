// SPDX-License-Identifier: Apache-2.0
// The functions that write instructions; exporters.def says which operation has
// which. Each reads the instruction through a NodeExport, emits operations, and
// sets the instruction's values or refuses it.

#ifndef INDIM_STABLEHLO_EXPORT_EXPORTERS_H_
#define INDIM_STABLEHLO_EXPORT_EXPORTERS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/stablehlo/export/mlir_names.h"
#include "indim/stablehlo/export/node_export.h"

namespace indim::stablehlo_export {

// Writes the instruction of *node.
void ExportNode(NodeExport* node);
// Writes a plain operation (exporters.def).
void ExportPlain(NodeExport* node);
// The same with other attributes than the instruction's.
void ExportPlain(const Attributes& attributes, NodeExport* node);

// Writes an operation of CHLO as a composite of its name, whose attributes are
// the properties set so far, with a decomposition (decompose.h); refuses it if
// that is empty.
void ExportDecomposed(absl::string_view op, const std::string& function,
                      NodeExport* node);

#define INDIM_EXPORT(opcode, function) void function(NodeExport* node);
#include "indim/stablehlo/export/exporters.def"

// Whether the callees of the operation become its regions, and not functions.
bool HasRegions(Opcode opcode);

// Appends `func.call @symbol` to a block.
OpId AddCall(BlockId block, absl::string_view symbol,
             absl::Span<const ValueId> arguments,
             absl::Span<const TypeId> results, Ir* ir);

// --- Parts that several of them share ----------------------------------------

// [#stablehlo<precision HIGH>, ...] for the precisions of the operands; none
// where all are the default. Refuses *node for one that StableHLO lacks.
// `words`: "stablehlo.precision".
AttrId PrecisionsAttr(const PrecisionConfig& precision, absl::string_view words,
                      NodeExport* node);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_EXPORTERS_H_
