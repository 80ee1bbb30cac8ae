// The builtin dialect's attributes and types in bytecode, and what other
// dialects share with it.
//
// Source: MLIR, BuiltinDialectBytecode.td.

#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/shape/dims/checked_math.h"
#include "indim/stablehlo/bytecode/entries.h"
#include "indim/stablehlo/bytecode/type_text.h"

namespace indim::mlir {
namespace {

Attribute OfKind(AttrKind kind) {
  Attribute a;
  a.kind = kind;
  return a;
}

Attribute TextAttribute(AttrKind kind, absl::string_view text) {
  Attribute a = OfKind(kind);
  a.text = std::string(text);
  return a;
}

// A location that isn't known isn't there.
AttrId KnownLocation(AttrId id, EntryDecoder* in) {
  const AttrKind kind = in->ir().attr(id).kind;
  if (id.valid() && kind < AttrKind::kUnknownLoc) {
    in->Fail("a location refers to an attribute that isn't a location");
  }
  return kind == AttrKind::kUnknownLoc ? AttrId() : id;
}

std::vector<AttrId> DecodeLocations(EntryDecoder* in) {
  std::vector<AttrId> locations = in->Attrs();
  for (const AttrId id : locations) KnownLocation(id, in);
  return locations;
}

Attribute DecodeFileLocation(bool is_range, EntryDecoder* in) {
  Attribute a = TextAttribute(AttrKind::kFileLoc, in->StringAttr());
  if (!is_range) {
    a.integer = static_cast<int64_t>(in->cursor().Varint());
    a.column = static_cast<int64_t>(in->cursor().Varint());
    return a;
  }
  // Line, column; then of the end the column, or line and column.
  uint64_t numbers[4] = {};
  const size_t count = in->cursor().Index(5, "number of a location");
  for (size_t i = 0; i < count; ++i) numbers[i] = in->cursor().Varint();
  a.integer = static_cast<int64_t>(numbers[0]);
  a.column = static_cast<int64_t>(numbers[1]);
  if (count < 3) return a;
  const uint64_t end_line = count == 3 ? numbers[0] : numbers[2];
  for (const uint64_t end : {end_line, numbers[count - 1]}) {
    a.elements.push_back(in->ir().IntegerAttr(static_cast<int64_t>(end)));
  }
  return a;
}

Attribute DecodeDenseArray(EntryDecoder* in) {
  Attribute a = OfKind(AttrKind::kDenseArray);
  a.type = in->Type();
  const uint64_t size = in->cursor().Varint();
  const absl::string_view blob = in->cursor().Blob();
  if (!in->ready()) return {};
  const int bytes = ElementBytes(in->ir(), a.type);
  if (bytes == 0 || blob.size() / static_cast<size_t>(bytes) != size ||
      blob.size() % static_cast<size_t>(bytes) != 0) {
    in->Fail("the number of elements of an array doesn't fit its bytes");
  }
  a.text = std::string(blob);
  return a;
}

// An Ir extends the sign of integers of less than a byte; bytecode doesn't.
void ExtendSigns(ElementType type, std::string* bytes) {
  const ElementTypeInfo& info = Info(type);
  if (info.kind != ElementKind::kSigned || info.bits >= 8) return;
  const int sign = 1 << (info.bits - 1);
  for (char& c : *bytes) {
    const int low = static_cast<uint8_t>(c) & (2 * sign - 1);
    c = static_cast<char>((low ^ sign) - sign);
  }
}

// Packed bits as bytes, where there are fewer bytes than bools.
std::string UnpackBools(absl::string_view blob, uint64_t count) {
  if (blob.size() == 1 && blob[0] == '\xff') return std::string(1, '\1');
  if (blob.size() != count && blob.size() == (count + 7) / 8) {
    std::string bools(count, '\0');
    for (uint64_t i = 0; i < count; ++i) {
      bools[i] =
          static_cast<char>(static_cast<uint8_t>(blob[i / 8]) >> (i % 8) & 1);
    }
    return bools;
  }
  std::string bools(blob);
  for (char& c : bools) c = c != 0 ? 1 : 0;
  return bools;
}

}  // namespace

Attribute DecodeInteger(TypeId type, EntryDecoder* in) {
  if (!in->ready()) return {};
  const int bits = IntegerBits(in->ir(), type);
  if (bits == 0) {
    in->Fail("the type of an integer attribute isn't an integer type");
    return {};
  }
  uint64_t value = in->Bits(bits);
  const ElementTypeInfo& info = Info(in->ir().type(type).element_type);
  if (info.kind == ElementKind::kPred) {
    return in->ir().attr(in->ir().BoolAttr((value & 1) != 0));
  }
  if (info.kind != ElementKind::kUnsigned && bits < 64) {
    const uint64_t sign = uint64_t{1} << (bits - 1);
    value = (value ^ sign) - sign;
  }
  Attribute a = OfKind(AttrKind::kInteger);
  a.type = type;
  a.integer = static_cast<int64_t>(value);
  return a;
}

Attribute DecodeFloat(TypeId type, EntryDecoder* in) {
  if (!in->ready()) return {};
  const ElementTypeInfo& info = Info(in->ir().type(type).element_type);
  if (info.kind != ElementKind::kFloat) {
    in->Fail("the type of a float attribute isn't a float type");
    return {};
  }
  Attribute a = OfKind(AttrKind::kFloat);
  a.type = type;
  a.integer = static_cast<int64_t>(in->Bits(info.bits));
  return a;
}

Attribute DecodeElements(TypeId type, EntryDecoder* in) {
  const absl::string_view blob = in->cursor().Blob();
  if (!in->ready()) return {};
  const Type& tensor = in->ir().type(type);
  const int bytes = ElementBytes(in->ir(), tensor.element);
  bool good = tensor.kind == TypeKind::kTensor && bytes > 0;
  for (const int64_t dim : tensor.dims) good = good && dim >= 0;
  const std::optional<int64_t> product =
      good ? CheckedProduct(tensor.dims) : std::nullopt;
  if (!product.has_value()) {
    in->Fail(
        "the type of a dense attribute must be a tensor of numbers with known "
        "sizes");
    return {};
  }
  const int64_t count = *product;
  Attribute a = OfKind(AttrKind::kDense);
  a.type = type;
  const ElementType element = in->ir().type(tensor.element).element_type;
  a.text = element == ElementType::kPred
               ? UnpackBools(blob, static_cast<uint64_t>(count))
               : std::string(blob);
  ExtendSigns(element, &a.text);
  const size_t size = static_cast<size_t>(bytes);
  if (count == 0) a.text.clear();
  const bool whole = a.text.size() / size == static_cast<uint64_t>(count) &&
                     a.text.size() % size == 0;
  if (!whole && a.text.size() != size) {
    in->Fail(absl::StrCat(blob.size(), " bytes aren't the elements of ", count,
                          " times ", bytes, " bytes"));
    return a;
  }
  // Equal elements are one: their bytes equal themselves, an element later.
  a.splat =
      count > 0 && (!whole || std::memcmp(a.text.data(), a.text.data() + size,
                                          a.text.size() - size) == 0);
  if (a.splat) a.text.resize(size);
  return a;
}

Type DecodeTensor(bool has_encoding, EntryDecoder* in) {
  Type type;
  type.kind = TypeKind::kTensor;
  const AttrId encoding = has_encoding ? in->Attr() : AttrId();
  type.dims = in->SignedVarints();
  type.element = in->Type();
  if (!in->ready()) return {};
  for (const int64_t dim : type.dims) {
    if (dim < 0 && dim != kDynamic) in->Fail("a dimension is negative");
  }
  if (!IsElement(in->ir(), type.element)) {
    in->Fail("the element type of a tensor is another kind of type");
  }
  if (!encoding.valid()) return type;
  const Attribute& attribute = in->ir().attr(encoding);
  if (attribute.text != "stablehlo.bounds") {
    type.encoding = encoding;
    return type;
  }
  const AttrId bounds = in->ir().Find(attribute, "");
  if (!in->ir().Integers(bounds, &type.bounds) ||
      type.bounds.size() != type.dims.size()) {
    in->Fail("the bounds of a tensor must be as many as its dimensions");
  }
  for (const int64_t bound : type.bounds) {
    if (bound < 0 && bound != kDynamic) in->Fail("a bound is negative");
  }
  return type;
}

Type DecodeMemRef(EntryDecoder* in) {
  Type type;
  type.kind = TypeKind::kMemRef;
  type.dims = in->SignedVarints();
  type.element = in->Type();
  in->Attr();  // the layout
  return type;
}

Attribute DecodeBuiltinAttribute(uint64_t code, EntryDecoder* in) {
  Attribute a;
  switch (code) {
    case 0:
      a = OfKind(AttrKind::kArray);
      a.elements = in->Attrs();
      return a;
    case 1:
      return DecodeDictionary(in);
    case 2:
      return TextAttribute(AttrKind::kString, in->String());
    case 3:
      a = TextAttribute(AttrKind::kString, in->String());
      a.type = in->Type();
      return a;
    case 4:
      return TextAttribute(AttrKind::kSymbol, in->StringAttr());
    case 5:
      a = TextAttribute(AttrKind::kSymbol, in->StringAttr());
      a.elements = in->Attrs();
      return a;
    case 6:
      a = OfKind(AttrKind::kType);
      a.type = in->Type();
      return a;
    case 7:
      return OfKind(AttrKind::kUnit);
    case 8:
      return DecodeInteger(in->Type(), in);
    case 9:
      return DecodeFloat(in->Type(), in);
    case 10:
      a = OfKind(AttrKind::kCallSiteLoc);
      a.elements = {in->Attr(), in->Attr()};
      for (const AttrId id : a.elements) KnownLocation(id, in);
      return a;
    case 11:
    case 22:
      return DecodeFileLocation(code == 22, in);
    case 12:
    case 13:
      a = OfKind(AttrKind::kFusedLoc);
      a.elements = DecodeLocations(in);
      if (code == 13) a.metadata = in->Attr();
      return a;
    case 14: {
      a = TextAttribute(AttrKind::kNameLoc, in->StringAttr());
      const AttrId child = KnownLocation(in->Attr(), in);
      if (child.valid()) a.elements.push_back(child);
      return a;
    }
    case 15:
      return OfKind(AttrKind::kUnknownLoc);
    case 16:
      in->Fail(
          "the elements of a constant lie in a resource (dense_resource), "
          "which no portable artifact has",
          Code::kArtifactUnknown);
      return a;
    case 17:
      return DecodeDenseArray(in);
    case 18:
      return DecodeElements(in->Type(), in);
    default:
      in->Fail(absl::StrCat("there is no builtin attribute ", code,
                            " in a portable artifact"),
               Code::kArtifactUnknown);
      return a;
  }
}

Type DecodeBuiltinType(uint64_t code, EntryDecoder* in) {
  Type type;
  switch (code) {
    case 0: {
      const uint64_t value = in->cursor().Varint();
      static constexpr absl::string_view kSigns[] = {"i", "si", "ui", ""};
      return TypeOfText(absl::StrCat(kSigns[value & 3], value >> 2), in);
    }
    case 1:
      type.kind = TypeKind::kIndex;
      return type;
    case 2: {
      type.kind = TypeKind::kFunction;
      type.parts = in->Types();
      type.input_count = static_cast<uint32_t>(type.parts.size());
      const std::vector<TypeId> results = in->Types();
      type.parts.insert(type.parts.end(), results.begin(), results.end());
      return type;
    }
    case 3:
      return TypeOfText("bf16", in);
    case 4:
      return TypeOfText("f16", in);
    case 5:
      return TypeOfText("f32", in);
    case 6:
      return TypeOfText("f64", in);
    case 9: {
      const TypeId element = in->Type();
      return in->ready() ? ComplexType(in->ir(), element) : type;
    }
    case 10:
      return DecodeMemRef(in);
    case 12:
      return type;
    case 13:
    case 14:
      return DecodeTensor(code == 14, in);
    case 15:
      type.kind = TypeKind::kTuple;
      type.parts = in->Types();
      return type;
    case 18:
      type.kind = TypeKind::kUnrankedTensor;
      type.element = in->Type();
      return type;
    default:
      in->Fail(absl::StrCat("there is no builtin type ", code,
                            " in a portable artifact"),
               Code::kArtifactUnknown);
      return type;
  }
}

Type TypeOfText(absl::string_view text, EntryDecoder* in) {
  Type type;
  const ElementType element = ElementTypeOfText(text);
  if (element != ElementType::kInvalid) {
    type.kind = TypeKind::kElement;
    type.element_type = element;
    return type;
  }
  if (text.empty()) in->Fail("a type has no text");
  type.kind = absl::StartsWith(text, "!quant.") ? TypeKind::kQuantized
                                                : TypeKind::kOther;
  type.text = std::string(text);
  return type;
}

// #dialect.mnemonic<...> or #dialect<...>, as the reader of text keeps them:
// the mnemonic of the second is only told apart if it is Shardy's manual_axes.
Attribute AttributeOfText(absl::string_view text, EntryDecoder* in) {
  Attribute a = OfKind(AttrKind::kDialect);
  const size_t open = text.find('<');
  if (text.size() < 2 || text[0] != '#' || open == text.npos ||
      text.back() != '>') {
    in->Fail(absl::StrCat("the attribute '", text.substr(0, 80),
                          "' isn't one of a dialect"),
             Code::kArtifactUnknown);
    return a;
  }
  a.text = std::string(text.substr(1, open - 1));
  absl::string_view rest = text.substr(open + 1, text.size() - open - 2);
  if (a.text == "sdy" && absl::ConsumePrefix(&rest, "manual_axes")) {
    a.text = "sdy.manual_axes";
    rest = absl::StripLeadingAsciiWhitespace(rest);
  }
  a.fields.push_back({in->ir().Intern(""), in->ir().StringAttr(rest)});
  return a;
}

}  // namespace indim::mlir
