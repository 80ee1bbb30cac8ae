// Encodes attributes and types in VHLO's terms.
//
// Source: StableHLO, VhloBytecode.cpp and StablehloLegalizeToVhlo.cpp.

#include "indim/stablehlo/bytecode/encode_vhlo.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/structs.h"
#include "indim/stablehlo/bytecode/type_text.h"
#include "indim/stablehlo/bytecode/vhlo_table.h"

namespace indim::mlir {
namespace {

constexpr Encoding kVhlo = {"vhlo", true};

// The value of a field, with what leaving it out means; invalid: it has none.
AttrId Field(const Attribute& a, const FieldRow& field, Ir* ir) {
  const AttrId value = ir->Find(a, field.name);
  return value.valid() ? value : ValueOf(field.otherwise, field.kind, ir);
}

std::vector<int64_t> Integers(const Ir& ir, AttrId id, EntrySink* out) {
  std::vector<int64_t> values;
  if (!ir.Integers(id, &values))
    out->Fail("an attribute that must be a list of integers is another kind");
  return values;
}

// A word; false: the attribute isn't one.
bool EncodeWord(const Attribute& a, EntrySink* out) {
  const VhloWordCode* const row = FindVhloWord(a.text);
  if (row == nullptr || a.fields.size() != 1) return false;
  const std::string& word = out->ir().attr(a.fields[0].value).text;
  const int number = NumberOf(*FindWords(a.text), word);
  if (number < 0) return false;
  out->Need(row->since, absl::StrCat("#", a.text));
  out->Varint(row->code);
  out->Varint(static_cast<uint64_t>(number));
  return true;
}

struct StructCode {
  absl::string_view name;
  uint64_t code;
};
constexpr StructCode kStructs[] = {{"stablehlo.output_operand_alias", 10},
                                   {"stablehlo.result_accuracy", 20},
                                   {"stablehlo.sub_axis_info", 21},
                                   {"stablehlo.axis_ref", 22},
                                   {"stablehlo.replica_group_mesh_axes", 23},
                                   {"stablehlo.mesh_axis", 24},
                                   {"stablehlo.mesh", 25}};

// One field of a struct that VHLO has.
void EncodeField(const FieldRow& field, AttrId value, EntrySink* out) {
  const Attribute& a = out->ir().attr(value);
  switch (field.kind) {
    case ValueKind::kI64:
      return out->SignedVarint(a.integer);
    case ValueKind::kF64:
      return out->Bits(static_cast<uint64_t>(a.integer), 64);
    case ValueKind::kI64Array:
      return out->SignedVarints(Integers(out->ir(), value, out));
    default:
      return out->Attr(value, Terms::kVhlo);
  }
}

bool EncodeStruct(const Attribute& a, EntrySink* out) {
  for (const StructCode& known : kStructs) {
    if (known.name != a.text) continue;
    const StructRow& row = *FindStruct(a.text);
    out->Need(row.since, absl::StrCat("#", a.text));
    out->Varint(known.code);
    for (const FieldRow& field : row.fields) {
      const AttrId value = Field(a, field, &out->ir());
      if (field.otherwise == Otherwise::kAbsent && known.code == 22) {
        out->Varint(value.valid() ? 1 : 0);
        if (value.valid()) out->Attr(value, Terms::kVhlo);
      } else if (field.otherwise == Otherwise::kAbsent) {
        out->OptionalAttr(value, Terms::kVhlo);
      } else if (!value.valid()) {
        out->Fail(absl::StrCat("#", a.text, " has no ", field.name));
      } else {
        EncodeField(field, value, out);
      }
    }
    return true;
  }
  return false;
}

// An attribute that VHLO lacks stays builtin.
Encoding Keep(const Attribute& a, absl::string_view what, EntrySink* out) {
  out->NeedMixed(what);
  return EncodeAttribute(a, Terms::kBuiltin, out);
}

Encoding EncodeDialect(const Attribute& a, EntrySink* out) {
  if (a.text == "stablehlo.bounds") {
    out->Varint(18);
    out->SignedVarints(Integers(out->ir(), out->ir().Find(a, ""), out));
  } else if (a.text == kApiVersionAttr) {
    out->Varint(5);
    out->Varint(
        static_cast<uint64_t>(out->ir().attr(out->ir().Find(a, "")).integer));
  } else if (!EncodeWord(a, out) && !EncodeStruct(a, out)) {
    out->Fail(absl::StrCat("the attribute #", a.text,
                           " has no form in a portable artifact"));
  }
  return kVhlo;
}

Encoding EncodeArrayOfIntegers(const Attribute& a, EntrySink* out) {
  const int bytes = ElementBytes(out->ir(), a.type);
  const ElementType element = out->ir().type(a.type).element_type;
  if (element != ElementType::kS64 && element != ElementType::kPred) {
    return Keep(a, "an array of integers other than i64", out);
  }
  Type tensor;
  tensor.kind = TypeKind::kTensor;
  tensor.element = a.type;
  tensor.dims = {static_cast<int64_t>(a.text.size()) / bytes};
  Attribute dense;
  dense.kind = AttrKind::kDense;
  dense.type = out->ir().Intern(std::move(tensor));
  dense.text = a.text;
  out->Varint(15);
  out->Type(dense.type, Terms::kVhlo);
  EncodeElements(dense, out);
  return kVhlo;
}

void EncodeElementType(const Type& type, EntrySink* out) {
  if (IsComplex(type.element_type)) {
    out->Varint(1);
    out->Type(out->ir().ElementTypeId(RealPart(type.element_type)),
              Terms::kVhlo);
    return;
  }
  const VhloTypeCode* const row = FindVhloType(type.element_type);
  const std::string name = TextOfElement(type);
  if (row == nullptr) {
    out->Fail(
        absl::StrCat("the type ", name, " has no form in a portable artifact"));
    return;
  }
  out->Need(row->since, absl::StrCat("the type ", name));
  out->Varint(row->code);
}

void EncodeTensor(const Type& type, EntrySink* out) {
  if (type.encoding.valid()) {
    out->Fail("a tensor's encoding has no form in a portable artifact");
  }
  if (type.bounds.empty()) {
    out->Varint(20);
  } else {
    out->Varint(21);
    out->Attr(out->ir().DialectAttr("stablehlo.bounds",
                                    {{out->ir().Intern(""),
                                      out->ir().I64ArrayAttr(type.bounds)}}),
              Terms::kVhlo);
  }
  out->SignedVarints(type.dims);
  out->Type(type.element, Terms::kVhlo);
}

}  // namespace

Encoding EncodeVhloAttribute(const Attribute& a, EntrySink* out) {
  switch (a.kind) {
    case AttrKind::kBool:
      out->Varint(2);
      out->Varint(a.integer != 0 ? 1 : 0);
      return kVhlo;
    case AttrKind::kInteger:
      out->Varint(9);
      out->Type(a.type, Terms::kVhlo);
      EncodeInteger(a, out);
      return kVhlo;
    case AttrKind::kFloat:
      out->Varint(8);
      out->Type(a.type, Terms::kVhlo);
      EncodeFloat(a, out);
      return kVhlo;
    case AttrKind::kString:
      if (a.type.valid()) return Keep(a, "a string with a type", out);
      out->Varint(14);
      out->String(a.text);
      return kVhlo;
    case AttrKind::kSymbol:
      if (!a.elements.empty()) return Keep(a, "a nested symbol", out);
      out->Varint(14);
      out->String(a.text);
      return kVhlo;
    case AttrKind::kType:
      out->Varint(17);
      out->Type(a.type, Terms::kVhlo);
      return kVhlo;
    case AttrKind::kArray:
      out->Varint(1);
      out->Attrs(a.elements, Terms::kVhlo);
      return kVhlo;
    case AttrKind::kDictionary:
      out->Varint(6);
      out->Varint(a.fields.size());
      for (const NamedAttr& field : a.fields) {
        out->Attr(out->ir().StringAttr(out->ir().text(field.name)),
                  Terms::kVhlo);
        out->Attr(field.value, Terms::kVhlo);
      }
      return kVhlo;
    case AttrKind::kDense:
      out->Varint(15);
      out->Type(a.type, Terms::kVhlo);
      EncodeElements(a, out);
      return kVhlo;
    case AttrKind::kDenseArray:
      return EncodeArrayOfIntegers(a, out);
    case AttrKind::kDenseResource: {
      if (a.elements.empty()) {
        out->Fail(absl::StrCat("the elements of dense_resource<", a.text,
                               "> aren't in the file"));
        return kVhlo;
      }
      Attribute dense;
      dense.kind = AttrKind::kDense;
      dense.type = a.type;
      dense.text = out->ir().attr(a.elements[0]).text;
      out->Varint(15);
      out->Type(a.type, Terms::kVhlo);
      EncodeElements(dense, out);
      return kVhlo;
    }
    case AttrKind::kDialect:
      return EncodeDialect(a, out);
    default:
      return Keep(a, "an attribute without a value", out);
  }
}

Encoding EncodeVhloType(const Type& type, EntrySink* out) {
  switch (type.kind) {
    case TypeKind::kNone:
      out->Need({1, 6, 0}, "the type none");
      out->Varint(33);
      break;
    case TypeKind::kIndex:
      out->Varint(9);
      break;
    case TypeKind::kElement:
      EncodeElementType(type, out);
      break;
    case TypeKind::kTensor:
      EncodeTensor(type, out);
      break;
    case TypeKind::kUnrankedTensor:
      out->Varint(25);
      out->Type(type.element, Terms::kVhlo);
      break;
    case TypeKind::kMemRef:
      out->Need({1, 13, 0}, "a buffer (memref)");
      out->Varint(41);
      out->SignedVarints(type.dims);
      out->Type(type.element, Terms::kVhlo);
      break;
    case TypeKind::kTuple:
      out->Varint(23);
      out->Types(type.parts, 0, type.parts.size(), Terms::kVhlo);
      break;
    case TypeKind::kToken:
      out->Varint(22);
      break;
    case TypeKind::kFuture:
      out->Need({1, 15, 0}, "the type !stablehlo.future");
      out->Varint(42);
      out->Types(type.parts, 0, type.parts.size(), Terms::kVhlo);
      break;
    case TypeKind::kFunction:
      out->Varint(8);
      out->Types(type.parts, 0, type.input_count, Terms::kVhlo);
      out->Types(type.parts, type.input_count, type.parts.size(), Terms::kVhlo);
      break;
    case TypeKind::kQuantized:
      EncodeQuantized(type, out);
      break;
    default:
      if (type.text == "tf32") {
        out->Need({1, 6, 0}, "the type tf32");
        out->Varint(34);
      } else if (type.text == "!shape.witness") {
        out->Varint(26);
      } else {
        out->Fail(absl::StrCat("the type ", type.text,
                               " can't be written to a portable artifact"));
      }
  }
  return kVhlo;
}

}  // namespace indim::mlir
