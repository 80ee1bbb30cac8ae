// SPDX-License-Identifier: Apache-2.0
// Asynchronous operations. The start of a collective of one operand becomes
// stablehlo.async_start with the collective in its region, and its value is a
// future. Any other start is written as the operation itself: it has its
// results at once, and its done picks them.

#ifndef INDIM_STABLEHLO_EXPORT_ASYNC_H_
#define INDIM_STABLEHLO_EXPORT_ASYNC_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_data.h"
#include "indim/stablehlo/export/node_export.h"

namespace indim::stablehlo_export {

// Emits the start of `op` with the properties that are set.
void EmitStart(absl::string_view op, NodeExport* node);

// Whether the computation of an async-start becomes the region of a
// stablehlo.async_start: it is one collective of one operand, and nothing but
// the done uses the start.
bool IsAsyncRegion(MlirWriter* writer, const Instruction& instruction);

// Adds the positions (in the module) of the starts of computation `c` that
// something else than their updates and their done uses.
void MarkEscaping(const ModuleData& data, uint32_t c,
                  absl::flat_hash_set<uint32_t>* escaping);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_ASYNC_H_
