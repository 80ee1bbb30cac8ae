// SPDX-License-Identifier: Apache-2.0
// The names of module_attributes.def: note::kSymName is "sym_name".

#ifndef INDIM_STABLEHLO_OPS_MODULE_ATTRIBUTES_H_
#define INDIM_STABLEHLO_OPS_MODULE_ATTRIBUTES_H_

#include "absl/strings/string_view.h"

namespace indim::mlir::note {

#define INDIM_MLIR_NOTE(id, name, ...) \
  inline constexpr absl::string_view id = name;
#include "indim/stablehlo/ops/module_attributes.def"

}  // namespace indim::mlir::note

#endif  // INDIM_STABLEHLO_OPS_MODULE_ATTRIBUTES_H_
