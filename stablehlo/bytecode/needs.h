// SPDX-License-Identifier: Apache-2.0
// Which release of StableHLO the parts of a program need.

#ifndef INDIM_STABLEHLO_BYTECODE_NEEDS_H_
#define INDIM_STABLEHLO_BYTECODE_NEEDS_H_

#include <string>
#include <vector>

#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// A release, and what of the program no older one has.
struct ReleaseNeed {
  Version since;
  // "stablehlo.tan", "algorithm of stablehlo.dot_general", "f8E4M3", in the
  // order of the program.
  std::vector<std::string> what;
};

// By release, the newest first; none for what all releases of artifacts have
// (kOldestRelease), and for what no artifact has. Attributes that say what
// their absence says count for nothing.
std::vector<ReleaseNeed> NeedsOf(const Ir& ir);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_NEEDS_H_
