// Encodes attributes and types in the builtin dialect's terms and, by way of
// encode_vhlo.cc, in VHLO's.
//
// Source: MLIR, BuiltinDialectBytecode.td.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/encode_vhlo.h"
#include "indim/stablehlo/bytecode/entry_sink.h"
#include "indim/stablehlo/bytecode/type_text.h"

namespace indim::mlir {
namespace {

constexpr Encoding kBuiltin = {"builtin", true};
constexpr Encoding kText = {"builtin", false};

void AttrOrUnknown(AttrId location, EntrySink* out) {
  if (!location.valid()) {
    Attribute unknown;
    unknown.kind = AttrKind::kUnknownLoc;
    location = out->ir().Intern(std::move(unknown));
  }
  out->Attr(location, Terms::kBuiltin);
}

void Name(absl::string_view text, EntrySink* out) {
  out->Attr(out->ir().StringAttr(text), Terms::kBuiltin);
}

void EncodeDictionary(const Attribute& a, Terms terms, EntrySink* out) {
  const Terms values =
      terms == Terms::kVhloValues ? Terms::kVhlo : Terms::kBuiltin;
  out->Varint(1);
  out->Varint(a.fields.size());
  for (const NamedAttr& field : a.fields) {
    Name(out->ir().text(field.name), out);
    out->Attr(field.value, values);
  }
}

void EncodeFileLocation(const Attribute& a, EntrySink* out) {
  const bool is_range =
      a.elements.size() == 2 && !(out->target() < Version{1, 9, 0});
  out->Varint(is_range ? 22 : 11);
  Name(a.text, out);
  const uint64_t line = static_cast<uint64_t>(a.integer);
  const uint64_t column = static_cast<uint64_t>(a.column);
  if (!is_range) {
    out->Varint(line);
    out->Varint(column);
    return;
  }
  const Ir& ir = out->ir();
  const uint64_t end_line =
      static_cast<uint64_t>(ir.attr(a.elements[0]).integer);
  const uint64_t end_column =
      static_cast<uint64_t>(ir.attr(a.elements[1]).integer);
  out->Varint(line == end_line ? 3 : 4);
  out->Varint(line);
  out->Varint(column);
  if (line != end_line) out->Varint(end_line);
  out->Varint(end_column);
}

Encoding EncodeLocation(const Attribute& a, EntrySink* out) {
  switch (a.kind) {
    case AttrKind::kFileLoc:
      EncodeFileLocation(a, out);
      break;
    case AttrKind::kNameLoc:
      out->Varint(14);
      Name(a.text, out);
      AttrOrUnknown(a.elements.empty() ? AttrId() : a.elements[0], out);
      break;
    case AttrKind::kFusedLoc:
      out->Varint(a.metadata.valid() ? 13 : 12);
      out->Attrs(a.elements, Terms::kBuiltin);
      if (a.metadata.valid()) out->Attr(a.metadata, Terms::kBuiltin);
      break;
    case AttrKind::kCallSiteLoc:
      out->Varint(10);
      if (a.elements.size() != 2) {
        out->Fail("a callsite has a callee and a caller");
        break;
      }
      AttrOrUnknown(a.elements[0], out);
      AttrOrUnknown(a.elements[1], out);
      break;
    default:
      out->Varint(15);
  }
  return kBuiltin;
}

// #sdy.sharding<...>, #sdy<...>; #sdy<manual_axes{...}> alone is told apart.
Encoding EncodeShardy(const Attribute& a, EntrySink* out) {
  const std::string& inner =
      a.fields.empty() ? a.text : out->ir().attr(a.fields[0].value).text;
  out->Raw(a.text == "sdy.manual_axes"
               ? absl::StrCat("#sdy<manual_axes", inner, ">")
               : absl::StrCat("#", a.text, "<", inner, ">"));
  out->Byte(0);
  return {"sdy", false};
}

// Eight bools a byte; a splat is all bits of a byte.
void EncodeBools(const Attribute& a, EntrySink* out) {
  if (a.text.size() == 1 && a.splat) {
    return out->Blob(a.text[0] != 0 ? "\xff" : absl::string_view("\0", 1));
  }
  std::string packed((a.text.size() + 7) / 8, '\0');
  for (size_t i = 0; i < a.text.size(); ++i) {
    if (a.text[i] == 0) continue;
    packed[i / 8] =
        static_cast<char>(static_cast<uint8_t>(packed[i / 8]) | 1 << (i % 8));
  }
  out->Blob(packed);
}

Encoding EncodeBuiltinAttribute(const Attribute& a, Terms terms,
                                EntrySink* out) {
  switch (a.kind) {
    case AttrKind::kUnit:
      out->Varint(7);
      break;
    case AttrKind::kBool:
      out->Varint(8);
      out->Type(out->ir().ElementTypeId(ElementType::kPred), Terms::kBuiltin);
      out->Byte(a.integer != 0 ? 1 : 0);
      break;
    case AttrKind::kInteger:
      out->Varint(8);
      out->Type(a.type, Terms::kBuiltin);
      EncodeInteger(a, out);
      break;
    case AttrKind::kFloat:
      out->Varint(9);
      out->Type(a.type, Terms::kBuiltin);
      EncodeFloat(a, out);
      break;
    case AttrKind::kString:
      out->Varint(a.type.valid() ? 3 : 2);
      out->String(a.text);
      if (a.type.valid()) out->Type(a.type, Terms::kBuiltin);
      break;
    case AttrKind::kSymbol:
      out->Varint(a.elements.empty() ? 4 : 5);
      Name(a.text, out);
      if (!a.elements.empty()) out->Attrs(a.elements, Terms::kBuiltin);
      break;
    case AttrKind::kType:
      out->Varint(6);
      out->Type(a.type, Terms::kBuiltin);
      break;
    case AttrKind::kArray:
      out->Varint(0);
      out->Attrs(a.elements, Terms::kBuiltin);
      break;
    case AttrKind::kDictionary:
      EncodeDictionary(a, terms, out);
      break;
    case AttrKind::kDense:
      out->Varint(18);
      out->Type(a.type, Terms::kBuiltin);
      EncodeElements(a, out);
      break;
    case AttrKind::kDenseArray: {
      out->Varint(17);
      out->Type(a.type, Terms::kBuiltin);
      const int bytes = std::max(ElementBytes(out->ir(), a.type), 1);
      out->Varint(a.text.size() / static_cast<size_t>(bytes));
      out->Blob(a.text);
      break;
    }
    default:
      out->Fail(absl::StrCat("the attribute #", a.text,
                             " has no form in a portable artifact here"));
  }
  return kBuiltin;
}

Encoding EncodeBuiltinText(absl::string_view text, EntrySink* out) {
  out->Raw(text);
  out->Byte(0);
  return kText;
}

Encoding EncodeBuiltinElement(const Type& type, EntrySink* out) {
  const ElementTypeInfo& info = Info(type.element_type);
  switch (info.kind) {
    case ElementKind::kPred:
      out->Varint(0);
      out->Varint(1 << 2);
      return kBuiltin;
    case ElementKind::kSigned:
    case ElementKind::kUnsigned:
      out->Varint(0);
      out->Varint(static_cast<uint64_t>(info.bits) << 2 |
                  (info.kind == ElementKind::kUnsigned ? 2 : 0));
      return kBuiltin;
    case ElementKind::kComplex:
      out->Varint(9);
      out->Type(out->ir().ElementTypeId(RealPart(info.type)), Terms::kBuiltin);
      return kBuiltin;
    default:
      break;
  }
  static constexpr ElementType kFloats[] = {
      ElementType::kBF16, ElementType::kF16, ElementType::kF32,
      ElementType::kF64};
  for (uint64_t i = 0; i < 4; ++i) {
    if (kFloats[i] != info.type) continue;
    out->Varint(3 + i);
    return kBuiltin;
  }
  return EncodeBuiltinText(TextOfElement(type), out);
}

Encoding EncodeBuiltinType(const Type& type, EntrySink* out) {
  switch (type.kind) {
    case TypeKind::kNone:
      out->Varint(12);
      return kBuiltin;
    case TypeKind::kIndex:
      out->Varint(1);
      return kBuiltin;
    case TypeKind::kElement:
      return EncodeBuiltinElement(type, out);
    case TypeKind::kTensor:
      if (type.encoding.valid() || !type.bounds.empty()) break;
      out->Varint(13);
      out->SignedVarints(type.dims);
      out->Type(type.element, Terms::kBuiltin);
      return kBuiltin;
    case TypeKind::kUnrankedTensor:
      out->Varint(18);
      out->Type(type.element, Terms::kBuiltin);
      return kBuiltin;
    case TypeKind::kTuple:
      out->Varint(15);
      out->Types(type.parts, 0, type.parts.size(), Terms::kBuiltin);
      return kBuiltin;
    case TypeKind::kFunction:
      out->Varint(2);
      out->Types(type.parts, 0, type.input_count, Terms::kBuiltin);
      out->Types(type.parts, type.input_count, type.parts.size(),
                 Terms::kBuiltin);
      return kBuiltin;
    case TypeKind::kToken:
      out->Raw("!stablehlo.token");
      out->Byte(0);
      return {"stablehlo", false};
    case TypeKind::kOther:
      if (!absl::StartsWith(type.text, "!")) {
        return EncodeBuiltinText(type.text, out);
      }
      break;
    default:
      break;
  }
  out->Fail(
      "an operation of another dialect has a type with bounds, or a type "
      "that no portable artifact can hold outside StableHLO's operations");
  return kBuiltin;
}

}  // namespace

void EncodeInteger(const Attribute& a, EntrySink* out) {
  const int bits = IntegerBits(out->ir(), a.type);
  if (bits == 0)
    out->Fail("the type of an integer attribute isn't an integer type");
  out->Bits(static_cast<uint64_t>(a.integer), std::max(bits, 1));
}

void EncodeFloat(const Attribute& a, EntrySink* out) {
  const ElementTypeInfo& info = Info(out->ir().type(a.type).element_type);
  if (info.kind != ElementKind::kFloat) {
    out->Fail("the type of a float attribute isn't a float type");
  }
  out->Bits(static_cast<uint64_t>(a.integer), std::max(info.bits, 1));
}

void EncodeElements(const Attribute& a, EntrySink* out) {
  const ElementTypeInfo& info =
      Info(out->ir().type(out->ir().type(a.type).element).element_type);
  if (info.kind == ElementKind::kPred) return EncodeBools(a, out);
  if (info.kind != ElementKind::kSigned || info.bits >= 8) {
    return out->Blob(a.text);
  }
  // The low bits alone.
  std::string bytes = a.text;
  for (char& c : bytes) {
    c = static_cast<char>(static_cast<uint8_t>(c) & ((1 << info.bits) - 1));
  }
  out->Blob(bytes);
}

Encoding EncodeAttribute(const Attribute& a, Terms terms, EntrySink* out) {
  if (a.kind >= AttrKind::kUnknownLoc) return EncodeLocation(a, out);
  if (a.kind == AttrKind::kDialect &&
      (a.text == "sdy" || absl::StartsWith(a.text, "sdy."))) {
    out->NeedMixed(absl::StrCat("the attribute #", a.text));
    return EncodeShardy(a, out);
  }
  if (terms == Terms::kVhlo) return EncodeVhloAttribute(a, out);
  return EncodeBuiltinAttribute(a, terms, out);
}

Encoding EncodeType(const Type& type, Terms terms, EntrySink* out) {
  return terms == Terms::kVhlo ? EncodeVhloType(type, out)
                               : EncodeBuiltinType(type, out);
}

}  // namespace indim::mlir
