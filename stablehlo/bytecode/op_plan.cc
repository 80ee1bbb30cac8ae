#include "indim/stablehlo/bytecode/op_plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/vhlo_slots.h"
#include "indim/stablehlo/bytecode/vhlo_table.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

Terms OpPlans::TermsOf(ValueId id) const {
  const Value& value = ir_.value(id);
  if (value.op.valid()) return plans_[value.op.index].terms;
  return region_terms_[ir_.block(value.block).region.index];
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
    names_.push_back({std::string(text), sink_.NumberOfDialect(dialect), 0});
  }
  ++names_[it->second].uses;
  return it->second;
}

std::vector<uint32_t> OpPlans::KeyOf(const Op& op) const {
  std::vector<uint32_t> key = {op.name.index};
  for (const NamedAttr& property : ir_.properties(op)) {
    key.push_back(property.name.index);
    key.push_back(property.value.index);
  }
  return key;
}

absl::Status OpPlans::UseProperties(std::vector<uint32_t> key,
                                    Properties properties, OpPlan* plan) {
  for (const Property& property : properties.values) {
    if (!property.value.valid()) continue;
    const absl::Status status = sink_.UseAttr(property.value, properties.terms);
    if (!status.ok()) return status;
  }
  plan->properties = static_cast<uint32_t>(properties_.size());
  property_numbers_.emplace(std::move(key), plan->properties);
  properties_.push_back(std::move(properties));
  return absl::OkStatus();
}

absl::Status OpPlans::UseTan() {
  if (has_tan_) return absl::OkStatus();
  has_tan_ = true;
  tan_names_.sine = UseName("vhlo", "sine_v1");
  tan_names_.cosine = UseName("vhlo", "cosine_v1");
  tan_names_.divide = UseName("vhlo", "divide_v1");
  return absl::OkStatus();
}

absl::Status OpPlans::MakeVhlo(const Op& op, OpPlan* plan) {
  plan->terms = Terms::kVhlo;
  plan->is_isolated = ir_.name(op) == "func.func";
  if (ir_.name(op) == "stablehlo.tan" && sink_.target() < Version{1, 4, 0} &&
      op.operand_count == 1 && op.result_count == 1 && op.property_count == 0 &&
      op.discardable_count == 0) {
    plan->is_tan = true;
    return UseTan();
  }
  const absl::StatusOr<const VhloOp*> version =
      VhloOpFor(ir_, op, sink_.target());
  if (!version.ok()) return version.status();
  plan->name = UseName("vhlo", (*version)->vhlo_name);
  if ((*version)->slots.empty() && op.property_count == 0) {
    return absl::OkStatus();
  }
  std::vector<uint32_t> key = KeyOf(op);
  const auto found = property_numbers_.find(key);
  if (found != property_numbers_.end()) {
    plan->properties = found->second;
    return absl::OkStatus();
  }
  const absl::StatusOr<std::vector<AttrId>> values =
      ValuesOfSlots(**version, op, sink_.target(), &ir_);
  if (!values.ok()) return values.status();
  if (values->empty()) return absl::OkStatus();
  Properties properties = {Terms::kVhlo, {}};
  for (const AttrId value : *values)
    properties.values.push_back({value, false});
  return UseProperties(std::move(key), std::move(properties), plan);
}

// Operations of the builtin dialect and of Shardy.
absl::Status OpPlans::MakeOther(const Op& op, OpPlan* plan) {
  plan->terms = Terms::kBuiltin;
  const absl::string_view name = ir_.name(op);
  const OpRow* const row = FindOp(name);
  const size_t dot = name.find('.');
  const absl::string_view dialect = name.substr(0, dot);
  if (row == nullptr || (dialect != "builtin" && dialect != "sdy")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no portable artifact can hold ", name,
        dialect == "chlo" ? "; a composite can stand for it" : ""));
  }
  if (dialect == "sdy" && !sink_.mixed()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name,
        " belongs to another dialect, and the options allow only StableHLO's"));
  }
  plan->is_isolated = (row->traits & kIsolated) != 0;
  plan->name = UseName(dialect, name.substr(dot + 1));
  std::vector<const AttributeRow*> rows;
  for (const AttributeRow& attribute : row->attributes) {
    rows.push_back(&attribute);
  }
  std::sort(rows.begin(), rows.end(),
            [](const AttributeRow* a, const AttributeRow* b) {
              return a->name < b->name;
            });
  Properties properties = {Terms::kBuiltin, {}};
  for (const AttributeRow* const attribute : rows) {
    const AttrId value = ir_.Find(op, attribute->name);
    if (!value.valid() && attribute->required) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " has no attribute ", attribute->name));
    }
    properties.values.push_back({value, !attribute->required});
  }
  for (const NamedAttr& property : ir_.properties(op)) {
    if (FindAttribute(*row, ir_.text(property.name)) == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("no portable artifact can hold the attribute ",
                       ir_.text(property.name), " of ", name));
    }
  }
  if (rows.empty()) return absl::OkStatus();
  std::vector<uint32_t> key = KeyOf(op);
  const auto found = property_numbers_.find(key);
  if (found != property_numbers_.end()) {
    plan->properties = found->second;
    return absl::OkStatus();
  }
  return UseProperties(std::move(key), std::move(properties), plan);
}

absl::Status OpPlans::UseCast(ValueId value) {
  if (!casts_.insert(value.index).second) return absl::OkStatus();
  cast_name_ = UseName("builtin", "unrealized_conversion_cast");
  return sink_.UseType(ir_.type_of(value), OtherTerms(TermsOf(value)));
}

// The types of results and arguments, and the terms of operands.
absl::Status OpPlans::UseValues(OpId id) {
  const Op op = ir_.op(id);
  const Terms terms = plans_[id.index].terms;
  absl::Status status;
  for (uint32_t i = 0; i < op.result_count && status.ok(); ++i) {
    status = sink_.UseType(ir_.type_of(ir_.result(op, i)), terms);
  }
  for (uint32_t i = 0; i < op.operand_count && status.ok(); ++i) {
    const ValueId operand = ir_.operands(op)[i];
    if (TermsOf(operand) != terms) status = UseCast(operand);
  }
  for (uint32_t i = 0; i < op.region_count && status.ok(); ++i) {
    const RegionId region = ir_.regions(op)[i];
    region_terms_[region.index] = terms;
    for (const BlockId block : ir_.region(region).blocks) {
      for (const ValueId argument : ir_.block(block).arguments) {
        const Value value = ir_.value(argument);
        status = sink_.UseType(value.type, terms);
        if (status.ok() && value.location.valid()) {
          status = sink_.UseAttr(value.location, Terms::kBuiltin);
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
    Attribute unknown;
    unknown.kind = AttrKind::kUnknownLoc;
    plan.location = ir_.Intern(std::move(unknown));
  }
  status = sink_.UseAttr(plan.location, Terms::kBuiltin);
  const absl::Span<const NamedAttr> discardable = ir_.discardable(op);
  if (status.ok() && !discardable.empty()) {
    plan.dictionary =
        ir_.DictionaryAttr({discardable.begin(), discardable.end()});
    status = sink_.UseAttr(plan.dictionary, DictionaryTerms(plan.terms));
  }
  return status.ok() ? UseValues(id) : status;
}

absl::Status OpPlans::Make() {
  plans_.resize(ir_.op_count());
  region_terms_.resize(ir_.region_count());
  sink_.NumberOfDialect("builtin");
  sink_.NumberOfDialect("vhlo");
  std::vector<OpId> work = {ir_.module_op()};
  while (!work.empty()) {
    const OpId id = work.back();
    work.pop_back();
    const absl::Status status = MakeOp(id);
    if (!status.ok()) {
      if (sink_.status().ok()) return status;  // it names the operation
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
