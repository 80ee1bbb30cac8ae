// SPDX-License-Identifier: Apache-2.0
// The algorithms of products that HLO names (dot_algorithms.def), as data.

#ifndef INDIM_STABLEHLO_OPS_DOT_ALGORITHMS_H_
#define INDIM_STABLEHLO_OPS_DOT_ALGORITHMS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "indim/shape/ops/attributes.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// #stablehlo.dot_algorithm<...>. Types are by name: tf32 is no type of HLO.
struct DotAlgorithmParts {
  absl::string_view lhs;
  absl::string_view rhs;
  absl::string_view accumulation;
  int64_t lhs_components = 0;
  int64_t rhs_components = 0;
  int64_t operations = 0;
  bool imprecise = false;
};

struct DotAlgorithmRow {
  DotAlgorithm algorithm;
  DotAlgorithmParts parts;
  Version since;
};
inline constexpr DotAlgorithmRow kDotAlgorithms[] = {
#define INDIM_MLIR_DOT_ALGORITHM(name, lhs, rhs, accumulation, operations, \
                                 imprecise, since)                         \
  {DotAlgorithm::name,                                                     \
   {lhs, rhs, accumulation, 1, 1, operations, imprecise},                  \
   since},
#define V(major, minor, patch) \
  Version { major, minor, patch }
#include "indim/stablehlo/ops/dot_algorithms.def"
#undef V
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_OPS_DOT_ALGORITHMS_H_
