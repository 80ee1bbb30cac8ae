// SPDX-License-Identifier: Apache-2.0
// Captures: the values of enclosing regions that each region uses.

#ifndef INDIM_STABLEHLO_IMPORT_CAPTURES_H_
#define INDIM_STABLEHLO_IMPORT_CAPTURES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "indim/stablehlo/import/mlir_names.h"

namespace indim::stablehlo_import {

class Captures {
 public:
  // Finds the captures of all regions. Takes time in proportion to the program
  // and to the length of all lists.
  explicit Captures(const Ir& ir);

  // In the order of their first uses. A region captures what a region inside
  // it captures, unless it defines it.
  absl::Span<const ValueId> Of(RegionId region) const;
  // False: there are more than kMost in all.
  bool complete() const { return complete_; }
  static constexpr size_t kMost = size_t{1} << 24;

 private:
  bool complete_ = true;
  absl::flat_hash_map<uint32_t, std::vector<ValueId>> lists_;  // by region
};

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_CAPTURES_H_
