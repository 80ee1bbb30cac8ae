// SPDX-License-Identifier: Apache-2.0
// Regions that fold elements: of reduce, reduce_window, scatter, all_reduce,
// reduce_scatter and the second one of select_and_scatter.

#ifndef INDIM_STABLEHLO_IMPORT_REDUCTIONS_H_
#define INDIM_STABLEHLO_IMPORT_REDUCTIONS_H_

#include <vector>

#include "indim/stablehlo/import/op_import.h"

namespace indim::stablehlo_import {

// LowerSelectAndScatter (lowering.h) stands in reductions.cc too.
//
// Checks StableHLO's constraints on the region. Converts operands to the
// region's type where that is wider, which HLO doesn't do: where the region
// adds f64, an f32 array is added as f64. `operands` become the HLO
// operation's. True also for operations without such a region. Source:
// StableHLO, verifyReducerShape.
bool PrepareReduction(OpImport* op, std::vector<Node>* operands);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_REDUCTIONS_H_
