#include "indim/stablehlo/export/literal_attr.h"

#include <algorithm>
#include <utility>

#include "indim/storage/literal_bytes.h"

namespace indim {
namespace stablehlo_export {
namespace {

// A dense attribute of a vector whose elements take `size` bytes.
mlir::AttrId Vector(absl::Span<const int64_t> values, mlir::TypeId element,
                    int size, mlir::Ir* ir) {
  mlir::Type type;
  type.kind = mlir::TypeKind::kTensor;
  type.element = element;
  type.dims = {static_cast<int64_t>(values.size())};
  mlir::Attribute a;
  a.kind = mlir::AttrKind::kDense;
  a.type = ir->Intern(std::move(type));
  a.splat = !values.empty() &&
            std::all_of(values.begin(), values.end(),
                        [&](int64_t v) { return v == values.front(); });
  for (const int64_t value : a.splat ? values.first(1) : values) {
    AppendBits(static_cast<uint64_t>(value), size, &a.text);
  }
  return ir->Intern(std::move(a));
}

}  // namespace

mlir::AttrId DenseAttr(const Literal& literal, mlir::TypeId type,
                       mlir::Ir* ir) {
  mlir::Attribute a;
  a.kind = mlir::AttrKind::kDense;
  a.type = type;
  const size_t size =
      static_cast<size_t>(ElementBytes(literal.shape().element_type()));
  const absl::string_view bytes = literal.bytes();
  a.splat = bytes.size() == size || literal.has_equal_elements();
  a.text = std::string(a.splat ? bytes.substr(0, size) : bytes);
  return ir->Intern(std::move(a));
}

mlir::AttrId DenseVector(absl::Span<const int64_t> values, ElementType type,
                         mlir::Ir* ir) {
  return Vector(values, ir->ElementTypeId(type), ElementBytes(type), ir);
}

mlir::AttrId IndexVector(absl::Span<const int64_t> values, mlir::Ir* ir) {
  mlir::Type index;
  index.kind = mlir::TypeKind::kIndex;
  return Vector(values, ir->Intern(std::move(index)), 8, ir);
}

}  // namespace stablehlo_export
}  // namespace indim
