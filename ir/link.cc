// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/link.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/append_record.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim::internal {

using field::HloInstructionProto::kControlPredecessorIds;

std::string MapControl(
    absl::string_view field,
    absl::FunctionRef<std::optional<uint64_t>(uint64_t)> number_of) {
  std::vector<int64_t> mapped;
  wire_fields::AllRecords(field, [&](const wire_fields::Record& record) {
    std::vector<int64_t> numbers;
    wire_fields::Unpack(record.value, &numbers);
    for (const int64_t number : numbers) {
      const auto to = number_of(static_cast<uint64_t>(number));
      if (to) mapped.push_back(static_cast<int64_t>(*to));
    }
    return true;
  });
  std::string result;
  wire_fields::AppendPacked(kControlPredecessorIds, mapped, &result);
  return result;
}

namespace {

// Converts the control predecessors of the computation at `first` of `*to` to
// the new form and order. Few graphs have any.
void TranslateControl(const ModuleData& from, const ComputationRecord& source,
                      ControlForm from_form, ControlForm to_form,
                      absl::Span<const uint32_t> place_of, uint32_t first,
                      ModuleData* to) {
  absl::flat_hash_map<uint64_t, uint32_t> position_of;
  for (uint32_t i = 0; i < source.count; ++i) {
    InstructionRecord& record = to->instructions[first + i];
    const AttributeBytesView attribute_bytes =
        to->pools->attribute_bytes(record.attribute_bytes);
    if (attribute_bytes.control.empty()) continue;
    if (from_form == ControlForm::kIds && position_of.empty()) {
      for (uint32_t j = 0; j < source.count; ++j) {
        position_of.emplace(
            static_cast<uint64_t>(from.InstructionId(source.first + j)), j);
      }
    }
    const std::string control = MapControl(
        attribute_bytes.control, [&](uint64_t n) -> std::optional<uint64_t> {
          if (from_form == ControlForm::kIds) {
            auto found = position_of.find(n);
            if (found == position_of.end()) return std::nullopt;
            n = found->second;
          }
          if (!place_of.empty()) n = place_of[n];
          // Ids follow from positions: see ModuleData::ids.
          return to_form == ControlForm::kIds ? first + n + 1 : n;
        });
    record.attribute_bytes = to->pools->AddAttributeBytes(
        {attribute_bytes.before_id, control, attribute_bytes.after_callees});
  }
}

// The metadata of an instruction without references to tables of the module.
std::string OwnMetadata(const ModuleData& from, uint32_t computation,
                        uint32_t i) {
  namespace of = field::OpMetadata;
  const Instruction instruction = InstructionOf(&from, computation, i);
  FieldList fields(WireMessage::kOpMetadata, instruction.metadata());
  if (fields.has(of::kStackFrameId)) {
    const SourceLocation place = instruction.location();
    fields.Remove(of::kStackFrameId);
    fields.SetText(of::kSourceFile, place.file);
    fields.SetNumber(of::kSourceLine, place.line);
  }
  if (fields.has(of::kMetadataPayload)) {
    FieldList module(WireMessage::kHloModuleProto, from.other_fields);
    const std::vector<absl::string_view> payloads =
        module.Texts(field::HloModuleProto::kPayloads);
    FieldList payload(WireMessage::kPayload, fields.Text(of::kMetadataPayload));
    const int64_t index = payload.Number(field::Payload::kId);
    if (payload.has(field::Payload::kId) && index >= 0 &&
        index < static_cast<int64_t>(payloads.size())) {
      FieldList value(WireMessage::kPayload);
      value.SetText(field::Payload::kValue,
                    payloads[static_cast<size_t>(index)]);
      fields.SetText(of::kMetadataPayload, value.Serialize());
    }
  }
  return fields.Serialize();
}

// Adds the record of the computation whose instructions begin at `first`.
uint32_t AddRecord(ComputationRecord record, uint32_t first, ModuleData* to) {
  record.first = first;
  record.id = static_cast<int64_t>(to->computations.size()) + 1;
  to->computations.push_back(std::move(record));
  return static_cast<uint32_t>(to->computations.size() - 1);
}

// A set of numbers below `limit`. While few, they are hashed, so that finding a
// small part of a large graph is fast.
class NumberSet {
 public:
  explicit NumberSet(size_t limit) : limit_(limit) {}

  // False: `number` was there already.
  bool Insert(uint32_t number) {
    if (!bits_.empty()) {
      if (bits_[number]) return false;
      bits_[number] = true;
      return true;
    }
    if (!hashed_.insert(number).second) return false;
    if (hashed_.size() * 64 > limit_) {
      bits_.resize(limit_);
      for (const uint32_t member : hashed_) bits_[member] = true;
    }
    return true;
  }

  std::vector<uint32_t> Ascending() const {
    std::vector<uint32_t> result;
    if (bits_.empty()) {
      result.assign(hashed_.begin(), hashed_.end());
      std::sort(result.begin(), result.end());
    }
    for (uint32_t i = 0; i < bits_.size(); ++i) {
      if (bits_[i]) result.push_back(i);
    }
    return result;
  }

 private:
  const size_t limit_;
  absl::flat_hash_set<uint32_t> hashed_;
  std::vector<bool> bits_;  // used once there are many
};

}  // namespace

ShapeId IdMap::Map(ShapeId id) {
  if (!id || from_.get() == to_) return id;
  auto [at, inserted] = shapes_.try_emplace(id);
  if (!inserted) return at->second;
  // By its bytes, to keep a spelling that isn't ours.
  absl::StatusOr<ShapeId> mapped =
      to_->shapes().InternWire(from_->shapes().wire(id));
  at->second =
      mapped.ok() ? *mapped : to_->shapes().Intern(from_->shapes().shape(id));
  return at->second;
}

AttributeBytesId IdMap::Map(AttributeBytesId id) {
  if (!id || from_.get() == to_) return id;
  auto [at, inserted] = attribute_bytes_.try_emplace(id);
  if (!inserted) return at->second;
  const AttributeBytesView attribute_bytes = from_->attribute_bytes(id);
  if (attribute_bytes.size() > Pools::kManyAttributeBytes) {
    if (!kept_) to_->KeepAlive(from_);
    kept_ = true;
    at->second = to_->AddAttributeBytesView(attribute_bytes);
  } else {
    at->second = to_->AddAttributeBytes(attribute_bytes);
  }
  return at->second;
}

MetadataId IdMap::Map(MetadataId id) {
  if (!id || from_.get() == to_) return id;
  auto [at, inserted] = metadata_.try_emplace(id);
  if (inserted) at->second = to_->AddMetadata(from_->metadata(id));
  return at->second;
}

MetadataId IdMap::MapMetadata(const ModuleData& from, uint32_t computation,
                              uint32_t i) {
  const MetadataId id = from.Record(computation, i).metadata;
  // Modules without other fields have no tables.
  if (!id || from_.get() == to_ || from.other_fields.empty()) return Map(id);
  auto [at, inserted] = metadata_.try_emplace(id);
  if (!inserted) return at->second;
  const std::string own = OwnMetadata(from, computation, i);
  at->second = own.empty() ? MetadataId() : to_->AddMetadata(own);
  return at->second;
}

absl::string_view IdMap::Map(absl::string_view kept) {
  if (from_.get() == to_) return kept;
  return to_->KeepBytes(std::string(kept));
}

NameId IdMap::Map(NameId id) {
  // Each name is used once: no need to remember the new id.
  if (!id || from_.get() == to_) return id;
  return to_->AddName(from_->name(id));
}

bool IdMap::HasControl(AttributeBytesId id) {
  if (!id) return false;
  if (id.value >= control_.size()) {
    control_.resize(2 * id.value + 1, Control::kUnknown);
  }
  Control& control = control_[id.value];
  if (control == Control::kUnknown) {
    control = to_->attribute_bytes(id).control.empty() ? Control::kNone
                                                       : Control::kSome;
  }
  return control == Control::kSome;
}

std::vector<uint32_t> InverseOf(absl::Span<const uint32_t> order) {
  std::vector<uint32_t> place(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<uint32_t>(i);
  }
  return place;
}

uint32_t AppendModule(ModuleData&& from, ControlForm to_form,
                      absl::FunctionRef<uint32_t(uint32_t)> callee_of,
                      ModuleData* to) {
  ComputationRecord source = std::move(from.computations[0]);
  const uint32_t first = static_cast<uint32_t>(to->instructions.size());
  AppendRecords(std::move(from.instructions), std::move(from.operands),
                &to->operands, &to->instructions);
  IdMap same(to->pools, to->pools.get());
  bool has_control = false;
  for (size_t i = first; i < to->instructions.size(); ++i) {
    const InstructionRecord& record = to->instructions[i];
    const uint32_t callees = record.first_operand + record.operand_count;
    for (uint32_t k = callees; k < callees + record.callee_count; ++k) {
      to->operands[k] = callee_of(to->operands[k]);
    }
    has_control |=
        to_form == ControlForm::kIds && same.HasControl(record.attribute_bytes);
  }
  if (has_control) {
    TranslateControl(from, source, ControlForm::kPositions, to_form, {}, first,
                     to);
  }
  return AddRecord(std::move(source), first, to);
}

uint32_t AppendComputation(const ModuleData& from, uint32_t index,
                           ControlForm from_form, ControlForm to_form,
                           absl::FunctionRef<uint32_t(uint32_t)> callee_of,
                           IdMap* map, ModuleData* to,
                           absl::Span<const uint32_t> order) {
  const ComputationRecord& source = from.computations[index];
  const uint32_t first = static_cast<uint32_t>(to->instructions.size());
  const std::vector<uint32_t> place_of = InverseOf(order);
  const bool translates = from_form != to_form || !order.empty();
  bool has_control = false;
  for (uint32_t k = 0; k < source.count; ++k) {
    const uint32_t i = order.empty() ? k : order[k];
    const uint32_t position = source.first + i;
    const InstructionRecord& old = from.instructions[position];
    InstructionRecord& record = AppendRecordMapped(
        old, from.Operands(old),
        [&](uint32_t k) { return order.empty() ? k : place_of[k]; },
        from.Callees(old), callee_of, &to->operands, &to->instructions);
    record.shape = map->Map(record.shape);
    record.attribute_bytes = map->Map(record.attribute_bytes);
    record.metadata = map->MapMetadata(from, index, i);
    record.name = map->Map(record.name);
    has_control |= translates && map->HasControl(record.attribute_bytes);
    if (record.unknown_opcode) {
      const absl::string_view name = from.OpcodeName(position);
      if (!name.empty()) to->opcode_names.emplace_back(first + k, name);
    }
  }
  if (has_control) {
    TranslateControl(from, source, from_form, to_form, place_of, first, to);
  }
  ComputationRecord record = source;
  record.name = map->Map(source.name);
  record.program_shape = map->Map(source.program_shape);
  record.other_fields = map->Map(source.other_fields);
  if (!order.empty()) record.root = place_of[source.root];
  return AddRecord(std::move(record), first, to);
}

std::vector<uint32_t> Reachable(const ModuleData& data,
                                absl::Span<const uint32_t> roots) {
  NumberSet seen(data.computations.size());
  std::vector<uint32_t> pending;
  const auto add = [&](uint32_t computation) {
    if (seen.Insert(computation)) pending.push_back(computation);
  };
  for (const uint32_t root : roots) add(root);
  while (!pending.empty()) {
    const uint32_t computation = pending.back();
    pending.pop_back();
    for (const InstructionRecord& record : data.Instructions(computation)) {
      for (uint32_t callee : data.Callees(record)) add(callee);
    }
  }
  return seen.Ascending();
}

}  // namespace indim::internal
