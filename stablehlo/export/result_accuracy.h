// The accuracy that an instruction asks of its result.

#ifndef INDIM_STABLEHLO_EXPORT_RESULT_ACCURACY_H_
#define INDIM_STABLEHLO_EXPORT_RESULT_ACCURACY_H_

#include "indim/stablehlo/export/node_export.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_export {

// Sets result_accuracy where the instruction has one that isn't the default.
// Refuses it where the operation `row` has no such attribute.
void SetResultAccuracy(const mlir::OpRow& row, NodeExport* node);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_RESULT_ACCURACY_H_
