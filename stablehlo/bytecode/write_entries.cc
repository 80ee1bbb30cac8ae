// SPDX-License-Identifier: Apache-2.0
// Writes attributes and types in the codes of the builtin dialect and of VHLO.
//
// Source: StableHLO, StablehloLegalizeToVhlo.cpp.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/codes.h"
#include "indim/stablehlo/bytecode/entry_writer.h"
#include "indim/stablehlo/bytecode/type_text.h"
#include "indim/stablehlo/bytecode/visit_entry.h"
#include "indim/stablehlo/mlir/spelling.h"
#include "indim/stablehlo/ops/attribute_kind.h"

namespace indim::mlir {
namespace {

constexpr Encoding kVhlo = {"vhlo", true};
constexpr Encoding kBuiltin = {"builtin", true};

// --- Attributes -----------------------------------------------------------

// #sdy.sharding<...>, #sdy<...>; #sdy<manual_axes{...}> alone is told apart.
Encoding WriteShardy(const Attribute& a, EntryWriter* out) {
  out->NeedMixed(absl::StrCat("the attribute #", a.text));
  const std::string& inner =
      a.fields.empty() ? a.text : out->ir().attr(a.fields[0].value).text;
  out->Text(a.text == "sdy.manual_axes"
                ? absl::StrCat("#sdy<manual_axes", inner, ">")
                : absl::StrCat("#", a.text, "<", inner, ">"));
  return {"sdy", false};
}

// The attribute in words that the dialect has; none: it has its own.
std::optional<Attribute> Reworded(const Attribute& a, Dialect dialect, Ir* ir) {
  Attribute other;
  if (dialect != Dialect::kVhlo) {
    if (a.kind != AttrKind::kBool) return std::nullopt;
    other.kind = AttrKind::kInteger;
    other.type = ir->ElementTypeId(ElementType::kPred);
    other.integer = a.integer != 0 ? 1 : 0;
    return other;
  }
  const ElementType element = ir->type(a.type).element_type;
  if (a.kind == AttrKind::kSymbol && a.elements.empty()) {
    other.kind = AttrKind::kString;
    other.text = a.text;
  } else if (a.kind == AttrKind::kDenseArray &&
             (element == ElementType::kS64 || element == ElementType::kPred)) {
    other.kind = AttrKind::kDense;
    other.type = ir->TensorType(
        element, {static_cast<int64_t>(a.text.size()) / ElementBytes(element)});
    other.text = a.text;
  } else if (a.kind == AttrKind::kDenseResource && !a.elements.empty()) {
    other.kind = AttrKind::kDense;
    other.type = a.type;
    other.text = ir->attr(a.elements[0]).text;
  } else {
    return std::nullopt;
  }
  return other;
}

// What VHLO lacks stays builtin, if it is of no dialect.
Encoding WriteUnknown(const Attribute& a, Dialect dialect, EntryWriter* out) {
  if (dialect != Dialect::kVhlo) {
    out->Fail(absl::StrCat("the attribute #", a.text,
                           " has no form in a portable artifact here"));
    return kBuiltin;
  }
  switch (a.kind) {
    case AttrKind::kDialect:
      out->Fail(absl::StrCat("the attribute #", a.text,
                             " has no form in a portable artifact"));
      return kVhlo;
    case AttrKind::kDenseResource:
      out->Fail(absl::StrCat("the elements of dense_resource<", a.text,
                             "> aren't in the file"));
      return kVhlo;
    case AttrKind::kString:
      out->NeedMixed("a string with a type");
      break;
    case AttrKind::kSymbol:
      out->NeedMixed("a nested symbol");
      break;
    case AttrKind::kDenseArray:
      out->NeedMixed("an array of integers other than i64");
      break;
    default:
      out->NeedMixed("an attribute without a value");
  }
  return WriteAttribute(a, Dialect::kBuiltin, out);
}

// --- Types -------------------------------------------------------------------

// What has no code stays as its text, outside of StableHLO's operations.
Encoding WriteBuiltinText(const Type& type, EntryWriter* out) {
  if (type.kind == TypeKind::kToken) {
    out->Text("!stablehlo.token");
    return {"stablehlo", false};
  }
  if (type.kind == TypeKind::kElement ||
      (type.kind == TypeKind::kOther && !absl::StartsWith(type.text, "!"))) {
    out->Text(TextOfElement(type));
    return {"builtin", false};
  }
  out->Fail(
      "an operation of another dialect has a type with bounds, or a type that "
      "no portable artifact can hold outside StableHLO's operations");
  return kBuiltin;
}

std::string NameOf(const TypeCode& code, const Type& type) {
  if (type.kind == TypeKind::kMemRef) return "a buffer (memref)";
  return absl::StrCat("the type ",
                      code.text.empty() ? TextOfElement(type) : code.text);
}

}  // namespace

Encoding WriteAttribute(const Attribute& a, Dialect dialect, EntryWriter* out) {
  const bool is_location = a.kind >= AttrKind::kUnknownLoc;
  const bool is_vhlo = dialect == Dialect::kVhlo && !is_location;
  if (a.kind == AttrKind::kDialect &&
      (a.text == "sdy" || absl::StartsWith(a.text, "sdy."))) {
    return WriteShardy(a, out);
  }
  if (const auto other = Reworded(a, dialect, &out->ir())) {
    return WriteAttribute(*other, dialect, out);
  }
  const AttributeCode* const code =
      CodeOf(is_vhlo ? Dialect::kVhlo : Dialect::kBuiltin, a, out->target());
  if (code == nullptr) return WriteUnknown(a, dialect, out);
  out->SetDialect(is_location ? Dialect::kBuiltin : dialect);
  out->Need(code->since, absl::StrCat("#", a.text));
  out->Need(ValueSince(out->ir(), a), absl::StrCat("this #", a.text));
  out->Number(code->code);
  VisitAttribute(*code, &a, out);
  return is_vhlo ? kVhlo : kBuiltin;
}

Encoding WriteType(const Type& type, Dialect dialect, EntryWriter* out) {
  out->SetDialect(dialect);
  const bool is_vhlo = dialect == Dialect::kVhlo;
  const TypeCode* const code =
      type.encoding.valid() ? nullptr : CodeOf(dialect, type);
  if (code != nullptr) {
    out->Need(code->since, NameOf(*code, type));
    out->Number(code->code);
    VisitType(*code, &type, out);
    return is_vhlo ? kVhlo : kBuiltin;
  }
  if (!is_vhlo) return WriteBuiltinText(type, out);
  if (type.kind == TypeKind::kTensor) {
    out->Fail("a tensor's encoding has no form in a portable artifact");
  } else if (type.kind == TypeKind::kElement) {
    out->Fail(absl::StrCat("the type ", TextOfElement(type),
                           " has no form in a portable artifact"));
  } else {
    out->Fail(absl::StrCat("the type ", type.text,
                           " can't be written to a portable artifact"));
  }
  return kVhlo;
}

}  // namespace indim::mlir
