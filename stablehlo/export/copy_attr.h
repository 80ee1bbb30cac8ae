// Attributes and types of one Ir in another.

#ifndef INDIM_STABLEHLO_EXPORT_COPY_ATTR_H_
#define INDIM_STABLEHLO_EXPORT_COPY_ATTR_H_

#include "indim/stablehlo/export/mlir_names.h"

namespace indim::stablehlo_export {

// Equal to `id` of `from`; none for none. They recurse, so nesting must be
// bounded.
AttrId CopyAttr(const Ir& from, AttrId id, Ir* to);
TypeId CopyType(const Ir& from, TypeId id, Ir* to);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_COPY_ATTR_H_
