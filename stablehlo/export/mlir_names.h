// SPDX-License-Identifier: Apache-2.0
// The names of MLIR's program that export uses throughout.

#ifndef INDIM_STABLEHLO_EXPORT_MLIR_NAMES_H_
#define INDIM_STABLEHLO_EXPORT_MLIR_NAMES_H_

#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/module_attributes.h"

namespace indim::stablehlo_export {

namespace note = mlir::note;
using mlir::AttrId;
using mlir::AttrKind;
using mlir::BlockId;
using mlir::Ir;
using mlir::NamedAttr;
using mlir::OpId;
using mlir::RegionId;
using mlir::StringId;
using mlir::TypeId;
using mlir::TypeKind;
using mlir::ValueId;

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_MLIR_NAMES_H_
