// SPDX-License-Identifier: Apache-2.0
// The value of a constant as an attribute of MLIR.

#ifndef INDIM_STABLEHLO_EXPORT_LITERAL_ATTR_H_
#define INDIM_STABLEHLO_EXPORT_LITERAL_ATTR_H_

#include "indim/proto/codec/literal.h"
#include "indim/stablehlo/export/mlir_names.h"

namespace indim::stablehlo_export {

// dense<...> of `type`, the type of the literal's shape, which is an array with
// static dims. Equal elements become a splat.
AttrId DenseAttr(const Literal& literal, TypeId type, Ir* ir);

// dense<...> : tensor<Nxi64> or tensor<Nxi32>, from numbers that fit.
AttrId DenseVector(absl::Span<const int64_t> values, ElementType type, Ir* ir);

// dense<...> : tensor<Nxindex>, as the layouts of a custom call have them.
AttrId IndexVector(absl::Span<const int64_t> values, Ir* ir);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_LITERAL_ATTR_H_
