#include "indim/stablehlo/export/literal_attr.h"

#include <algorithm>
#include <utility>

#include "indim/ir/storage/literal_bytes.h"

namespace indim::stablehlo_export {
namespace {

// A dense attribute of a vector whose elements take `size` bytes.
AttrId Vector(absl::Span<const int64_t> values, TypeId element, int size,
              Ir* ir) {
  mlir::Type type(TypeKind::kTensor);
  type.element = element;
  type.dims = {static_cast<int64_t>(values.size())};
  mlir::Attribute a(AttrKind::kDense, ir->Intern(std::move(type)));
  a.splat = !values.empty() &&
            std::all_of(values.begin(), values.end(),
                        [&](int64_t v) { return v == values.front(); });
  for (const int64_t value : a.splat ? values.first(1) : values) {
    AppendBits(static_cast<uint64_t>(value), size, &a.text);
  }
  return ir->Intern(std::move(a));
}

}  // namespace

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
  return Vector(values, ir->ElementTypeId(type), ElementBytes(type), ir);
}

AttrId IndexVector(absl::Span<const int64_t> values, Ir* ir) {
  return Vector(values, ir->Intern(mlir::Type(TypeKind::kIndex)), 8, ir);
}

}  // namespace indim::stablehlo_export
