// Attributes and types of one Ir in another.

#ifndef INDIM_STABLEHLO_EXPORT_COPY_ATTR_H_
#define INDIM_STABLEHLO_EXPORT_COPY_ATTR_H_

#include "indim/stablehlo/mlir/ir.h"

namespace indim {
namespace stablehlo_export {

// Equal to `id` of `from`; none for none. They recurse, so nesting must be
// bounded.
mlir::AttrId CopyAttr(const mlir::Ir& from, mlir::AttrId id, mlir::Ir* to);
mlir::TypeId CopyType(const mlir::Ir& from, mlir::TypeId id, mlir::Ir* to);

}  // namespace stablehlo_export
}  // namespace indim

#endif  // INDIM_STABLEHLO_EXPORT_COPY_ATTR_H_
