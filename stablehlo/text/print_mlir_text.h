// SPDX-License-Identifier: Apache-2.0
// The printer of MLIR text. It prints a program byte for byte as MLIR 22 with
// StableHLO 1.17 does.

#ifndef INDIM_STABLEHLO_TEXT_PRINT_MLIR_TEXT_H_
#define INDIM_STABLEHLO_TEXT_PRINT_MLIR_TEXT_H_

#include <string>

#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

struct MlirPrintOptions {
  // Every operation in the generic form, which all versions of MLIR read.
  bool generic = false;
  // Locations: loc(...) behind each operation and argument.
  bool locations = false;
};

// The module as text. Values get new names, as MLIR gives them: %0, %arg0,
// %cst.
std::string PrintMlirText(const Ir& ir, const MlirPrintOptions& options = {});

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_PRINT_MLIR_TEXT_H_
