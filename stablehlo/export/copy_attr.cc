#include "indim/stablehlo/export/copy_attr.h"

#include <utility>

namespace indim::stablehlo_export {

AttrId CopyAttr(const Ir& from, AttrId id, Ir* to) {
  if (!id.valid()) return {};
  mlir::Attribute a = from.attr(id);
  a.type = CopyType(from, a.type, to);
  for (AttrId& element : a.elements) element = CopyAttr(from, element, to);
  for (NamedAttr& field : a.fields) {
    field = {to->Intern(from.text(field.name)),
             CopyAttr(from, field.value, to)};
  }
  a.metadata = CopyAttr(from, a.metadata, to);
  return to->Intern(std::move(a));
}

TypeId CopyType(const Ir& from, TypeId id, Ir* to) {
  if (!id.valid()) return {};
  mlir::Type t = from.type(id);
  t.element = CopyType(from, t.element, to);
  t.encoding = CopyAttr(from, t.encoding, to);
  for (TypeId& part : t.parts) part = CopyType(from, part, to);
  return to->Intern(std::move(t));
}

}  // namespace indim::stablehlo_export
