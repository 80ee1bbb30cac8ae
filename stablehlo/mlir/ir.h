// SPDX-License-Identifier: Apache-2.0
// Ir: a program of MLIR in memory: operations, values, regions and blocks, with
// interned types and attributes. It knows no dialect: names of operations and
// attributes are text. Readers (text, bytecode) and the writer of graphs fill
// it; printers and the reader of graphs walk it.
//
//   mlir::Ir ir;
//   RegionId body = ir.AddRegion();
//   BlockId block = ir.AddBlock(body);
//   ValueId x = ir.AddArgument(block, type);
//   OpId add = ir.AddOp(block, "stablehlo.add", {x, x}, {type});
//
// Operands stand before their users in a block. Nothing here recurses, so
// nesting of any depth is safe to walk with a stack.

#ifndef INDIM_STABLEHLO_MLIR_IR_H_
#define INDIM_STABLEHLO_MLIR_IR_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/stablehlo/mlir/ids.h"
#include "indim/stablehlo/mlir/interned.h"

namespace indim::mlir {

// Where a thing stands in the text or bytecode that it was read from: an offset
// in bytes. kNowhere: it wasn't read.
using Offset = uint64_t;
inline constexpr Offset kNowhere = ~Offset{0};

struct Op {
  StringId name;               // "stablehlo.add", "func.func"
  uint32_t first_operand = 0;  // slices of the Ir's pools
  uint32_t operand_count = 0;
  uint32_t first_attr = 0;      // properties, then discardable attributes
  uint32_t property_count = 0;  // each part sorted by name
  uint32_t discardable_count = 0;
  uint32_t first_region = 0;
  uint32_t region_count = 0;
  ValueId first_result;  // results are consecutive values
  uint32_t result_count = 0;
  BlockId block;    // that it stands in; none: the outermost op
  AttrId location;  // none: unknown
  Offset offset = kNowhere;
};

struct Value {
  TypeId type;
  OpId op;             // that it is a result of; none: an argument of `block`
  BlockId block;       // that it is an argument of
  uint32_t index = 0;  // among the results or arguments
  StringId name;       // without %, as the text has it; none: it has none
  AttrId location;     // of an argument; none: unknown
  Offset offset = kNowhere;
};

struct Block {
  RegionId region;
  std::vector<ValueId> arguments;
  std::vector<OpId> ops;
};

struct Region {
  std::vector<BlockId> blocks;
};

class Ir : public Interned {
 public:
  using Interned::Find;

  Ir() = default;
  Ir(Ir&&) = default;
  Ir& operator=(Ir&&) = default;

  // --- Building ------------------------------------------------------------
  // The outermost operation, builtin.module, and its block.
  OpId module_op() const { return module_op_; }
  // Makes another builtin.module with a block the module.
  void SetModule(OpId module);
  BlockId module_block() const { return module_block_; }
  // Makes them; call it once, first.
  void MakeModule();
  // Makes room for about `ops` operations.
  void Reserve(size_t ops);

  RegionId AddRegion();
  BlockId AddBlock(RegionId region);
  ValueId AddArgument(BlockId block, TypeId type, StringId name = {},
                      AttrId location = {}, Offset offset = kNowhere);

  struct OpParts {
    StringId name;
    absl::Span<const ValueId> operands;
    absl::Span<const TypeId> results;
    std::vector<NamedAttr> properties;   // AddOp sorts them
    std::vector<NamedAttr> discardable;  // AddOp sorts them
    std::vector<RegionId> regions;
    AttrId location;
    Offset offset = kNowhere;
  };
  // Appends an operation to `block`.
  OpId AddOp(BlockId block, OpParts parts) { return AddOp(block, &parts); }
  // Appends an operation, and sorts the attributes of `parts` in place: their
  // memory can serve the next operation.
  OpId AddOp(BlockId block, OpParts* parts);
  OpId AddOp(BlockId block, absl::string_view name,
             absl::Span<const ValueId> operands,
             absl::Span<const TypeId> results);

  // Replaces the attributes of `op`.
  void SetAttrs(OpId op, std::vector<NamedAttr> properties,
                std::vector<NamedAttr> discardable);
  void SetLocation(OpId op, AttrId location) {
    ops_[op.index].location = location;
  }
  void SetOffset(OpId op, Offset offset) { ops_[op.index].offset = offset; }
  void SetName(ValueId value, StringId name) {
    values_[value.index].name = name;
  }
  // Of an argument whose type wasn't known when it was added.
  void SetType(ValueId value, TypeId type) { values_[value.index].type = type; }

  // --- Reading -------------------------------------------------------------
  const Op& op(OpId id) const { return ops_[id.index]; }
  const Value& value(ValueId id) const { return values_[id.index]; }
  const Block& block(BlockId id) const { return blocks_[id.index]; }
  const Region& region(RegionId id) const { return regions_[id.index]; }
  size_t op_count() const { return ops_.size(); }
  size_t value_count() const { return values_.size(); }
  size_t region_count() const { return regions_.size(); }

  absl::string_view name(const Op& op) const { return text(op.name); }
  absl::Span<const ValueId> operands(const Op& op) const {
    return absl::MakeConstSpan(operands_).subspan(op.first_operand,
                                                  op.operand_count);
  }
  absl::Span<const NamedAttr> properties(const Op& op) const {
    return absl::MakeConstSpan(attr_lists_)
        .subspan(op.first_attr, op.property_count);
  }
  absl::Span<const NamedAttr> discardable(const Op& op) const {
    return absl::MakeConstSpan(attr_lists_)
        .subspan(op.first_attr + op.property_count, op.discardable_count);
  }
  absl::Span<const RegionId> regions(const Op& op) const {
    return absl::MakeConstSpan(region_lists_)
        .subspan(op.first_region, op.region_count);
  }
  ValueId result(const Op& op, uint32_t i) const {
    return {op.first_result.index + i};
  }
  std::vector<ValueId> results(const Op& op) const;
  // The first block of a region of `op`.
  const Block& body(const Op& op, size_t region = 0) const {
    return block(regions_[regions(op)[region].index].blocks[0]);
  }
  TypeId type_of(ValueId id) const { return values_[id.index].type; }
  std::vector<TypeId> types_of(absl::Span<const ValueId> values) const;
  // A property, else a discardable attribute, of that name; none: it has none.
  AttrId Find(const Op& op, absl::string_view name) const;

 private:
  void SetSorted(OpId op, absl::Span<const NamedAttr> properties,
                 absl::Span<const NamedAttr> discardable);

  std::vector<Op> ops_;
  std::vector<Value> values_;
  std::vector<Block> blocks_;
  std::vector<Region> regions_;
  std::vector<ValueId> operands_;
  std::vector<NamedAttr> attr_lists_;
  std::vector<RegionId> region_lists_;
  OpId module_op_;
  BlockId module_block_;
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_MLIR_IR_H_
