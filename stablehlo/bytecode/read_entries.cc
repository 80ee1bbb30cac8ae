// SPDX-License-Identifier: Apache-2.0
// Attributes and types of the builtin dialect and of VHLO in bytecode, as what
// they stand for in StableHLO.

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/stablehlo/bytecode/codes.h"
#include "indim/stablehlo/bytecode/entry_reader.h"
#include "indim/stablehlo/bytecode/structs.h"
#include "indim/stablehlo/bytecode/type_text.h"
#include "indim/stablehlo/bytecode/visit_entry.h"
#include "indim/stablehlo/mlir/spelling.h"

namespace indim::mlir {
namespace {

// MLIR's code of elements in a resource.
constexpr uint64_t kDenseResource = 16;

void FailUnknown(Dialect dialect, absl::string_view what, uint64_t code,
                 EntryReader* in) {
  const bool is_vhlo = dialect == Dialect::kVhlo;
  in->Fail(
      absl::StrCat(
          "there is no ", is_vhlo ? "VHLO " : "builtin ", what, " ", code,
          is_vhlo ? " in this release of Indim" : " in a portable artifact"),
      Code::kArtifactUnknown);
}

}  // namespace

Attribute ReadAttribute(Dialect dialect, EntryReader* in) {
  const uint64_t code = in->cursor().Varint();
  Attribute a;
  if (const AttributeCode* const row = FindAttributeCode(dialect, code)) {
    a.kind = row->kind;
    VisitAttribute(*row, &a, in);
  } else if (dialect == Dialect::kBuiltin && code == kDenseResource) {
    in->Fail(
        "the elements of a constant lie in a resource (dense_resource), which "
        "no portable artifact has",
        Code::kArtifactUnknown);
  } else {
    // Of VHLO, it is taken for a word, which has a number.
    if (dialect == Dialect::kVhlo) in->cursor().Varint();
    FailUnknown(dialect, "attribute", code, in);
  }
  return a;
}

Type ReadType(Dialect dialect, EntryReader* in) {
  const uint64_t code = in->cursor().Varint();
  Type type;
  if (const TypeCode* const row = FindTypeCode(dialect, code)) {
    type.kind = row->kind;
    type.element_type = row->element;
    if (row->kind == TypeKind::kOther) type.text = std::string(row->text);
    VisitType(*row, &type, in);
  } else {
    FailUnknown(dialect, "type", code, in);
  }
  return type;
}

void FinishTensor(AttrId encoding, Type* type, EntryReader* in) {
  for (const int64_t dim : type->dims) {
    if (dim < 0 && dim != kDynamic) in->Fail("a dimension is negative");
  }
  if (!IsElement(in->ir(), type->element)) {
    in->Fail("the element type of a tensor is another kind of type");
  }
  if (!encoding.valid()) return;
  const Attribute& attribute = in->ir().attr(encoding);
  if (attribute.text != kBoundsAttr) {
    type->encoding = encoding;
    return;
  }
  if (!in->ir().Integers(in->ir().Find(attribute, ""), &type->bounds) ||
      type->bounds.size() != type->dims.size()) {
    return in->Fail("the bounds of a tensor must be as many as its dimensions");
  }
  for (size_t i = 0; i < type->bounds.size(); ++i) {
    if (type->bounds[i] == kDynamic) continue;
    if (type->bounds[i] < 0) in->Fail("a bound is negative");
    if (type->dims[i] >= 0) in->Fail("a static dimension has a bound");
  }
}

Type TypeOfText(absl::string_view text, EntryReader* in) {
  Type type;
  const ElementType element = ElementTypeOf(text);
  if (element != ElementType::kInvalid) {
    type.kind = TypeKind::kElement;
    type.element_type = element;
    return type;
  }
  if (text.empty()) in->Fail("a type has no text");
  if (text == "!stablehlo.token") {
    type.kind = TypeKind::kToken;
    return type;
  }
  type.kind = absl::StartsWith(text, "!quant.") ? TypeKind::kQuantized
                                                : TypeKind::kOther;
  type.text = std::string(text);
  return type;
}

// #dialect.mnemonic<...> or #dialect<...>, as the reader of text keeps them:
// the mnemonic of the second is only told apart if it is Shardy's manual_axes.
Attribute AttributeOfText(absl::string_view text, EntryReader* in) {
  const size_t open = text.find('<');
  if (text.size() < 2 || text[0] != '#' || open == text.npos ||
      text.back() != '>') {
    in->Fail(absl::StrCat("the attribute '", text.substr(0, 80),
                          "' isn't one of a dialect"),
             Code::kArtifactUnknown);
    return {};
  }
  absl::string_view mnemonic = text.substr(1, open - 1);
  absl::string_view rest = text.substr(open + 1, text.size() - open - 2);
  if (mnemonic == "sdy" && absl::ConsumePrefix(&rest, "manual_axes")) {
    mnemonic = "sdy.manual_axes";
    rest = absl::StripLeadingAsciiWhitespace(rest);
  }
  return in->ir().attr(in->ir().WordAttr(mnemonic, rest));
}

}  // namespace indim::mlir
