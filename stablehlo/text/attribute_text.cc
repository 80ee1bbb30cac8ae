// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/attribute_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/mlir/spelling.h"
#include "indim/stablehlo/text/append_list.h"
#include "indim/stablehlo/text/dense_text.h"
#include "indim/stablehlo/text/mlir_float_text.h"
#include "indim/stablehlo/text/mlir_lexer.h"

namespace indim::mlir {
namespace {

void AppendSize(int64_t size, std::string* out) {
  if (size == kDynamic) {
    out->push_back('?');
  } else {
    absl::StrAppend(out, size);
  }
}

}  // namespace

void AppendName(absl::string_view name, std::string* out) {
  if (IsBareName(name)) {
    out->append(name.data(), name.size());
  } else {
    AppendQuoted(name, out);
  }
}

void AppendSymbol(absl::string_view name, std::string* out) {
  out->push_back('@');
  AppendName(name, out);
}

std::string TypeText(const Ir& ir, TypeId type) {
  return AttributePrinter(ir).Type(type);
}

std::string AttributeText(const Ir& ir, AttrId attribute) {
  std::string text;
  AttributePrinter(ir).Attribute(attribute, &text);
  return text;
}

// --- Types -------------------------------------------------------------------

const std::string& AttributePrinter::Type(TypeId type) {
  if (type.index >= types_.size()) {
    if (!type.valid()) {
      static const auto* const none = new std::string("none");
      return *none;
    }
    types_.resize(type.index + 1);
  }
  if (types_[type.index].empty()) {
    std::string text;
    MakeType(type, &text);
    types_[type.index] = std::move(text);
  }
  return types_[type.index];
}

void AttributePrinter::Types(absl::Span<const TypeId> types, std::string* out) {
  AppendList(types.size(), out, [&](size_t i) { out->append(Type(types[i])); });
}

void AttributePrinter::Function(absl::Span<const TypeId> inputs,
                                absl::Span<const TypeId> results,
                                std::string* out) {
  out->push_back('(');
  Types(inputs, out);
  out->push_back(')');
  Results(results, out);
}

void AttributePrinter::Results(absl::Span<const TypeId> results,
                               std::string* out) {
  const bool alone =
      results.size() == 1 && ir_.type(results[0]).kind != TypeKind::kFunction;
  out->append(alone ? " -> " : " -> (");
  Types(results, out);
  if (!alone) out->push_back(')');
}

void AttributePrinter::MakeType(TypeId id, std::string* out) {
  const indim::mlir::Type& type = ir_.type(id);
  switch (type.kind) {
    case TypeKind::kNone:
      out->append("none");
      return;
    case TypeKind::kIndex:
      out->append("index");
      return;
    case TypeKind::kElement:
      absl::StrAppend(out, NameOf(type.element_type));
      return;
    case TypeKind::kTensor:
    case TypeKind::kUnrankedTensor:
      return Shaped(type, "tensor<", out);
    case TypeKind::kMemRef:
      return Shaped(type, "memref<", out);
    case TypeKind::kTuple:
    case TypeKind::kFuture:
      out->append(type.kind == TypeKind::kTuple ? "tuple<"
                                                : "!stablehlo.future<");
      Types(type.parts, out);
      out->push_back('>');
      return;
    case TypeKind::kToken:
      out->append("!stablehlo.token");
      return;
    case TypeKind::kFunction: {
      const auto parts = absl::MakeConstSpan(type.parts);
      return Function(parts.first(type.input_count),
                      parts.subspan(type.input_count), out);
    }
    case TypeKind::kQuantized:
    case TypeKind::kOther:
      out->append(type.text);
      return;
  }
}

void AttributePrinter::Shaped(const indim::mlir::Type& type,
                              absl::string_view name, std::string* out) {
  absl::StrAppend(out, name);
  if (type.kind == TypeKind::kUnrankedTensor) out->append("*x");
  for (const int64_t dim : type.dims) {
    AppendSize(dim, out);
    out->push_back('x');
  }
  std::string element;
  MakeType(type.element, &element);
  out->append(element);
  if (!type.bounds.empty()) {
    out->append(", #stablehlo.bounds<");
    AppendList(type.bounds.size(), out,
               [&](size_t i) { AppendSize(type.bounds[i], out); });
    out->push_back('>');
  } else if (type.encoding.valid()) {
    out->append(", ");
    Attribute(type.encoding, out);
  }
  out->push_back('>');
}

// --- Attributes --------------------------------------------------------------

void AttributePrinter::Attribute(AttrId id, std::string* out, bool in_list) {
  const indim::mlir::Attribute& a = ir_.attr(id);
  switch (a.kind) {
    case AttrKind::kUnit:
      out->append("unit");
      return;
    case AttrKind::kBool:
      out->append(a.integer != 0 ? "true" : "false");
      return;
    case AttrKind::kInteger:
    case AttrKind::kFloat:
      return Number(a, in_list, out);
    case AttrKind::kString:
      AppendQuoted(a.text, out);
      if (a.type.valid()) absl::StrAppend(out, " : ", Type(a.type));
      return;
    case AttrKind::kSymbol:
      AppendSymbol(a.text, out);
      for (const AttrId nested : a.elements) {
        out->append("::");
        AppendSymbol(ir_.attr(nested).text, out);
      }
      return;
    case AttrKind::kType:
      out->append(Type(a.type));
      return;
    case AttrKind::kArray:
      out->push_back('[');
      AppendList(a.elements.size(), out,
                 [&](size_t i) { Attribute(a.elements[i], out, true); });
      out->push_back(']');
      return;
    case AttrKind::kDictionary:
      return Dictionary(a.fields, out);
    case AttrKind::kDense:
      return Dense(a, out);
    case AttrKind::kDenseArray:
      absl::StrAppend(out, "array<", Type(a.type));
      if (!a.text.empty()) out->append(": ");
      DenseElements(a, out);
      out->push_back('>');
      return;
    case AttrKind::kDenseResource:
      out->append("dense_resource<");
      AppendName(a.text, out);
      absl::StrAppend(out, "> : ", Type(a.type));
      return;
    case AttrKind::kDialect:
      return Dialect(id, out);
    case AttrKind::kUnknownLoc:
    case AttrKind::kFileLoc:
    case AttrKind::kNameLoc:
    case AttrKind::kFusedLoc:
    case AttrKind::kCallSiteLoc:
      out->append("loc(");
      Location(id, out);
      out->push_back(')');
      return;
  }
}

void AttributePrinter::Number(const indim::mlir::Attribute& a, bool in_list,
                              std::string* out) {
  const ElementType type = ir_.type(a.type).element_type;
  if (a.kind == AttrKind::kFloat) {
    AppendFloat(type, static_cast<uint64_t>(a.integer), out);
    if (in_list && type == ElementType::kF64) return;
  } else {
    if (IsUnsigned(type)) {
      absl::StrAppend(out, static_cast<uint64_t>(a.integer));
    } else {
      absl::StrAppend(out, a.integer);
    }
    if (in_list && type == ElementType::kS64) return;
  }
  absl::StrAppend(out, " : ", Type(a.type));
}

void AttributePrinter::Entry(const NamedAttr& entry, std::string* out) {
  AppendName(ir_.text(entry.name), out);
  if (ir_.attr(entry.value).kind == AttrKind::kUnit) return;
  out->append(" = ");
  Attribute(entry.value, out);
}

void AttributePrinter::Dictionary(absl::Span<const NamedAttr> entries,
                                  std::string* out) {
  out->push_back('{');
  AppendList(entries.size(), out, [&](size_t i) { Entry(entries[i], out); });
  out->push_back('}');
}

void AttributePrinter::Short(ValueKind kind, AttrId value, std::string* out) {
  const indim::mlir::Attribute& a = ir_.attr(value);
  switch (kind) {
    case ValueKind::kI32:
    case ValueKind::kI64:
      absl::StrAppend(out, a.integer);
      return;
    case ValueKind::kI64Array:
      return List(value, out);
    case ValueKind::kWord:
      absl::StrAppend(out, ir_.attr(a.fields[0].value).text);
      return;
    case ValueKind::kStruct:
      if (a.text == "sdy" && a.fields.size() == 1) {  // without its mnemonic
        const std::string& text = ir_.attr(a.fields[0].value).text;
        out->append(text, std::min(text.find_first_of("{["), text.size()));
        return;
      }
      return Body(value, out);
    default:
      return Attribute(value, out);
  }
}

void AttributePrinter::List(AttrId value, std::string* out) {
  out->push_back('[');
  DenseElements(ir_.attr(value), out);
  out->push_back(']');
}

// The elements of a list, with commas between.
void AttributePrinter::DenseElements(const indim::mlir::Attribute& a,
                                     std::string* out) {
  const ElementType type = ir_.type(a.type).element_type;
  const auto size = static_cast<size_t>(ElementBytes(type));
  if (size == 0) return;
  AppendList(a.text.size() / size, out, [&](size_t i) {
    AppendElement(type, a.text.data() + i * size, out);
  });
}

void AttributePrinter::Dense(const indim::mlir::Attribute& a,
                             std::string* out) {
  const indim::mlir::Type& type = ir_.type(a.type);
  const ElementType element = DenseElement(ir_, type);
  const auto size = static_cast<size_t>(ElementBytes(element));
  out->append("dense<");
  const size_t count = size == 0 ? 0 : a.text.size() / size;
  if (a.splat && count == 1) {
    AppendElement(element, a.text.data(), out);
  } else if (count > static_cast<size_t>(kMostPlainElements)) {
    out->append("\"0x");
    AppendRawHex(element, a.text, out);
    out->push_back('"');
  } else {
    AppendNested(element, type.dims, a.text, out);
  }
  absl::StrAppend(out, "> : ", Type(a.type));
}

// --- Locations ---------------------------------------------------------------

void AttributePrinter::Location(AttrId id, std::string* out) {
  const indim::mlir::Attribute& a = ir_.attr(id);
  switch (a.kind) {
    case AttrKind::kFileLoc:
      AppendQuoted(a.text, out);
      absl::StrAppend(out, ":", a.integer, ":", a.column);
      if (a.elements.size() == 2) {
        const int64_t line = ir_.attr(a.elements[0]).integer;
        out->append(" to ");
        if (line != a.integer) absl::StrAppend(out, line);
        absl::StrAppend(out, ":", ir_.attr(a.elements[1]).integer);
      }
      return;
    case AttrKind::kNameLoc:
      AppendQuoted(a.text, out);
      if (a.elements.empty()) return;
      out->push_back('(');
      PartLocation(a.elements[0], out);
      out->push_back(')');
      return;
    case AttrKind::kFusedLoc:
      out->append("fused");
      if (a.metadata.valid()) {
        out->push_back('<');
        Attribute(a.metadata, out);
        out->push_back('>');
      }
      out->push_back('[');
      AppendList(a.elements.size(), out,
                 [&](size_t i) { PartLocation(a.elements[i], out); });
      out->push_back(']');
      return;
    case AttrKind::kCallSiteLoc:
      if (a.elements.size() != 2) break;
      out->append("callsite(");
      PartLocation(a.elements[0], out);
      out->append(" at ");
      PartLocation(a.elements[1], out);
      out->push_back(')');
      return;
    default:
      break;
  }
  out->append("unknown");
}

// A location inside another.
void AttributePrinter::PartLocation(AttrId location, std::string* out) {
  if (aliases_ != nullptr && aliases_->Append(location, out)) return;
  Location(location, out);
}

}  // namespace indim::mlir
