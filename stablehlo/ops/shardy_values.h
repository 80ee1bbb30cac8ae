// SPDX-License-Identifier: Apache-2.0
// The types of MLIR's values, as Shardy's verifier asks for them.

#ifndef INDIM_STABLEHLO_OPS_SHARDY_VALUES_H_
#define INDIM_STABLEHLO_OPS_SHARDY_VALUES_H_

#include <vector>

#include "absl/types/span.h"
#include "indim/sharding/shardy/shardy_faults.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

// A tuple of one element is as that element.
ShardyValue ShardyValueOf(const Ir& ir, TypeId id);

std::vector<ShardyValue> ShardyValues(const Ir& ir,
                                      absl::Span<const TypeId> types);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_OPS_SHARDY_VALUES_H_
