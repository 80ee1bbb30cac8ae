// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/attr_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/text/parse_mlir_text.h"

namespace indim::stablehlo_export {
namespace {

// Texts nest no deeper than this; copying recurses.
constexpr int kMaxDepth = 100;

bool NestsTooDeep(absl::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[' || c == '<' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == '>' || c == ')') --depth;
    if (depth > kMaxDepth) return true;
  }
  return false;
}

}  // namespace

AttrId CopyAttr(const Ir& from, AttrId id, Ir* to) {
  if (!id.valid()) return {};
  mlir::Attribute a = from.attr(id);
  a.type = CopyType(from, a.type, to);
  for (AttrId& element : a.elements) element = CopyAttr(from, element, to);
  for (NamedAttr& field : a.fields) {
    field = {to->Intern(from.text(field.name)),
             CopyAttr(from, field.value, to)};
  }
  a.metadata = CopyAttr(from, a.metadata, to);
  return to->Intern(std::move(a));
}

TypeId CopyType(const Ir& from, TypeId id, Ir* to) {
  if (!id.valid()) return {};
  mlir::Type t = from.type(id);
  t.element = CopyType(from, t.element, to);
  t.encoding = CopyAttr(from, t.encoding, to);
  for (TypeId& part : t.parts) part = CopyType(from, part, to);
  return to->Intern(std::move(t));
}

AttrId AttrOfText(absl::string_view text, Ir* ir) {
  if (NestsTooDeep(text)) return {};
  // An operation that nobody knows, with the attribute.
  const auto read = mlir::ParseMlirText(
      absl::StrCat("\"indim.text\"() {value = ", text, "} : () -> ()"));
  if (!read.ok()) return {};
  const std::vector<OpId>& ops = read->block(read->module_block()).ops;
  if (ops.size() != 1) return {};
  const mlir::Op& op = read->op(ops[0]);
  if (op.property_count + op.discardable_count != 1) return {};
  return CopyAttr(*read, read->Find(op, "value"), ir);
}

AttrId DictionaryOfText(absl::string_view text, Ir* ir) {
  const AttrId value = AttrOfText(text, ir);
  return ir->attr(value).kind == AttrKind::kDictionary ? value : AttrId();
}

}  // namespace indim::stablehlo_export
