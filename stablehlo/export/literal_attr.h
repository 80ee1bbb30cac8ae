// The value of a constant as an attribute of MLIR.

#ifndef INDIM_STABLEHLO_EXPORT_LITERAL_ATTR_H_
#define INDIM_STABLEHLO_EXPORT_LITERAL_ATTR_H_

#include "indim/codec/literal.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim {
namespace stablehlo_export {

// dense<...> of `type`, the type of the literal's shape, which is an array with
// static dims. Equal elements become a splat.
mlir::AttrId DenseAttr(const Literal& literal, mlir::TypeId type, mlir::Ir* ir);

// dense<...> : tensor<Nxi64> or tensor<Nxi32>, from numbers that fit.
mlir::AttrId DenseVector(absl::Span<const int64_t> values, ElementType type,
                         mlir::Ir* ir);

// dense<...> : tensor<Nxindex>, as the layouts of a custom call have them.
mlir::AttrId IndexVector(absl::Span<const int64_t> values, mlir::Ir* ir);

}  // namespace stablehlo_export
}  // namespace indim

#endif  // INDIM_STABLEHLO_EXPORT_LITERAL_ATTR_H_
