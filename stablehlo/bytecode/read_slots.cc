// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/structs.h"
#include "indim/stablehlo/bytecode/vhlo_slots.h"
#include "indim/stablehlo/ops/attribute_kind.h"

namespace indim::mlir {
namespace {

// Splats of more elements aren't lists of dims or indices.
constexpr int64_t kLongestArray = int64_t{1} << 12;

bool IsNoneType(const Ir& ir, AttrId value) {
  const Attribute& a = ir.attr(value);
  return value.valid() && a.kind == AttrKind::kType && a.type.valid() &&
         ir.type(a.type).kind == TypeKind::kNone;
}

// Builds the properties of one operation.
class PropertyBuilder {
 public:
  PropertyBuilder(const VhloOp& op, absl::Span<const AttrId> values, Ir* ir)
      : op_(op), values_(values), ir_(*ir) {}

  absl::StatusOr<std::vector<NamedAttr>> Build();

 private:
  // The slot of an attribute, or of a field of it; -1: none.
  int SlotOf(const AttributeRow& row, const FieldRow* field) const;
  AttrId Value(int slot) const {
    return slot < 0 ? AttrId() : values_[static_cast<size_t>(slot)];
  }
  // The attribute in StableHLO; invalid: it is left out.
  AttrId Whole(const AttributeRow& row, AttrId value);
  AttrId Struct(const AttributeRow& row);
  AttrId ArrayOf(AttrId dense);
  AttrId SymbolOf(AttrId value);
  bool IsLeftOutHere(const AttributeRow& row, AttrId value) const;
  AttrId Fail(absl::string_view message) {
    if (status_.ok()) {
      status_ = absl::InvalidArgumentError(
          absl::StrCat("vhlo.", op_.vhlo_name, ": ", message));
    }
    return {};
  }

  const VhloOp& op_;
  absl::Span<const AttrId> values_;
  Ir& ir_;
  absl::Status status_;
};

int PropertyBuilder::SlotOf(const AttributeRow& row,
                            const FieldRow* field) const {
  for (size_t i = 0; i < op_.slots.size(); ++i) {
    if (op_.slots[i].attribute == &row && op_.slots[i].field == field) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

AttrId PropertyBuilder::ArrayOf(AttrId dense) {
  const Attribute& a = ir_.attr(dense);
  const Type& type = ir_.type(a.type);
  if (a.kind != AttrKind::kDense || type.dims.size() != 1 ||
      (a.splat && type.dims[0] > kLongestArray)) {
    return Fail("a list of integers isn't a tensor of one dimension");
  }
  Attribute array(AttrKind::kDenseArray);
  array.type = type.element;
  if (!a.splat) {
    array.text = a.text;
  } else {
    for (int64_t i = 0; i < type.dims[0]; ++i) array.text += a.text;
  }
  return ir_.Intern(std::move(array));
}

AttrId PropertyBuilder::SymbolOf(AttrId value) {
  const Attribute& a = ir_.attr(value);
  if (a.kind != AttrKind::kString) return Fail("a symbol must be a string");
  return ir_.SymbolAttr(a.text);
}

AttrId PropertyBuilder::Whole(const AttributeRow& row, AttrId value) {
  const Attribute& a = ir_.attr(value);
  switch (row.kind) {
    case ValueKind::kI64Array:
    case ValueKind::kBoolArray:
      return ArrayOf(value);
    case ValueKind::kUnit:
      if (a.kind != AttrKind::kBool) return Fail("a flag must be a bool");
      return a.integer != 0 ? ir_.UnitAttr() : AttrId();
    case ValueKind::kSymbol:
      return SymbolOf(value);
    case ValueKind::kSymbolArray: {
      if (a.kind != AttrKind::kArray) {
        return Fail("a list of symbols must be an array");
      }
      std::vector<AttrId> symbols;
      for (const AttrId id : a.elements) symbols.push_back(SymbolOf(id));
      return ir_.ArrayAttr(symbols);
    }
    default:
      return value;
  }
}

AttrId PropertyBuilder::Struct(const AttributeRow& row) {
  const StructRow& fields = *FindStruct(row.of);
  std::vector<AttrId> values;
  bool any = false;
  for (const FieldRow& field : fields.fields) {
    AttrId value = Value(SlotOf(row, &field));
    if (IsNoneType(ir_, value)) value = {};
    any = any || value.valid();
    if (value.valid() && field.kind == ValueKind::kI64Array) {
      value = ArrayOf(value);
    }
    values.push_back(value);
  }
  if (!any) return {};
  if (row.otherwise == DefaultValue::kNoChannel) {
    if (ir_.attr(values[0]).integer == 0) return {};
    values[1] = ir_.IntegerAttr(0);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const FieldRow& field = fields.fields[i];
    if (!values[i].valid()) {
      if (field.otherwise != DefaultValue::kNone) continue;
      return Fail(absl::StrCat("it has no ", field.name));
    }
    if (!HasKind(ir_, field.kind, field.of, values[i])) {
      return Fail(absl::StrCat(field.name, " must be ",
                               KindText(field.kind, field.of)));
    }
  }
  return MakeStruct(fields, values, &ir_);
}

bool PropertyBuilder::IsLeftOutHere(const AttributeRow& row,
                                    AttrId value) const {
  // Either both operands and results have layouts, or neither has.
  if (row.name == "operand_layouts" || row.name == "result_layouts") {
    for (size_t i = 0; i < op_.slots.size(); ++i) {
      const absl::string_view name = op_.slots[i].name;
      if ((name == "operand_layouts" || name == "result_layouts") &&
          !IsLeftOut(ir_, row.otherwise, values_[i])) {
        return false;
      }
    }
  }
  return IsLeftOut(ir_, row.otherwise, value);
}

absl::StatusOr<std::vector<NamedAttr>> PropertyBuilder::Build() {
  std::vector<NamedAttr> properties;
  absl::flat_hash_set<const AttributeRow*> structs;
  for (size_t i = 0; i < op_.slots.size(); ++i) {
    const VhloSlot& slot = op_.slots[i];
    if (slot.attribute == nullptr) continue;
    const AttributeRow& row = *slot.attribute;
    AttrId value = values_[i];
    if (slot.field != nullptr) {
      // Built from all of its slots at the first of them.
      if (!structs.insert(&row).second) continue;
      value = Struct(row);
    } else if (value.valid()) {
      value = Whole(row, value);
      if (value.valid() && IsLeftOutHere(row, value)) continue;
    }
    if (value.valid()) {
      if (!HasKind(ir_, row.kind, row.of, value)) {
        Fail(absl::StrCat(row.name, " must be ", KindText(row.kind, row.of)));
      }
      properties.push_back({ir_.Intern(row.name), value});
    } else if (row.required) {
      Fail(absl::StrCat("it has no ", row.name));
    }
    if (!status_.ok()) return status_;
  }
  return properties;
}

}  // namespace

absl::StatusOr<std::vector<NamedAttr>> PropertiesOfVhlo(
    const VhloOp& op, absl::Span<const AttrId> values, Ir* ir) {
  return PropertyBuilder(op, values, ir).Build();
}

}  // namespace indim::mlir
