#include "indim/stablehlo/bytecode/type_text.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace indim::mlir {
namespace {

// MLIR's spelling; empty: it has none.
std::string NameOf(const ElementTypeInfo& info) {
  switch (info.kind) {
    case ElementKind::kPred:
      return "i1";
    case ElementKind::kSigned:
      return info.bits == 1 ? "" : absl::StrCat("i", info.bits);
    case ElementKind::kUnsigned:
      return absl::StrCat("ui", info.bits);
    case ElementKind::kFloat:
      // f8e4m3fn is f8E4M3FN.
      return info.bits > 8
                 ? std::string(info.name)
                 : absl::StrCat(info.name.substr(0, 2),
                                absl::AsciiStrToUpper(info.name.substr(2)));
    case ElementKind::kComplex:
      return absl::StrCat("complex<f", info.bits / 2, ">");
    default:
      return "";
  }
}

absl::string_view NameOf(const Type& type) {
  static const auto* const kNames = [] {
    auto* names = new absl::flat_hash_map<ElementType, std::string>();
    for (const ElementTypeInfo& info : AllElementTypes()) {
      (*names)[info.type] = NameOf(info);
    }
    return names;
  }();
  if (type.kind != TypeKind::kElement) return type.text;
  const auto found = kNames->find(type.element_type);
  return found == kNames->end() ? "" : absl::string_view(found->second);
}

}  // namespace

ElementType ElementTypeOfText(absl::string_view text) {
  static const auto* const kTypes = [] {
    auto* types = new absl::flat_hash_map<std::string, ElementType>();
    for (const ElementTypeInfo& info : AllElementTypes()) {
      types->emplace(NameOf(info), info.type);
    }
    return types;
  }();
  const auto found = kTypes->find(text);
  if (text.empty() || found == kTypes->end()) return ElementType::kInvalid;
  return found->second;
}

std::string TextOfElement(const Type& type) {
  return std::string(NameOf(type));
}

Type ComplexType(const Ir& ir, TypeId element) {
  Type type;
  type.kind = TypeKind::kElement;
  const Type& part = ir.type(element);
  if (part.kind == TypeKind::kElement) {
    type.element_type =
        ComplexOf(part.element_type).value_or(ElementType::kInvalid);
  }
  if (type.element_type != ElementType::kInvalid) return type;
  type.kind = TypeKind::kOther;
  type.text = absl::StrCat("complex<", NameOf(part), ">");
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
  const ElementTypeInfo& info = Info(element.element_type);
  return info.bits == 0 ? 0 : std::max(info.bits / 8, 1);
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
