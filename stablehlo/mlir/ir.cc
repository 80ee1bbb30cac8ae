// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/mlir/ir.h"

#include <utility>

namespace indim::mlir {

// --- Building ----------------------------------------------------------------

void Ir::MakeModule() {
  const RegionId region = AddRegion();
  module_block_ = AddBlock(region);
  OpParts parts;
  parts.name = Intern("builtin.module");
  parts.regions = {region};
  module_op_ = AddOp(BlockId(), &parts);
}

void Ir::SetModule(OpId module) {
  const absl::Span<const RegionId> of_module = regions(op(module));
  if (of_module.empty() || region(of_module[0]).blocks.empty()) return;
  module_op_ = module;
  module_block_ = region(of_module[0]).blocks[0];
}

RegionId Ir::AddRegion() {
  regions_.emplace_back();
  return {static_cast<uint32_t>(regions_.size() - 1)};
}

BlockId Ir::AddBlock(RegionId region) {
  const BlockId id{static_cast<uint32_t>(blocks_.size())};
  blocks_.emplace_back();
  blocks_.back().region = region;
  regions_[region.index].blocks.push_back(id);
  return id;
}

ValueId Ir::AddArgument(BlockId block, TypeId type, StringId name,
                        AttrId location, Offset offset) {
  const ValueId id{static_cast<uint32_t>(values_.size())};
  Value value;
  value.type = type;
  value.block = block;
  value.index = static_cast<uint32_t>(blocks_[block.index].arguments.size());
  value.name = name;
  value.location = location;
  value.offset = offset;
  values_.push_back(value);
  blocks_[block.index].arguments.push_back(id);
  return id;
}

void Ir::Reserve(size_t ops) {
  ops_.reserve(ops);
  values_.reserve(ops);
  operands_.reserve(2 * ops);
}

OpId Ir::AddOp(BlockId block, OpParts* parts) {
  const OpId id{static_cast<uint32_t>(ops_.size())};
  ops_.emplace_back();
  Op& op = ops_.back();
  op.name = parts->name;
  op.block = block;
  op.location = parts->location;
  op.offset = parts->offset;
  op.first_operand = static_cast<uint32_t>(operands_.size());
  op.operand_count = static_cast<uint32_t>(parts->operands.size());
  operands_.insert(operands_.end(), parts->operands.begin(),
                   parts->operands.end());
  op.first_region = static_cast<uint32_t>(region_lists_.size());
  op.region_count = static_cast<uint32_t>(parts->regions.size());
  region_lists_.insert(region_lists_.end(), parts->regions.begin(),
                       parts->regions.end());
  op.first_result = {static_cast<uint32_t>(values_.size())};
  op.result_count = static_cast<uint32_t>(parts->results.size());
  for (uint32_t i = 0; i < op.result_count; ++i) {
    values_.emplace_back();
    Value& value = values_.back();
    value.type = parts->results[i];
    value.op = id;
    value.index = i;
    value.offset = parts->offset;
  }
  if (block.valid()) blocks_[block.index].ops.push_back(id);
  Sort(&parts->properties);
  Sort(&parts->discardable);
  SetSorted(id, parts->properties, parts->discardable);
  return id;
}

OpId Ir::AddOp(BlockId block, absl::string_view name,
               absl::Span<const ValueId> operands,
               absl::Span<const TypeId> results) {
  OpParts parts;
  parts.name = Intern(name);
  parts.operands = operands;
  parts.results = results;
  return AddOp(block, &parts);
}

void Ir::SetAttrs(OpId id, std::vector<NamedAttr> properties,
                  std::vector<NamedAttr> discardable) {
  Sort(&properties);
  Sort(&discardable);
  SetSorted(id, properties, discardable);
}

void Ir::SetSorted(OpId id, absl::Span<const NamedAttr> properties,
                   absl::Span<const NamedAttr> discardable) {
  Op& op = ops_[id.index];
  op.first_attr = static_cast<uint32_t>(attr_lists_.size());
  op.property_count = static_cast<uint32_t>(properties.size());
  op.discardable_count = static_cast<uint32_t>(discardable.size());
  attr_lists_.insert(attr_lists_.end(), properties.begin(), properties.end());
  attr_lists_.insert(attr_lists_.end(), discardable.begin(), discardable.end());
}

// --- Reading -----------------------------------------------------------------

std::vector<ValueId> Ir::results(const Op& op) const {
  std::vector<ValueId> results(op.result_count);
  for (uint32_t i = 0; i < op.result_count; ++i) results[i] = result(op, i);
  return results;
}

std::vector<TypeId> Ir::types_of(absl::Span<const ValueId> values) const {
  std::vector<TypeId> types;
  types.reserve(values.size());
  for (const ValueId value : values) types.push_back(type_of(value));
  return types;
}

AttrId Ir::Find(const Op& op, absl::string_view name) const {
  for (uint32_t i = 0; i < op.property_count + op.discardable_count; ++i) {
    const NamedAttr& attr = attr_lists_[op.first_attr + i];
    if (text(attr.name) == name) return attr.value;
  }
  return {};
}

}  // namespace indim::mlir
