// SPDX-License-Identifier: Apache-2.0
// Operations of arith, math, shape and tensor that no program of StableHLO
// should hold.

#ifndef INDIM_STABLEHLO_OPS_FOREIGN_OPS_H_
#define INDIM_STABLEHLO_OPS_FOREIGN_OPS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim::mlir {

// What has its place in StableHLO: "stablehlo.compare"; "": nothing has, or
// unknown.
absl::string_view InStablehlo(absl::string_view op);

// Why `op` isn't read, and what to write: "is an operation of arith, which XLA
// doesn't read either; write stablehlo.compare". `otherwise`: it is of none of
// these dialects.
std::string WhyForeign(absl::string_view op, absl::string_view otherwise = "");

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_OPS_FOREIGN_OPS_H_
