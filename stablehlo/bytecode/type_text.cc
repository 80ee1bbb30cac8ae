// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/type_text.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/stablehlo/mlir/spelling.h"

namespace indim::mlir {

std::string TextOfElement(const Type& type) {
  return type.kind == TypeKind::kElement
             ? std::string(NameOf(type.element_type))
             : type.text;
}

Type ComplexType(const Ir& ir, TypeId element) {
  Type type(TypeKind::kElement);
  const Type& part = ir.type(element);
  if (part.kind == TypeKind::kElement) {
    type.element_type =
        ComplexOf(part.element_type).value_or(ElementType::kInvalid);
  }
  if (type.element_type != ElementType::kInvalid) return type;
  type.kind = TypeKind::kOther;
  type.text = absl::StrCat("complex<", TextOfElement(part), ">");
  return type;
}

bool IsElement(const Ir& ir, TypeId type) {
  switch (ir.type(type).kind) {
    case TypeKind::kElement:
    case TypeKind::kIndex:
    case TypeKind::kQuantized:
    case TypeKind::kOther:
      return true;
    default:
      return false;
  }
}

int ElementBytes(const Ir& ir, TypeId type) {
  const Type& element = ir.type(type);
  if (element.kind == TypeKind::kIndex) return 8;
  if (element.kind != TypeKind::kElement) return 0;
  return ElementBytes(element.element_type);
}

int IntegerBits(const Ir& ir, TypeId type) {
  const Type& t = ir.type(type);
  if (t.kind == TypeKind::kIndex) return 64;
  if (t.kind == TypeKind::kElement) {
    const ElementTypeInfo& info = Info(t.element_type);
    if (info.kind == ElementKind::kPred) return 1;
    return IsIntegral(info.type) ? info.bits : 0;
  }
  // si8, i3.
  absl::string_view text = t.text;
  int bits = 0;
  for (const absl::string_view sign : {"si", "ui", "i"}) {
    if (t.kind == TypeKind::kOther && absl::ConsumePrefix(&text, sign)) {
      return absl::SimpleAtoi(text, &bits) && bits > 0 && bits <= 64 ? bits : 0;
    }
  }
  return 0;
}

}  // namespace indim::mlir
