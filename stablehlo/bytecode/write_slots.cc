// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/codes.h"
#include "indim/stablehlo/bytecode/release.h"
#include "indim/stablehlo/bytecode/structs.h"
#include "indim/stablehlo/bytecode/vhlo_slots.h"
#include "indim/stablehlo/ops/attribute_kind.h"

namespace indim::mlir {
namespace {

absl::Status Needs(absl::string_view what, Version since, Version target) {
  return absl::InvalidArgumentError(NeedText(what, since, target));
}

// Makes the values of one operation's slots.
class SlotBuilder {
 public:
  SlotBuilder(const VhloOp& version, const Op& op, Version target, Ir* ir)
      : version_(version), op_(op), target_(target), ir_(*ir) {}

  absl::StatusOr<std::vector<AttrId>> Values();

 private:
  AttrId Whole(const VhloSlot& slot);
  AttrId Field(const VhloSlot& slot);
  // What leaving out an attribute means for this operation.
  AttrId LeftOut(const AttributeRow& row);
  // The dims of the operation's window.
  int64_t WindowRank() const;
  AttrId NoneType() { return ir_.TypeAttr(ir_.Intern(Type())); }
  // Attributes and fields that this version lacks are left out.
  absl::Status CheckOthers() const;
  bool HasSlot(const AttributeRow* row, const FieldRow* field) const {
    return std::any_of(
        version_.slots.begin(), version_.slots.end(), [&](const VhloSlot& s) {
          return s.attribute == row && (field == nullptr || s.field == field);
        });
  }

  const VhloOp& version_;
  const Op op_;  // a copy: the Ir grows
  Version target_;
  Ir& ir_;
};

int64_t SlotBuilder::WindowRank() const {
  std::vector<int64_t> values;
  const AttrId numbers = ir_.Find(op_, "dimension_numbers");
  const AttrId window =
      numbers.valid() ? ir_.Find(ir_.attr(numbers), "input_spatial_dimensions")
                      : ir_.Find(op_, "window_dimensions");
  return ir_.Integers(window, &values) ? static_cast<int64_t>(values.size())
                                       : 0;
}

AttrId SlotBuilder::LeftOut(const AttributeRow& row) {
  switch (row.otherwise) {
    case DefaultValue::kOnes:
      return ir_.I64ArrayAttr(
          std::vector<int64_t>(static_cast<size_t>(WindowRank()), 1));
    case DefaultValue::kZeroPairs: {
      const int64_t rank = WindowRank();
      return ir_.DenseI64Attr(
          std::vector<int64_t>(static_cast<size_t>(2 * rank), 0), {rank, 2});
    }
    case DefaultValue::kFalses: {
      Attribute a(AttrKind::kDenseArray);
      a.type = ir_.ElementTypeId(ElementType::kPred);
      a.text.assign(static_cast<size_t>(WindowRank()), '\0');
      return ir_.Intern(std::move(a));
    }
    case DefaultValue::kDefaultPrecisions: {
      const AttrId word = ir_.WordAttr("stablehlo.precision", "DEFAULT");
      return ir_.ArrayAttr({word, word});
    }
    case DefaultValue::kEmptyConfig: {
      const AttrId version = ir_.Find(op_, "api_version");
      return version.valid() && ir_.attr(version).integer == 4
                 ? ir_.DictionaryAttr({})
                 : ir_.StringAttr("");
    }
    default:
      return ValueOf(row.otherwise, row.kind, &ir_);
  }
}

AttrId SlotBuilder::Whole(const VhloSlot& slot) {
  const AttributeRow& row = *slot.attribute;
  AttrId value = ir_.Find(op_, row.name);
  if (row.kind == ValueKind::kUnit) {
    const Attribute& a = ir_.attr(value);
    const bool set =
        value.valid() && (a.kind != AttrKind::kBool || a.integer != 0);
    return ir_.BoolAttr(set);
  }
  if (!value.valid()) value = LeftOut(row);
  if (value.valid() && row.name == "api_version") {
    return ir_.DialectAttr(kApiVersionAttr, {{ir_.Intern(""), value}});
  }
  return value;
}

AttrId SlotBuilder::Field(const VhloSlot& slot) {
  const AttributeRow& row = *slot.attribute;
  const AttrId whole = ir_.Find(op_, row.name);
  if (!whole.valid()) {
    if (row.otherwise == DefaultValue::kNoChannel) return ir_.IntegerAttr(0);
    return row.required ? AttrId() : NoneType();
  }
  return FieldOf(ir_.attr(whole), *slot.field, &ir_);
}

absl::Status SlotBuilder::CheckOthers() const {
  for (const NamedAttr& property : ir_.properties(op_)) {
    const absl::string_view name = ir_.text(property.name);
    const AttributeRow* const row = FindAttribute(*version_.row, name);
    const std::string what =
        absl::StrCat("the attribute ", name, " of ", ir_.name(op_));
    if (row == nullptr) return Needs(what, kNotPortable, target_);
    if (!HasSlot(row, nullptr)) {
      if (IsLeftOut(ir_, row->otherwise, property.value)) continue;
      return Needs(what, row->since, target_);
    }
    const Version since = ValueSince(ir_, ir_.attr(property.value));
    if (target_ < since) {
      return Needs(absl::StrCat("this value of ", what), since, target_);
    }
    if (row->kind != ValueKind::kStruct || FindStruct(row->of) == nullptr) {
      continue;
    }
    // A field that is there isn't left out; channels' types are an exception.
    for (const FieldRow& field : FindStruct(row->of)->fields) {
      if (version_.first < field.since &&
          ir_.Find(ir_.attr(property.value), field.name).valid()) {
        return Needs(absl::StrCat(what, " with ", field.name), field.since,
                     target_);
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<AttrId>> SlotBuilder::Values() {
  absl::Status status = CheckOthers();
  if (!status.ok()) return status;
  std::vector<AttrId> values;
  for (const VhloSlot& slot : version_.slots) {
    const AttrId value = slot.field != nullptr ? Field(slot) : Whole(slot);
    if (!value.valid()) {
      return absl::InvalidArgumentError(absl::StrCat(
          ir_.name(op_), " has no attribute ", slot.attribute->name));
    }
    values.push_back(value);
  }
  return values;
}

bool Exceeds(const Op& op, VhloLimit limit) {
  switch (limit) {
    case VhloLimit::kOneOperand:
      return op.operand_count != 1;
    case VhloLimit::kNoRegions:
      return op.region_count != 0;
    default:
      return false;
  }
}

// What changed in the meaning of operations that have one version.
absl::Status CheckCustomCall(const Ir& ir, const Op& op, Version target) {
  const AttrId config = ir.Find(op, "backend_config");
  const AttrId version = ir.Find(op, "api_version");
  const bool typed =
      (config.valid() && ir.attr(config).kind == AttrKind::kDictionary) ||
      (version.valid() && ir.attr(version).integer == 4);
  if (typed && target < Version{1, 3, 0}) {
    return Needs("stablehlo.custom_call with a dictionary as backend_config",
                 {1, 3, 0}, target);
  }
  if (!(target < Version{1, 17, 0})) return absl::OkStatus();
  for (const ValueId operand : ir.operands(op)) {
    if (ir.type(ir.type_of(operand)).kind == TypeKind::kFuture) {
      return Needs("stablehlo.custom_call on a future", {1, 17, 0}, target);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<const VhloOp*> VhloOpFor(const Ir& ir, const Op& op,
                                        Version target) {
  const absl::string_view name = ir.name(op);
  const absl::Span<const VhloOp* const> versions = VhloVersionsOf(name);
  if (versions.empty()) return Needs(name, kNotPortable, target);
  if (target < versions.front()->first) {
    return Needs(name, versions.front()->first, target);
  }
  const VhloOp* chosen = versions.front();
  for (const VhloOp* const version : versions) {
    if (!(target < version->first)) chosen = version;
  }
  if (Exceeds(op, chosen->limit)) {
    return Needs(absl::StrCat(name, chosen->limit == VhloLimit::kNoRegions
                                        ? " with regions"
                                        : " with several operands"),
                 versions.back()->first, target);
  }
  if (name == "stablehlo.custom_call") {
    const absl::Status status = CheckCustomCall(ir, op, target);
    if (!status.ok()) return status;
  }
  return chosen;
}

absl::StatusOr<std::vector<AttrId>> ValuesOfSlots(const VhloOp& version,
                                                  const Op& op, Version target,
                                                  Ir* ir) {
  return SlotBuilder(version, op, target, ir).Values();
}

}  // namespace indim::mlir
