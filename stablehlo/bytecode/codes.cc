// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/codes.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"

namespace indim::mlir {
namespace {

#define INDIM_SHARDY_CODE(...)

constexpr AttributeCode kAttributes[] = {
#define INDIM_TYPE_CODE(...)
#define INDIM_ELEMENT_CODE(...)
#define INDIM_READ_ELEMENT_CODE(...)
#define INDIM_ATTRIBUTE_CODE(dialect, code, kind, extra, major, minor) \
  {Dialect::k##dialect, code, AttrKind::k##kind,                       \
   Extra::k##extra,     "",   {major, minor, 0}},
#define INDIM_NAMED_CODE(code, name, major, minor) \
  {Dialect::kVhlo, code, AttrKind::kDialect,       \
   Extra::kNone,   name, {major, minor, 0}},
#include "indim/stablehlo/bytecode/codes.def"
#undef INDIM_TYPE_CODE
#undef INDIM_ELEMENT_CODE
#undef INDIM_READ_ELEMENT_CODE
#undef INDIM_ATTRIBUTE_CODE
#undef INDIM_NAMED_CODE
};

constexpr TypeCode kTypes[] = {
#define INDIM_ATTRIBUTE_CODE(...)
#define INDIM_NAMED_CODE(...)
#define INDIM_TYPE_CODE(dialect, code, kind, extra, text, major, minor) \
  {Dialect::k##dialect,   code, TypeKind::k##kind, Extra::k##extra,     \
   ElementType::kInvalid, text, {major, minor, 0}},
#define INDIM_ELEMENT_CODE(dialect, code, element, major, minor)    \
  {Dialect::k##dialect,     code, TypeKind::kElement, Extra::kNone, \
   ElementType::k##element, "",   {major, minor, 0}},
#define INDIM_READ_ELEMENT_CODE(dialect, code, element)            \
  {Dialect::k##dialect,     code, TypeKind::kElement, Extra::kNew, \
   ElementType::k##element, "",   {0, 9, 0}},
#include "indim/stablehlo/bytecode/codes.def"
#undef INDIM_ATTRIBUTE_CODE
#undef INDIM_NAMED_CODE
#undef INDIM_TYPE_CODE
#undef INDIM_ELEMENT_CODE
#undef INDIM_READ_ELEMENT_CODE
};
#undef INDIM_SHARDY_CODE

// `extra` is what the attribute has.
bool Fits(const AttributeCode& code, const Attribute& a, Version target) {
  switch (a.kind) {
    case AttrKind::kString:
      return (code.extra == Extra::kType) == a.type.valid();
    case AttrKind::kSymbol:
      return (code.extra == Extra::kElements) == !a.elements.empty();
    case AttrKind::kFusedLoc:
      return (code.extra == Extra::kMetadata) == a.metadata.valid();
    case AttrKind::kFileLoc:
      // Older releases have the begin alone, whose row stands behind.
      return code.extra == Extra::kNone ||
             (a.elements.size() == 2 && !(target < code.since));
    case AttrKind::kDialect:
      return code.name == a.text;
    default:
      return true;
  }
}

bool Fits(const TypeCode& code, const Type& type) {
  const ElementType element = type.element_type;
  switch (code.extra) {
    case Extra::kWidth:
      return IsIntegral(element) || element == ElementType::kPred;
    case Extra::kPart:
      return IsComplex(element);
    case Extra::kEncoding:  // the builtin dialect has no bounds
      return code.dialect == Dialect::kVhlo && !type.bounds.empty();
    case Extra::kLayout:
    case Extra::kNew:
      return false;
    case Extra::kAxis:
      return absl::StrContains(type.text, '{');
    default:
      break;
  }
  if (type.kind == TypeKind::kQuantized) {
    return !absl::StrContains(type.text, '{');
  }
  return code.element == element && type.bounds.empty() &&
         (type.kind != TypeKind::kOther || code.text == type.text);
}

template <typename T, size_t size, typename Is>
const T* Find(const T (&codes)[size], Is is) {
  const T* const found = std::find_if(std::begin(codes), std::end(codes), is);
  return found == std::end(codes) ? nullptr : found;
}

}  // namespace

const AttributeCode* FindAttributeCode(Dialect dialect, uint64_t code) {
  return Find(kAttributes, [&](const AttributeCode& c) {
    return c.dialect == dialect && c.code == code;
  });
}

const TypeCode* FindTypeCode(Dialect dialect, uint64_t code) {
  return Find(kTypes, [&](const TypeCode& c) {
    return c.dialect == dialect && c.code == code;
  });
}

const AttributeCode* CodeOf(Dialect dialect, const Attribute& attribute,
                            Version target) {
  return Find(kAttributes, [&](const AttributeCode& c) {
    return c.dialect == dialect && c.kind == attribute.kind &&
           Fits(c, attribute, target);
  });
}

const TypeCode* CodeOf(Dialect dialect, const Type& type) {
  return Find(kTypes, [&](const TypeCode& c) {
    return c.dialect == dialect && c.kind == type.kind && Fits(c, type);
  });
}

}  // namespace indim::mlir
