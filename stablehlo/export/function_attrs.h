// SPDX-License-Identifier: Apache-2.0
// The attributes of functions, their arguments and results, and of the module.

#ifndef INDIM_STABLEHLO_EXPORT_FUNCTION_ATTRS_H_
#define INDIM_STABLEHLO_EXPORT_FUNCTION_ATTRS_H_

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/stablehlo/export/mlir_names.h"
#include "indim/stablehlo/export/shardy.h"
#include "indim/stablehlo/export/type_writer.h"

namespace indim::stablehlo_export {

// A func.func for a computation, without its region: its symbol, its type and
// the attributes of its arguments and results: shardings, frontend attributes,
// replication, and of the entry aliases, donated buffers and memory kinds.
Ir::OpParts FunctionParts(const Module& module, const Computation& computation,
                          absl::string_view symbol, bool is_entry,
                          TypeWriter* types, Shardy* shardy, Ir* ir);

// Sets the name and the attributes of the Ir's module: numbers of replicas and
// partitions, frontend attributes, layouts of the entry, aliases that must be.
void SetModuleAttrs(const Module& module, Shardy* shardy, Ir* ir);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_FUNCTION_ATTRS_H_
