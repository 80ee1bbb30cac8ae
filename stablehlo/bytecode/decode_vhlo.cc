// VHLO's attributes and types in bytecode, as what they stand for in StableHLO.
//
// Source: StableHLO, VhloBytecode.cpp.

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/entries.h"
#include "indim/stablehlo/bytecode/quantized.h"
#include "indim/stablehlo/bytecode/structs.h"
#include "indim/stablehlo/bytecode/type_text.h"
#include "indim/stablehlo/bytecode/vhlo_table.h"

namespace indim::mlir {
namespace {

// An attribute that is one word, or the version of custom calls' API.
Attribute DecodeWord(uint64_t code, EntryDecoder* in) {
  const uint64_t number = in->cursor().Varint();
  const VhloWordCode* const row = FindVhloWord(code);
  if (row == nullptr) {
    in->Fail(absl::StrCat("there is no VHLO attribute ", code,
                          " in this release of Indim"),
             Code::kArtifactUnknown);
    return {};
  }
  const WordsRow* const words = FindWords(row->attribute);
  const uint64_t first = static_cast<uint64_t>(words->first);
  if (number < first || number - first >= words->words.size()) {
    in->Fail(absl::StrCat(row->attribute, " has no word ", number),
             Code::kArtifactUnknown);
    return {};
  }
  return in->ir().attr(in->ir().WordAttr(
      row->attribute, words->words[static_cast<size_t>(number - first)]));
}

Attribute DecodeApiVersion(EntryDecoder* in) {
  const uint64_t number = in->cursor().Index(5, "API version of custom calls");
  return in->ir().attr(
      in->ir().IntegerAttr(static_cast<int64_t>(number), ElementType::kS32));
}

AttrId F64Attr(uint64_t bits, EntryDecoder* in) {
  Attribute a;
  a.kind = AttrKind::kFloat;
  a.type = in->ir().ElementTypeId(ElementType::kF64);
  a.integer = static_cast<int64_t>(bits);
  return in->ir().Intern(std::move(a));
}

// Structs, with the values of their fields in the table's order.
Attribute DecodeStruct(uint64_t code, EntryDecoder* in) {
  Ir& ir = in->ir();
  std::vector<AttrId> values;
  absl::string_view name;
  switch (code) {
    case 10:
      name = "stablehlo.output_operand_alias";
      values.push_back(ir.I64ArrayAttr(in->SignedVarints()));
      values.push_back(ir.IntegerAttr(in->cursor().SignedVarint()));
      values.push_back(ir.I64ArrayAttr(in->SignedVarints()));
      break;
    case 20:
      name = "stablehlo.result_accuracy";
      values.push_back(F64Attr(in->Bits(64), in));
      values.push_back(F64Attr(in->Bits(64), in));
      values.push_back(ir.IntegerAttr(in->cursor().SignedVarint()));
      values.push_back(in->Attr());
      break;
    case 21:
      name = "stablehlo.sub_axis_info";
      values.push_back(ir.IntegerAttr(in->cursor().SignedVarint()));
      values.push_back(ir.IntegerAttr(in->cursor().SignedVarint()));
      break;
    case 22:
      name = "stablehlo.axis_ref";
      values.push_back(in->Attr());
      values.push_back(in->cursor().Varint() != 0 ? in->Attr() : AttrId());
      break;
    case 23: {
      name = "stablehlo.replica_group_mesh_axes";
      const AttrId mesh = in->Attr();
      const Attribute& attribute = ir.attr(mesh);
      values.push_back(attribute.kind == AttrKind::kString
                           ? ir.SymbolAttr(attribute.text)
                           : mesh);
      values.push_back(in->Attr());
      break;
    }
    case 24:
      name = "stablehlo.mesh_axis";
      values.push_back(in->Attr());
      values.push_back(ir.IntegerAttr(in->cursor().SignedVarint()));
      break;
    default:
      name = "stablehlo.mesh";
      values.push_back(in->Attr());
      values.push_back(in->OptionalAttr());
  }
  if (!in->ready()) return {};
  return MakeStruct(*FindStruct(name), values, &ir);
}

Type OfKind(TypeKind kind) {
  Type type;
  type.kind = kind;
  return type;
}

Type DecodeParts(TypeKind kind, EntryDecoder* in) {
  Type type = OfKind(kind);
  type.parts = in->Types();
  if (kind != TypeKind::kFunction) return type;
  type.input_count = static_cast<uint32_t>(type.parts.size());
  const std::vector<TypeId> results = in->Types();
  type.parts.insert(type.parts.end(), results.begin(), results.end());
  return type;
}

}  // namespace

Attribute DecodeVhloAttribute(uint64_t code, EntryDecoder* in) {
  Attribute a;
  switch (code) {
    case 1:
      a.kind = AttrKind::kArray;
      a.elements = in->Attrs();
      return a;
    case 2:
      a.kind = AttrKind::kBool;
      a.integer = static_cast<int64_t>(in->cursor().Index(2, "bool"));
      return a;
    case 5:
      return DecodeApiVersion(in);
    case 6:
      return DecodeDictionary(in);
    case 8:
      return DecodeFloat(in->Type(), in);
    case 9:
      return DecodeInteger(in->Type(), in);
    case 14:
      a.kind = AttrKind::kString;
      a.text = std::string(in->String());
      return a;
    case 15:
      return DecodeElements(in->Type(), in);
    case 17:
      a.kind = AttrKind::kType;
      a.type = in->Type();
      return a;
    case 18:
      // The encoding of a tensor type, which takes the bounds out of it.
      a.kind = AttrKind::kDialect;
      a.text = "stablehlo.bounds";
      a.fields.push_back(
          {in->ir().Intern(""), in->ir().I64ArrayAttr(in->SignedVarints())});
      return a;
    case 10:
    case 20:
    case 21:
    case 22:
    case 23:
    case 24:
    case 25:
      return DecodeStruct(code, in);
    default:
      return DecodeWord(code, in);
  }
}

Type DecodeVhloType(uint64_t code, EntryDecoder* in) {
  Type type;
  switch (code) {
    case 1: {
      const TypeId element = in->Type();
      return in->ready() ? ComplexType(in->ir(), element) : type;
    }
    case 8:
      return DecodeParts(TypeKind::kFunction, in);
    case 9:
      return OfKind(TypeKind::kIndex);
    case 20:
    case 21:
      return DecodeTensor(code == 21, in);
    case 22:
      return OfKind(TypeKind::kToken);
    case 23:
      return DecodeParts(TypeKind::kTuple, in);
    case 24:
      return DecodeQuantized(in);
    case 25:
      type = OfKind(TypeKind::kUnrankedTensor);
      type.element = in->Type();
      return type;
    case 26:
      return TypeOfText("!shape.witness", in);
    case 30:
      return DecodeQuantizedPerAxis(in);
    case 33:
      return type;
    case 34:
      return TypeOfText("tf32", in);
    case 41:
      type = DecodeTensor(/*has_encoding=*/false, in);
      type.kind = TypeKind::kMemRef;
      return type;
    case 42:
      return DecodeParts(TypeKind::kFuture, in);
    default:
      break;
  }
  const VhloTypeCode* const row = FindVhloType(code);
  if (row == nullptr) {
    in->Fail(absl::StrCat("there is no VHLO type ", code,
                          " in this release of Indim"),
             Code::kArtifactUnknown);
    return type;
  }
  type.kind = TypeKind::kElement;
  type.element_type = row->type;
  return type;
}

}  // namespace indim::mlir
