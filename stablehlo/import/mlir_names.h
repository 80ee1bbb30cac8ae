// SPDX-License-Identifier: Apache-2.0
// The names of MLIR's program and tables that import uses throughout. What HLO
// has too, an Op say, is HLO's where no namespace stands before it.

#ifndef INDIM_STABLEHLO_IMPORT_MLIR_NAMES_H_
#define INDIM_STABLEHLO_IMPORT_MLIR_NAMES_H_

#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/module_attributes.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_import {

namespace note = mlir::note;
using mlir::Attribute;
using mlir::AttributeRow;
using mlir::AttrId;
using mlir::AttrKind;
using mlir::Block;
using mlir::BlockId;
using mlir::Count;
using mlir::FindOp;
using mlir::Ir;
using mlir::kDynamic;
using mlir::kNowhere;
using mlir::kSegments;
using mlir::kTerminator;
using mlir::NamedAttr;
using mlir::Offset;
using mlir::OpId;
using mlir::OpRow;
using mlir::RegionId;
using mlir::StringId;
using mlir::Type;
using mlir::TypeId;
using mlir::TypeKind;
using mlir::Value;
using mlir::ValueId;
using mlir::ValueKind;
}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_MLIR_NAMES_H_
