// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/left_out.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/wire/printable.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_import {
namespace {

bool SaysNothing(absl::string_view name, const Attribute& attribute) {
  if (!attribute.elements.empty()) return false;
#define INDIM_MLIR_SAYS_NOTHING(of, value) \
  if (name == of && attribute.text == value) return true;
#include "indim/stablehlo/ops/module_attributes.def"
  return false;
}

bool IsOfRow(absl::string_view op, absl::string_view attribute) {
  const OpRow* const row = FindOp(op);
  if (row == nullptr) return false;
  for (const AttributeRow& known : row->attributes) {
    if (known.name == attribute) return true;
  }
  return false;
}

}  // namespace

bool LeftOut::IsKept(Where where, absl::string_view name) {
#define INDIM_MLIR_NOTE(id, of, ...)                     \
  for (const Where place : {__VA_ARGS__}) {              \
    if (where == place && name == note::id) return true; \
  }
#include "indim/stablehlo/ops/module_attributes.def"
  return OfAnyFunction(where) != where && IsKept(OfAnyFunction(where), name);
}

LeftOut::Where LeftOut::OfAnyFunction(Where where) {
  return where == kEntryArgument ? kArgument
         : where == kEntryResult ? kResult
                                 : where;
}

void LeftOut::Add(absl::string_view what, Where where) {
  where = OfAnyFunction(where);
  const auto [at, is_new] =
      by_name_.try_emplace({std::string(what), where}, kinds_.size());
  if (is_new) kinds_.push_back({std::string(what), where, 0});
  ++kinds_[at->second].count;
}

void LeftOut::AddAttributes(absl::Span<const NamedAttr> attributes, Where where,
                            bool kept,
                            absl::Span<const absl::string_view> others) {
  for (const NamedAttr& attribute : attributes) {
    const absl::string_view name = ir_.text(attribute.name);
    if (kept && IsKept(where, name)) continue;
    if (absl::c_linear_search(others, name)) continue;
    if (SaysNothing(name, ir_.attr(attribute.value))) continue;
    Add(Printable(name), where);
  }
}

void LeftOut::AddLists(const mlir::Op& function, absl::string_view list,
                       Where where) {
  for (const AttrId attributes : ir_.attr(ir_.Find(function, list)).elements) {
    AddAttributes(ir_.attr(attributes).fields, where);
  }
}

bool LeftOut::HasFurtherParts(AttrId location) {
  if (!location.valid()) return false;
  const auto [entry, is_new] = locations_.try_emplace(location.index, false);
  if (!is_new) return entry->second;
  int names = 0, files = 0, steps = 0;
  bool has_metadata = false;
  std::vector<AttrId> stack = {location};
  for (; !stack.empty() && steps < 1000; ++steps) {
    const Attribute& part = ir_.attr(stack.back());
    stack.pop_back();
    names += part.kind == AttrKind::kNameLoc ? 1 : 0;
    files += part.kind == AttrKind::kFileLoc ? 1 : 0;
    has_metadata |= part.metadata.valid();
    stack.insert(stack.end(), part.elements.rbegin(), part.elements.rend());
  }
  return locations_[location.index] =
             names > 1 || files > 1 || has_metadata || !stack.empty();
}

void LeftOut::AddOperation(OpId id, bool kept,
                           absl::Span<const absl::string_view> others) {
  if (!IsNew(id)) return;
  const mlir::Op& op = ir_.op(id);
  AddAttributes(ir_.discardable(op), kOperation, kept, others);
  for (const NamedAttr& property : ir_.properties(op)) {
    const absl::string_view name = ir_.text(property.name);
    if (!IsOfRow(ir_.name(op), name)) Add(Printable(name), kOperation);
  }
  if (HasFurtherParts(op.location)) {
    Add("further parts of locations", kOperation);
  }
}

void LeftOut::AddFunction(OpId id, bool is_entry) {
  if (!IsNew(id)) return;
  const mlir::Op& function = ir_.op(id);
  AddAttributes(ir_.properties(function), kFunction);
  AddAttributes(ir_.discardable(function), kFunction);
  AddLists(function, note::kArgAttrs, is_entry ? kEntryArgument : kArgument);
  AddLists(function, note::kResAttrs, is_entry ? kEntryResult : kResult);
}

void LeftOut::AddDeclaration(OpId id) {
  if (IsNew(id)) Add("the declarations", kFunction);
}

void LeftOut::AddModule() {
  AddAttributes(ir_.discardable(ir_.op(ir_.module_op())), kModule);
}

std::vector<std::string> LeftOut::Texts() const {
  std::vector<std::string> texts;
  for (const Kind& kind : kinds_) {
    constexpr absl::string_view kNouns[] = {"module", "function", "argument",
                                            "result", "operation"};
    if (kind.where == kModule) {
      texts.push_back(absl::StrCat(kind.what, " of the module"));
      continue;
    }
    texts.push_back(absl::StrCat(kind.what, " of ", kind.count, " ",
                                 kNouns[static_cast<size_t>(kind.where)],
                                 kind.count == 1 ? "" : "s"));
  }
  return texts;
}

}  // namespace indim::stablehlo_import
