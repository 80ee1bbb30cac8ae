// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/artifact_writer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/stablehlo/bytecode/emitter.h"
#include "indim/stablehlo/bytecode/entry_writer.h"
#include "indim/stablehlo/bytecode/op_plan.h"
#include "indim/stablehlo/bytecode/sections.h"

namespace indim::mlir {
namespace {

// Regions this deep in others stand in sections of their own, if they can.
constexpr size_t kDeepestSection = 16;

// A region that is being written, and where it stands in it.
struct RegionBeingWritten {
  OpId op;
  uint32_t region = 0;       // of op's
  size_t block = 0;          // of the region's
  size_t at = 0;             // of the block's operations
  uint32_t first_value = 0;  // of the region's values
  uint32_t next_value = 0;
  uint32_t end_value = 0;
  bool in_section = false;
};

class Writer {
 public:
  Writer(Ir* ir, Version target, bool mixed)
      : ir_(*ir), plan_(ir, target, mixed) {}

  absl::StatusOr<std::string> Write(Version target);

 private:
  void WriteIr();
  void BeginOp(OpId id, RegionBeingWritten* frame);
  void BeginRegions(OpId id, const RegionBeingWritten& outer);
  void BeginRegion(RegionBeingWritten* frame);
  void BeginBlock(RegionBeingWritten* frame);
  void EndRegions();
  // The values and operations that stand in a block.
  uint32_t OpsOf(const Block& block) const;
  uint32_t ValuesOf(const Region& region) const;
  void Define(ValueId value, RegionBeingWritten* frame) {
    numbers_[value.index] = frame->next_value++;
  }
  void WriteCasts(absl::Span<const ValueId> values, AttrId location,
                  RegionBeingWritten* frame);
  // An operation of one result without attributes.
  uint32_t WriteSimple(uint32_t name, AttrId location, TypeId type,
                       Dialect dialect, absl::Span<const uint32_t> operands,
                       RegionBeingWritten* frame);
  void WriteTan(OpId id, RegionBeingWritten* frame);
  uint32_t NumberOf(ValueId value, Dialect dialect) const {
    if (plan_.DialectOf(value) == dialect) return numbers_[value.index];
    const auto found = cast_numbers_.find(value.index);
    return found == cast_numbers_.end() ? 0 : found->second;
  }
  void WriteOperands(const Op& op, Dialect dialect);
  void WriteDialects(std::string* out);
  void WriteProperties(std::string* out);

  Ir& ir_;
  OpPlans plan_;
  std::vector<uint32_t> op_name_numbers_;
  std::vector<uint32_t> op_name_order_;
  std::vector<uint32_t> numbers_;  // by value
  absl::flat_hash_map<uint32_t, uint32_t> cast_numbers_;
  std::vector<RegionBeingWritten> frames_;
  std::string out_;
  std::vector<std::string> outer_;  // what stands before open sections
};

// --- Operations --------------------------------------------------------------

uint32_t Writer::OpsOf(const Block& block) const {
  uint32_t count = static_cast<uint32_t>(block.ops.size());
  for (const ValueId value : block.arguments) count += plan_.HasCast(value);
  for (const OpId id : block.ops) count += plan_.ExtraOps(id);
  return count;
}

uint32_t Writer::ValuesOf(const Region& region) const {
  uint32_t count = 0;
  for (const BlockId id : region.blocks) {
    const Block& block = ir_.block(id);
    count += static_cast<uint32_t>(block.arguments.size());
    for (const ValueId value : block.arguments) count += plan_.HasCast(value);
    for (const OpId op : block.ops) {
      count += ir_.op(op).result_count + plan_.ExtraOps(op);
    }
  }
  return count;
}

uint32_t Writer::WriteSimple(uint32_t name, AttrId location, TypeId type,
                             Dialect dialect,
                             absl::Span<const uint32_t> operands,
                             RegionBeingWritten* frame) {
  AppendVarint(op_name_numbers_[name], &out_);
  AppendByte(kHasResults | kHasOperands, &out_);
  AppendVarint(plan_.entries().NumberOfAttr(location, Dialect::kBuiltin),
               &out_);
  AppendVarint(1, &out_);
  AppendVarint(plan_.entries().NumberOfType(type, dialect), &out_);
  AppendVarint(operands.size(), &out_);
  for (const uint32_t operand : operands) AppendVarint(operand, &out_);
  return frame->next_value++;
}

// Values that are used in another dialect than they are defined in.
void Writer::WriteCasts(absl::Span<const ValueId> values, AttrId location,
                        RegionBeingWritten* frame) {
  for (const ValueId value : values) {
    if (!plan_.HasCast(value)) continue;
    const Dialect other = OtherDialect(plan_.DialectOf(value));
    cast_numbers_[value.index] =
        WriteSimple(plan_.cast_name(), location, ir_.type_of(value), other,
                    {numbers_[value.index]}, frame);
  }
}

void Writer::WriteTan(OpId id, RegionBeingWritten* frame) {
  const Op& op = ir_.op(id);
  const AttrId location = plan_.of(id).location;
  const TypeId type = ir_.type_of(op.first_result);
  const uint32_t operand = NumberOf(ir_.operands(op)[0], Dialect::kVhlo);
  const OpPlans::TanNames& names = plan_.tan_names();
  const uint32_t sine =
      WriteSimple(names.sine, location, type, Dialect::kVhlo, {operand}, frame);
  const uint32_t cosine = WriteSimple(names.cosine, location, type,
                                      Dialect::kVhlo, {operand}, frame);
  numbers_[op.first_result.index] = WriteSimple(
      names.divide, location, type, Dialect::kVhlo, {sine, cosine}, frame);
}

void Writer::WriteOperands(const Op& op, Dialect dialect) {
  AppendVarint(op.operand_count, &out_);
  for (const ValueId operand : ir_.operands(op)) {
    AppendVarint(NumberOf(operand, dialect), &out_);
  }
}

// Up to its regions, which follow.
void Writer::BeginOp(OpId id, RegionBeingWritten* frame) {
  const Op& op = ir_.op(id);
  const OpPlan& plan = plan_.of(id);
  const std::vector<ValueId> results = ir_.results(op);
  if (plan.is_tan) {
    WriteTan(id, frame);
    return WriteCasts(results, plan.location, frame);
  }
  const uint32_t mask =
      (plan.dictionary.valid() ? kHasAttributes : 0) |
      (plan.properties != OpPlan::kNoProperties ? kHasProperties : 0) |
      (op.result_count > 0 ? kHasResults : 0) |
      (op.operand_count > 0 ? kHasOperands : 0) |
      (op.region_count > 0 ? kHasRegions : 0);
  EntryWriter& entries = plan_.entries();
  AppendVarint(op_name_numbers_[plan.name], &out_);
  AppendByte(static_cast<uint8_t>(mask), &out_);
  AppendVarint(entries.NumberOfAttr(plan.location, Dialect::kBuiltin), &out_);
  if (plan.dictionary.valid()) {
    AppendVarint(
        entries.NumberOfAttr(plan.dictionary, DictionaryDialect(plan.dialect)),
        &out_);
  }
  if (plan.properties != OpPlan::kNoProperties) {
    AppendVarint(plan.properties, &out_);
  }
  if (op.result_count > 0) {
    AppendVarint(op.result_count, &out_);
    for (const ValueId result : results) {
      AppendVarint(entries.NumberOfType(ir_.type_of(result), plan.dialect),
                   &out_);
      Define(result, frame);
    }
  }
  if (op.operand_count > 0) WriteOperands(op, plan.dialect);
  if (op.region_count == 0) WriteCasts(results, plan.location, frame);
}

// --- Regions -----------------------------------------------------------------

void Writer::BeginRegions(OpId id, const RegionBeingWritten& outer) {
  const Op& op = ir_.op(id);
  RegionBeingWritten frame;
  frame.op = id;
  frame.in_section =
      frames_.size() < kDeepestSection && plan_.of(id).is_isolated;
  AppendVarint(uint64_t{op.region_count} << 1 | (frame.in_section ? 1 : 0),
               &out_);
  // Values of nested regions have numbers behind those of the outer region.
  frame.first_value = frame.in_section ? 0 : outer.end_value;
  if (frame.in_section) {
    outer_.push_back(std::move(out_));
    out_.clear();
  }
  frames_.push_back(frame);
  BeginRegion(&frames_.back());
}

void Writer::BeginRegion(RegionBeingWritten* frame) {
  const Region& region =
      ir_.region(ir_.regions(ir_.op(frame->op))[frame->region]);
  frame->block = 0;
  frame->at = 0;
  frame->next_value = frame->first_value;
  frame->end_value = frame->first_value;
  AppendVarint(region.blocks.size(), &out_);
  if (region.blocks.empty()) return;
  const uint32_t values = ValuesOf(region);
  frame->end_value += values;
  AppendVarint(values, &out_);
  BeginBlock(frame);
}

void Writer::BeginBlock(RegionBeingWritten* frame) {
  const Region& region =
      ir_.region(ir_.regions(ir_.op(frame->op))[frame->region]);
  const Block& block = ir_.block(region.blocks[frame->block]);
  const bool has_arguments = !block.arguments.empty();
  AppendVarint(uint64_t{OpsOf(block)} << 1 | (has_arguments ? 1 : 0), &out_);
  frame->at = 0;
  if (!has_arguments) return;
  EntryWriter& entries = plan_.entries();
  AppendVarint(block.arguments.size(), &out_);
  for (const ValueId id : block.arguments) {
    const Value& value = ir_.value(id);
    const bool located = value.location.valid();
    AppendVarint(entries.NumberOfType(value.type, plan_.DialectOf(id)) << 1 |
                     (located ? 1 : 0),
                 &out_);
    if (located) {
      AppendVarint(entries.NumberOfAttr(value.location, Dialect::kBuiltin),
                   &out_);
    }
    Define(id, frame);
  }
  AppendByte(0, &out_);  // no orders of uses
  WriteCasts(block.arguments, plan_.of(frame->op).location, frame);
}

void Writer::EndRegions() {
  const RegionBeingWritten frame = frames_.back();
  frames_.pop_back();
  if (frame.in_section) {
    const std::string contents = std::move(out_);
    out_ = std::move(outer_.back());
    outer_.pop_back();
    AppendSection(kIrSection, contents, &out_);
  }
  if (frames_.empty()) return;
  WriteCasts(ir_.results(ir_.op(frame.op)), plan_.of(frame.op).location,
             &frames_.back());
}

void Writer::WriteIr() {
  numbers_.resize(ir_.value_count());
  AppendVarint(1 << 1, &out_);  // one operation
  RegionBeingWritten none;
  BeginOp(ir_.module_op(), &none);
  BeginRegions(ir_.module_op(), none);
  while (!frames_.empty()) {
    RegionBeingWritten& frame = frames_.back();
    const Op& op = ir_.op(frame.op);
    const Region& region = ir_.region(ir_.regions(op)[frame.region]);
    if (frame.block < region.blocks.size()) {
      const Block& block = ir_.block(region.blocks[frame.block]);
      if (frame.at < block.ops.size()) {
        const OpId next = block.ops[frame.at++];
        BeginOp(next, &frame);
        if (ir_.op(next).region_count > 0) BeginRegions(next, frame);
      } else if (++frame.block < region.blocks.size()) {
        BeginBlock(&frame);
      }
    } else if (frame.region + 1 < op.region_count) {
      ++frame.region;
      BeginRegion(&frame);
    } else {
      EndRegions();
    }
  }
}

// --- Tables ------------------------------------------------------------------

// Names of operations stand in groups of one dialect, as entries do.
void Writer::WriteDialects(std::string* out) {
  EntryWriter& entries = plan_.entries();
  AppendVarint(entries.dialects().size(), out);
  for (const std::string& dialect : entries.dialects()) {
    AppendVarint(entries.NumberOfString(dialect) << 1, out);
  }
  const std::vector<OpPlans::Name>& names = plan_.names();
  AppendVarint(names.size(), out);
  for (size_t i = 0; i < op_name_order_.size();) {
    const uint32_t dialect = names[op_name_order_[i]].dialect;
    size_t end = i;
    while (end < op_name_order_.size() &&
           names[op_name_order_[end]].dialect == dialect) {
      ++end;
    }
    AppendVarint(dialect, out);
    AppendVarint(end - i, out);
    for (; i < end; ++i) {
      const uint64_t text =
          entries.NumberOfString(names[op_name_order_[i]].text);
      AppendVarint(text << 1 | 1, out);
    }
  }
}

void Writer::WriteProperties(std::string* out) {
  AppendVarint(plan_.properties().size(), out);
  std::string bytes;
  for (const OpPlans::Properties& properties : plan_.properties()) {
    bytes.clear();
    for (const OpPlans::Property& property : properties.values) {
      const uint64_t number =
          property.value.valid()
              ? plan_.entries().NumberOfAttr(property.value, properties.dialect)
              : 0;
      if (!property.optional) {
        AppendVarint(number, &bytes);
      } else {
        AppendVarint(property.value.valid() ? number << 1 | 1 : 0, &bytes);
      }
    }
    AppendVarint(bytes.size(), out);
    out->append(bytes);
  }
}

absl::StatusOr<std::string> Writer::Write(Version target) {
  absl::Status status = plan_.Make();
  if (!status.ok()) return status;
  plan_.entries().NumberAll();
  std::vector<uint32_t> uses;
  std::vector<uint32_t> dialects;
  for (const OpPlans::Name& name : plan_.names()) {
    uses.push_back(name.uses);
    dialects.push_back(name.dialect);
  }
  op_name_order_ = NumberingOrder(uses, dialects);
  op_name_numbers_.resize(op_name_order_.size());
  for (size_t i = 0; i < op_name_order_.size(); ++i) {
    op_name_numbers_[op_name_order_[i]] = static_cast<uint32_t>(i);
  }
  WriteIr();
  std::string dialect_section;
  WriteDialects(&dialect_section);
  std::string entries;
  std::string sizes;
  plan_.entries().WriteEntries(&entries, &sizes);
  std::string properties;
  WriteProperties(&properties);
  std::string strings;
  plan_.entries().WriteStrings(&strings);

  std::string artifact;
  constexpr size_t kHeaders = 256;  // of the file and its sections
  artifact.reserve(dialect_section.size() + sizes.size() + entries.size() +
                   out_.size() + strings.size() + properties.size() + kHeaders);
  artifact.append(kBytecodeMagic.data(), kBytecodeMagic.size());
  AppendVarint(static_cast<uint64_t>(BytecodeFormatOf(target)), &artifact);
  absl::StrAppend(&artifact, kProducer, ToString(target));
  artifact.push_back('\0');
  AppendSection(kDialectSection, dialect_section, &artifact);
  AppendSection(kEntrySizeSection, sizes, &artifact);
  AppendSection(kEntrySection, entries, &artifact);
  AppendSection(kIrSection, out_, &artifact);
  AppendSection(kResourceSizeSection, std::string(1, '\1'), &artifact);
  AppendSection(kResourceSection, "", &artifact);
  AppendSection(kStringSection, strings, &artifact);
  AppendSection(kPropertySection, properties, &artifact);
  return artifact;
}

}  // namespace

absl::StatusOr<std::string> WriteArtifact(Ir* ir,
                                          const ArtifactOptions& options) {
  // Releases with the same operations differ in the last number alone.
  const Version target = {options.target.major, options.target.minor, 0};
  if (target < kOldestTarget || kNewestRelease < target) {
    return absl::InvalidArgumentError(absl::StrCat(
        "artifacts are written for StableHLO ", ToString(kOldestTarget), " to ",
        ToString(kNewestRelease), ", not for ", ToString(options.target)));
  }
  if (!ir->module_op().valid()) {
    return absl::InvalidArgumentError("the program has no module");
  }
  return Writer(ir, target, options.mixed).Write(options.target);
}

}  // namespace indim::mlir
