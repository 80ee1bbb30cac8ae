// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/op_plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/vhlo_slots.h"
#include "indim/stablehlo/bytecode/vhlo_table.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

Dialect OpPlans::DialectOf(ValueId id) const {
  const Value& value = ir_.value(id);
  if (value.op.valid()) return plans_[value.op.index].dialect;
  return region_dialects_[ir_.block(value.block).region.index];
}

uint32_t OpPlans::ExtraOps(OpId id) const {
  uint32_t count = plans_[id.index].is_tan ? 2 : 0;
  if (casts_.empty()) return count;
  const Op& op = ir_.op(id);
  for (uint32_t i = 0; i < op.result_count; ++i) {
    count += HasCast(ir_.result(op, i)) ? 1 : 0;
  }
  return count;
}

uint32_t OpPlans::UseName(absl::string_view dialect, absl::string_view text) {
  const auto [it, is_new] = name_numbers_.try_emplace(
      absl::StrCat(dialect, ".", text), static_cast<uint32_t>(names_.size()));
  if (is_new) {
    names_.push_back({std::string(text), entries_.NumberOfDialect(dialect), 0});
  }
  ++names_[it->second].uses;
  return it->second;
}

absl::Status OpPlans::UseProperties(
    const Op& op, OpPlan* plan,
    absl::FunctionRef<absl::StatusOr<std::vector<Property>>()> make) {
  std::vector<uint32_t> key = {op.name.index};
  for (const NamedAttr& property : ir_.properties(op)) {
    key.push_back(property.name.index);
    key.push_back(property.value.index);
  }
  const auto found = property_numbers_.find(key);
  if (found != property_numbers_.end()) {
    plan->properties = found->second;
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<Property>> made = make();
  if (!made.ok() || made->empty()) return made.status();
  for (const Property& property : *made) {
    if (!property.value.valid()) continue;
    const absl::Status status = entries_.UseAttr(property.value, plan->dialect);
    if (!status.ok()) return status;
  }
  plan->properties = static_cast<uint32_t>(properties_.size());
  property_numbers_.emplace(std::move(key), plan->properties);
  properties_.push_back({plan->dialect, *std::move(made)});
  return absl::OkStatus();
}

absl::Status OpPlans::MakeVhlo(const Op& op, OpPlan* plan) {
  plan->dialect = Dialect::kVhlo;
  plan->is_isolated = ir_.name(op) == "func.func";
  if (ir_.name(op) == "stablehlo.tan" && entries_.target() < Version{1, 4, 0} &&
      op.operand_count == 1 && op.result_count == 1 && op.property_count == 0 &&
      op.discardable_count == 0) {
    plan->is_tan = true;
    if (tan_names_.sine == kUnused) {
      tan_names_ = {UseName("vhlo", "sine_v1"), UseName("vhlo", "cosine_v1"),
                    UseName("vhlo", "divide_v1")};
    }
    return absl::OkStatus();
  }
  const absl::StatusOr<const VhloOp*> version =
      VhloOpFor(ir_, op, entries_.target());
  if (!version.ok()) return version.status();
  plan->name = UseName("vhlo", (*version)->vhlo_name);
  if ((*version)->slots.empty() && op.property_count == 0) {
    return absl::OkStatus();
  }
  return UseProperties(
      op, plan, [&]() -> absl::StatusOr<std::vector<Property>> {
        const absl::StatusOr<std::vector<AttrId>> values =
            ValuesOfSlots(**version, op, entries_.target(), &ir_);
        if (!values.ok()) return values.status();
        std::vector<Property> properties;
        for (const AttrId value : *values) properties.push_back({value, false});
        return properties;
      });
}

// Operations of the builtin dialect and of Shardy.
absl::Status OpPlans::MakeOther(const Op& op, OpPlan* plan) {
  plan->dialect = Dialect::kBuiltin;
  const absl::string_view name = ir_.name(op);
  const OpRow* const row = FindOp(name);
  const absl::string_view dialect = mlir::DialectOf(name);
  if (row == nullptr || (dialect != "builtin" && dialect != "sdy")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no portable artifact can hold ", name,
        dialect == "chlo" ? "; a composite can stand for it" : ""));
  }
  if (dialect == "sdy" && !entries_.mixed()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name,
        " belongs to another dialect, and the options allow only StableHLO's"));
  }
  plan->is_isolated = (row->traits & kIsolated) != 0;
  plan->name = UseName(dialect, name.substr(dialect.size() + 1));
  return UseProperties(op, plan, [&] { return PropertiesOfOther(op, *row); });
}

absl::StatusOr<std::vector<OpPlans::Property>> OpPlans::PropertiesOfOther(
    const Op& op, const OpRow& row) {
  std::vector<Property> properties;
  for (const AttributeRow* const attribute : AttributesByName(row)) {
    const AttrId value = ir_.Find(op, attribute->name);
    if (!value.valid() && attribute->required) {
      return absl::InvalidArgumentError(
          absl::StrCat(row.name, " has no attribute ", attribute->name));
    }
    properties.push_back({value, !attribute->required});
  }
  for (const NamedAttr& property : ir_.properties(op)) {
    if (FindAttribute(row, ir_.text(property.name)) == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("no portable artifact can hold the attribute ",
                       ir_.text(property.name), " of ", row.name));
    }
  }
  return properties;
}

absl::Status OpPlans::UseCast(ValueId value) {
  if (!casts_.insert(value.index).second) return absl::OkStatus();
  cast_name_ = UseName("builtin", "unrealized_conversion_cast");
  return entries_.UseType(ir_.type_of(value), OtherDialect(DialectOf(value)));
}

// The types of results and arguments, and casts of operands.
absl::Status OpPlans::UseValues(OpId id) {
  const Op op = ir_.op(id);
  const Dialect dialect = plans_[id.index].dialect;
  absl::Status status;
  for (uint32_t i = 0; i < op.result_count && status.ok(); ++i) {
    status = entries_.UseType(ir_.type_of(ir_.result(op, i)), dialect);
  }
  for (uint32_t i = 0; i < op.operand_count && status.ok(); ++i) {
    const ValueId operand = ir_.operands(op)[i];
    if (DialectOf(operand) != dialect) status = UseCast(operand);
  }
  for (uint32_t i = 0; i < op.region_count && status.ok(); ++i) {
    const RegionId region = ir_.regions(op)[i];
    region_dialects_[region.index] = dialect;
    for (const BlockId block : ir_.region(region).blocks) {
      for (const ValueId argument : ir_.block(block).arguments) {
        const Value value = ir_.value(argument);
        status = entries_.UseType(value.type, dialect);
        if (status.ok() && value.location.valid()) {
          status = entries_.UseAttr(value.location, Dialect::kBuiltin);
        }
        if (!status.ok()) return status;
      }
    }
  }
  return status;
}

absl::Status OpPlans::MakeOp(OpId id) {
  const Op op = ir_.op(id);
  OpPlan& plan = plans_[id.index];
  const absl::string_view name = ir_.name(op);
  absl::Status status =
      absl::StartsWith(name, "stablehlo.") || absl::StartsWith(name, "func.")
          ? MakeVhlo(op, &plan)
          : MakeOther(op, &plan);
  if (!status.ok()) return status;
  plan.location = op.location;
  if (!plan.location.valid()) {
    Attribute unknown(AttrKind::kUnknownLoc);
    plan.location = ir_.Intern(std::move(unknown));
  }
  status = entries_.UseAttr(plan.location, Dialect::kBuiltin);
  const absl::Span<const NamedAttr> discardable = ir_.discardable(op);
  if (status.ok() && !discardable.empty()) {
    plan.dictionary =
        ir_.DictionaryAttr({discardable.begin(), discardable.end()});
    status = entries_.UseAttr(plan.dictionary, DictionaryDialect(plan.dialect));
  }
  return status.ok() ? UseValues(id) : status;
}

absl::Status OpPlans::Make() {
  plans_.resize(ir_.op_count());
  region_dialects_.resize(ir_.region_count());
  entries_.NumberOfDialect("builtin");
  entries_.NumberOfDialect("vhlo");
  std::vector<OpId> work = {ir_.module_op()};
  while (!work.empty()) {
    const OpId id = work.back();
    work.pop_back();
    const absl::Status status = MakeOp(id);
    if (!status.ok()) {
      if (entries_.status().ok()) return status;  // it names the operation
      return absl::InvalidArgumentError(
          absl::StrCat(ir_.name(ir_.op(id)), ": ", status.message()));
    }
    const Op& op = ir_.op(id);
    const absl::Span<const RegionId> regions = ir_.regions(op);
    // The first operation is planned first: operands before their users.
    for (auto region = regions.rbegin(); region != regions.rend(); ++region) {
      const std::vector<BlockId>& blocks = ir_.region(*region).blocks;
      for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        const std::vector<OpId>& ops = ir_.block(*block).ops;
        work.insert(work.end(), ops.rbegin(), ops.rend());
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace indim::mlir
