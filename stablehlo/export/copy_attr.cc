#include "indim/stablehlo/export/copy_attr.h"

#include <utility>

namespace indim {
namespace stablehlo_export {

mlir::AttrId CopyAttr(const mlir::Ir& from, mlir::AttrId id, mlir::Ir* to) {
  if (!id.valid()) return {};
  mlir::Attribute a = from.attr(id);
  a.type = CopyType(from, a.type, to);
  for (mlir::AttrId& element : a.elements)
    element = CopyAttr(from, element, to);
  for (mlir::NamedAttr& field : a.fields) {
    field = {to->Intern(from.text(field.name)),
             CopyAttr(from, field.value, to)};
  }
  a.metadata = CopyAttr(from, a.metadata, to);
  return to->Intern(std::move(a));
}

mlir::TypeId CopyType(const mlir::Ir& from, mlir::TypeId id, mlir::Ir* to) {
  if (!id.valid()) return {};
  mlir::Type t = from.type(id);
  t.element = CopyType(from, t.element, to);
  t.encoding = CopyAttr(from, t.encoding, to);
  for (mlir::TypeId& part : t.parts) part = CopyType(from, part, to);
  return to->Intern(std::move(t));
}

}  // namespace stablehlo_export
}  // namespace indim
