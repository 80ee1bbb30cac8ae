// SPDX-License-Identifier: Apache-2.0
// What stands behind the code of an attribute or type, once for both ways:
// `Archive` is an EntryReader, which fills the thing in, or an EntryWriter, for
// which it is const. A reader refuses what a program can't be.

#ifndef INDIM_STABLEHLO_BYTECODE_VISIT_ENTRY_H_
#define INDIM_STABLEHLO_BYTECODE_VISIT_ENTRY_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/codes.h"
#include "indim/stablehlo/bytecode/elements.h"
#include "indim/stablehlo/bytecode/entry_reader.h"
#include "indim/stablehlo/bytecode/quantized.h"
#include "indim/stablehlo/bytecode/structs.h"
#include "indim/stablehlo/bytecode/type_text.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/attribute_kind.h"

namespace indim::mlir {

// --- Builtin attributes ------------------------------------------------------

template <typename Archive, typename A>
void VisitInteger(A* a, Archive* archive) {
  if (!archive->ready()) return;
  const int bits = IntegerBits(archive->ir(), a->type);
  if (bits == 0) {
    return archive->Fail(
        "the type of an integer attribute isn't an integer type");
  }
  archive->Bits(&a->integer, bits);
  if constexpr (Archive::kReads) {
    const ElementType type = archive->ir().type(a->type).element_type;
    if (type == ElementType::kPred) {
      a->kind = AttrKind::kBool;
      a->type = {};
    } else if (!IsUnsigned(type) && bits < 64) {
      const uint64_t sign = uint64_t{1} << (bits - 1);
      a->integer = static_cast<int64_t>(
          (static_cast<uint64_t>(a->integer) ^ sign) - sign);
    }
  }
}

template <typename Archive, typename A>
void VisitFloat(A* a, Archive* archive) {
  if (!archive->ready()) return;
  const ElementTypeInfo& info = Info(archive->ir().type(a->type).element_type);
  if (info.kind != ElementKind::kFloat) {
    return archive->Fail("the type of a float attribute isn't a float type");
  }
  archive->Bits(&a->integer, info.bits);
}

template <typename Archive, typename A>
void VisitDictionary(A* a, Archive* archive) {
  archive->Count(&a->fields);
  for (auto& entry : a->fields) {
    archive->Name(&entry.name);
    archive->Attr(&entry.value);
  }
  if constexpr (Archive::kReads) {
    if (!archive->ready()) return;
    Ir& ir = archive->ir();
    *a = ir.attr(ir.DictionaryAttr(std::move(a->fields)));  // sorted
  }
}

// How many numbers, and their bytes.
template <typename Archive, typename A>
void VisitArray(A* a, Archive* archive) {
  const size_t bytes =
      static_cast<size_t>(ElementBytes(archive->ir(), a->type));
  int64_t size =
      static_cast<int64_t>(a->text.size() / std::max<size_t>(bytes, 1));
  archive->Varint(&size);
  archive->Blob(&a->text);
  if (!archive->ready()) return;
  if (Archive::kReads &&
      (bytes == 0 || a->text.size() % bytes != 0 ||
       a->text.size() / bytes != static_cast<uint64_t>(size))) {
    archive->Fail("the number of elements of an array doesn't fit its bytes");
  }
}

template <typename Archive, typename A>
void VisitElements(A* a, Archive* archive) {
  if constexpr (Archive::kReads) {
    archive->Blob(&a->text);
    if (!archive->ready()) return;
    const std::string error = UnpackElements(archive->ir(), a);
    if (!error.empty()) archive->Fail(error);
  } else {
    std::string buffer;
    archive->Blob(PackElements(archive->ir(), *a, &buffer));
  }
}

// How many numbers; line, column; then of the end the column, or line and
// column.
template <typename Archive, typename A>
void VisitRange(A* a, Archive* archive) {
  Ir& ir = archive->ir();
  if constexpr (Archive::kReads) {
    int64_t numbers[4] = {};
    const size_t count = archive->cursor().Index(5, "number of a location");
    for (size_t i = 0; i < count; ++i) archive->Varint(&numbers[i]);
    a->integer = numbers[0];
    a->column = numbers[1];
    if (count < 3) return;
    a->elements = {ir.IntegerAttr(numbers[count == 3 ? 0 : 2]),
                   ir.IntegerAttr(numbers[count - 1])};
  } else {
    const int64_t end_line = ir.attr(a->elements[0]).integer;
    archive->Number(end_line == a->integer ? 3 : 4);
    archive->Varint(&a->integer);
    archive->Varint(&a->column);
    if (end_line != a->integer) archive->Varint(&end_line);
    archive->Varint(&ir.attr(a->elements[1]).integer);
  }
}

// A child that isn't known isn't there.
template <typename Archive, typename A>
void VisitChild(A* a, Archive* archive) {
  std::vector<AttrId> child = a->elements;
  child.resize(1);
  archive->Location(&child[0]);
  archive->CheckLocations(child);
  if constexpr (Archive::kReads) {
    const Attribute& attribute = archive->ir().attr(child[0]);
    if (attribute.kind > AttrKind::kUnknownLoc) a->elements = child;
  }
}

template <typename Archive, typename A>
void VisitCallSite(A* a, Archive* archive) {
  if constexpr (Archive::kReads) a->elements.resize(2);
  if (a->elements.size() != 2) {
    return archive->Fail("a callsite has a callee and a caller");
  }
  for (auto& location : a->elements) archive->Location(&location);
  archive->CheckLocations(a->elements);
}

// --- Attributes of StableHLO -------------------------------------------------

// A word, by its number. The version of an API is its number in StableHLO.
template <typename Archive, typename A>
void VisitWord(absl::string_view name, A* a, Archive* archive) {
  Ir& ir = archive->ir();
  const WordsRow* const words = FindWords(name);
  if constexpr (!Archive::kReads) {
    const Attribute& value = ir.attr(ir.Find(*a, ""));
    const int64_t number =
        words == nullptr ? value.integer : NumberOf(*words, value.text);
    if (a->fields.size() != 1 || number < 0) {
      archive->Fail(absl::StrCat("the attribute #", name,
                                 " has no form in a portable artifact"));
    }
    archive->Varint(&number);
  } else if (words == nullptr) {
    const size_t number =
        archive->cursor().Index(5, "API version of custom calls");
    *a = ir.attr(
        ir.IntegerAttr(static_cast<int64_t>(number), ElementType::kS32));
  } else {
    const uint64_t number = archive->cursor().Varint();
    const uint64_t index = number - static_cast<uint64_t>(words->first);
    if (index < words->words.size()) {
      *a = ir.attr(ir.WordAttr(name, words->words[index]));
    } else {
      archive->Fail(absl::StrCat(name, " has no word ", number),
                    Code::kArtifactUnknown);
    }
  }
}

// A field of a struct. An Ir has an attribute for each.
template <typename Archive>
void VisitField(const FieldRow& field, AttrId* value, Archive* archive) {
  Ir& ir = archive->ir();
  std::vector<int64_t> integers;
  int64_t integer = ir.attr(*value).integer;
  switch (field.kind) {
    case ValueKind::kI64:
      archive->SignedVarint(&integer);
      *value = ir.IntegerAttr(integer);
      return;
    case ValueKind::kF64:
      archive->Bits(&integer, 64);
      *value = ir.FloatAttr(ir.ElementTypeId(ElementType::kF64),
                            static_cast<uint64_t>(integer));
      return;
    case ValueKind::kI64Array:
      if (!Archive::kReads && !ir.Integers(*value, &integers)) {
        return archive->Fail(
            "an attribute that must be a list of integers is another kind");
      }
      archive->SignedVarints(&integers);
      *value = ir.I64ArrayAttr(integers);
      return;
    default:
      break;
  }
  if (field.otherwise != DefaultValue::kAbsent) {
    archive->Attr(value);
  } else if (field.kind != ValueKind::kStruct) {
    archive->OptionalAttr(value);
  } else {  // VHLO tells by a number of its own whether a struct is there
    int64_t is_there = value->valid() ? 1 : 0;
    archive->Varint(&is_there);
    if (is_there != 0) archive->Attr(value);
  }
}

template <typename Archive, typename A>
void VisitStruct(const StructRow& row, A* a, Archive* archive) {
  Ir& ir = archive->ir();
  std::vector<AttrId> values(row.fields.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const FieldRow& field = row.fields[i];
    if constexpr (!Archive::kReads) {
      values[i] = FieldOf(*a, field, &ir);
      if (!values[i].valid() && field.otherwise != DefaultValue::kAbsent) {
        archive->Fail(absl::StrCat("#", a->text, " has no ", field.name));
      }
    }
    VisitField(field, &values[i], archive);
    // VHLO has no symbols, as which a mesh has its name.
    const Attribute& value = ir.attr(values[i]);
    if (Archive::kReads && field.kind == ValueKind::kAny &&
        value.kind == AttrKind::kString) {
      values[i] = ir.SymbolAttr(value.text);
    }
  }
  if constexpr (Archive::kReads) {
    if (archive->ready()) *a = ir.attr(MakeStruct(row, values, &ir));
  }
}

template <typename Archive, typename A>
void VisitNamed(absl::string_view name, A* a, Archive* archive) {
  if (const StructRow* const row = FindStruct(name)) {
    VisitStruct(*row, a, archive);
  } else if (name == kBoundsAttr) {
    // The encoding of a tensor type, which takes the bounds out of it.
    AttrId bounds = archive->ir().Find(*a, "");
    VisitField({"", "", ValueKind::kI64Array, "", DefaultValue::kNone, {}},
               &bounds, archive);
    if constexpr (Archive::kReads) {
      *a = archive->ir().attr(BoundsAttr(bounds, &archive->ir()));
    }
  } else {
    VisitWord(name, a, archive);
  }
}

// -----------------------------------------------------------------------------

template <typename Archive, typename A>
void VisitAttribute(const AttributeCode& code, A* a, Archive* archive) {
  switch (code.kind) {
    case AttrKind::kBool:
      return archive->Flag(&a->integer);
    case AttrKind::kInteger:
      archive->Type(&a->type);
      return VisitInteger(a, archive);
    case AttrKind::kFloat:
      archive->Type(&a->type);
      return VisitFloat(a, archive);
    case AttrKind::kString:
      archive->String(&a->text);
      if (code.extra == Extra::kType) archive->Type(&a->type);
      return;
    case AttrKind::kSymbol:
      archive->Name(&a->text);
      if (code.extra == Extra::kElements) archive->Attrs(&a->elements);
      return;
    case AttrKind::kType:
      return archive->Type(&a->type);
    case AttrKind::kArray:
      return archive->Attrs(&a->elements);
    case AttrKind::kDictionary:
      return VisitDictionary(a, archive);
    case AttrKind::kDense:
      archive->Type(&a->type);
      return VisitElements(a, archive);
    case AttrKind::kDenseArray:
      archive->Type(&a->type);
      return VisitArray(a, archive);
    case AttrKind::kDialect:
      return VisitNamed(code.name, a, archive);
    case AttrKind::kFileLoc:
      archive->Name(&a->text);
      if (code.extra == Extra::kEnd) return VisitRange(a, archive);
      archive->Varint(&a->integer);
      return archive->Varint(&a->column);
    case AttrKind::kNameLoc:
      archive->Name(&a->text);
      return VisitChild(a, archive);
    case AttrKind::kFusedLoc:
      archive->Attrs(&a->elements);
      archive->CheckLocations(a->elements);
      if (code.extra == Extra::kMetadata) archive->Attr(&a->metadata);
      return;
    case AttrKind::kCallSiteLoc:
      return VisitCallSite(a, archive);
    default:  // its kind says all
      return;
  }
}

// --- Types -------------------------------------------------------------------

// Four times the width, and the sign: 0 none, 1 signed, 2 unsigned.
template <typename Archive, typename T>
void VisitWidth(T* type, Archive* archive) {
  if constexpr (Archive::kReads) {
    const uint64_t value = archive->cursor().Varint();
    static constexpr absl::string_view kSigns[] = {"i", "si", "ui", ""};
    *type = TypeOfText(absl::StrCat(kSigns[value & 3], value >> 2), archive);
  } else {
    const ElementTypeInfo& info = Info(type->element_type);
    const bool is_bool = info.kind == ElementKind::kPred;
    archive->Number(static_cast<uint64_t>(is_bool ? 1 : info.bits) << 2 |
                    (info.kind == ElementKind::kUnsigned ? 2 : 0));
  }
}

template <typename Archive, typename T>
void VisitPart(T* type, Archive* archive) {
  TypeId part;
  if constexpr (!Archive::kReads) {
    part = archive->ir().ElementTypeId(RealPart(type->element_type));
  }
  archive->Type(&part);
  if constexpr (Archive::kReads) {
    if (archive->ready()) *type = ComplexType(archive->ir(), part);
  }
}

template <typename Archive>
void VisitScales(Quantized* q, Archive* archive) {
  if (q->per_axis) {
    archive->Varint(&q->axis);
  } else {
    q->scales.resize(1);
    q->zeros.resize(1);
    archive->Bits(&q->scales[0], 64);
    archive->SignedVarint(&q->zeros[0]);
  }
  archive->SignedVarint(&q->least);
  archive->SignedVarint(&q->most);
  if (!q->per_axis) return;
  archive->Count(&q->scales);
  for (int64_t& scale : q->scales) archive->Bits(&scale, 64);
  archive->SignedVarints(&q->zeros);
  if (q->zeros.size() != q->scales.size()) {
    archive->Fail("a quantized type must have as many zero points as scales");
  }
}

template <typename Archive, typename T>
void VisitQuantized(bool per_axis, T* type, Archive* archive) {
  Quantized q;
  if (!Archive::kReads && !ParseQuantized(type->text, &archive->ir(), &q)) {
    return archive->Fail(absl::StrCat("the type ", type->text,
                                      " has no form in a portable artifact"));
  }
  q.per_axis = per_axis;
  archive->Varint(&q.flags);
  archive->Type(&q.storage);
  archive->Type(&q.expressed);
  VisitScales(&q, archive);
  if constexpr (Archive::kReads) {
    if (!archive->ready()) return;
    type->text = TextOf(archive->ir(), q);
    if (type->text.empty()) {
      archive->Fail("a quantized type must store integers and express floats");
    }
  }
}

template <typename Archive, typename T>
void VisitTensor(const TypeCode& code, T* type, Archive* archive) {
  AttrId encoding;
  if (code.extra == Extra::kEncoding) {
    if constexpr (!Archive::kReads) {
      Ir& ir = archive->ir();
      encoding = BoundsAttr(ir.I64ArrayAttr(type->bounds), &ir);
    }
    archive->Attr(&encoding);
  }
  archive->SignedVarints(&type->dims);
  archive->Type(&type->element);
  if (code.extra == Extra::kLayout) return archive->Attr(&encoding);
  if constexpr (Archive::kReads) {
    if (archive->ready()) FinishTensor(encoding, type, archive);
  }
}

template <typename Archive, typename T>
void VisitType(const TypeCode& code, T* type, Archive* archive) {
  switch (code.kind) {
    case TypeKind::kElement:
      if (code.extra == Extra::kWidth) VisitWidth(type, archive);
      if (code.extra == Extra::kPart) VisitPart(type, archive);
      return;
    case TypeKind::kTensor:
    case TypeKind::kMemRef:
      return VisitTensor(code, type, archive);
    case TypeKind::kUnrankedTensor:
      return archive->Type(&type->element);
    case TypeKind::kTuple:
    case TypeKind::kFuture:
      return archive->Types(&type->parts);
    case TypeKind::kFunction:
      return archive->Signature(&type->parts, &type->input_count);
    case TypeKind::kQuantized:
      return VisitQuantized(code.extra == Extra::kAxis, type, archive);
    default:  // its kind says all
      return;
  }
}

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_VISIT_ENTRY_H_
