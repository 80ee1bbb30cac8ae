// What Shardy's verifier asks of the values of a program: their types.

#ifndef INDIM_STABLEHLO_IMPORT_SHARDY_VALUES_H_
#define INDIM_STABLEHLO_IMPORT_SHARDY_VALUES_H_

#include <vector>

#include "absl/types/span.h"
#include "indim/sharding/shardy/shardy_faults.h"
#include "indim/stablehlo/import/mlir_names.h"

namespace indim::stablehlo_import {

std::vector<TypeId> TypesOf(const Ir& ir, absl::Span<const ValueId> values);

// A tuple of one element is as that element.
ShardyValue ValueOf(const Ir& ir, TypeId id);
std::vector<ShardyValue> ValuesOf(const Ir& ir, absl::Span<const TypeId> types);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_SHARDY_VALUES_H_
