// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/literal_attr.h"

#include <algorithm>
#include <utility>

#include "indim/ir/storage/literal_bytes.h"

namespace indim::stablehlo_export {
AttrId DenseAttr(const Literal& literal, TypeId type, Ir* ir) {
  mlir::Attribute a(AttrKind::kDense, type);
  const size_t size =
      static_cast<size_t>(ElementBytes(literal.shape().element_type()));
  const absl::string_view bytes = literal.bytes();
  a.splat = bytes.size() == size || literal.has_equal_elements();
  a.text = std::string(a.splat ? bytes.substr(0, size) : bytes);
  return ir->Intern(std::move(a));
}

AttrId DenseVector(absl::Span<const int64_t> values, ElementType type, Ir* ir) {
  return ir->DenseAttr(values, ir->ElementTypeId(type), ElementBytes(type),
                       {static_cast<int64_t>(values.size())});
}

AttrId IndexVector(absl::Span<const int64_t> values, Ir* ir) {
  return ir->DenseAttr(values, ir->Intern(mlir::Type(TypeKind::kIndex)), 8,
                       {static_cast<int64_t>(values.size())});
}

}  // namespace indim::stablehlo_export
