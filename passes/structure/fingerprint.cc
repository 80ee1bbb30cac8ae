// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/structure/fingerprint.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/mix.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/empty_fields.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {
namespace {

namespace of_instruction = field::HloInstructionProto;
namespace of_module = field::HloModuleProto;
namespace of_config = field::HloModuleConfigProto;
namespace of_sharding = field::OpSharding;

// 128 bits, as two numbers that are mixed in different ways.
struct Mixed {
  uint64_t a = 0x9e3779b97f4a7c15;
  uint64_t b = 0xc2b2ae3d27d4eb4f;

  Mixed& Add(uint64_t number) {
    a = MixBits(a + number);
    b = MixBits(b * 0xff51afd7ed558ccd ^ (number + 0x2545f4914f6cdd1d));
    return *this;
  }
  Mixed& Add(const Mixed& other) { return Add(other.a).Add(other.b); }
  // Bytes in groups of eight, the first the lowest, and their number.
  Mixed& Add(absl::string_view bytes) {
    const size_t size = bytes.size();
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) Add(Number(bytes));
    if (!bytes.empty()) Add(Number(bytes));
    return Add(uint64_t{size});
  }
  // Whose order says nothing.
  void AddUnordered(const Mixed& other) {
    a += other.a;
    b += other.b;
  }

 private:
  static uint64_t Number(absl::string_view bytes) {
    uint64_t number = 0;
    for (size_t i = 0; i < std::min<size_t>(bytes.size(), 8); ++i) {
      number |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    }
    return number;
  }
};

// What counts of a message: its bytes without some fields.
Mixed OfFields(FieldList fields, std::initializer_list<uint32_t> without) {
  for (const uint32_t number : without) fields.Remove(number);
  return Mixed().Add(fields.Serialize());
}

// Whether the fields have this one, and it says nothing.
bool IsEmpty(const FieldList& fields, uint32_t number) {
  return fields.has(number) && fields.Text(number).empty();
}

// Whether the instruction's field has the value that it has when absent, which
// XLA's readers of text write.
bool IsDefault(const FieldList& fields, uint32_t number) {
  if (number == of_instruction::kSparsityConfig ||
      number == of_instruction::kBlockScalingConfig ||
      number == of_instruction::kPrecisionConfig) {
    return IsEmpty(fields, number);
  }
  return fields.Number(number) == 1;
}

// Takes precisions that are all the default out of the precision_config, beside
// an algorithm too; whether there were any.
bool RemoveDefaultPrecisions(FieldList* fields) {
  constexpr uint32_t kPrecisions = field::PrecisionConfig::kOperandPrecision;
  FieldList config(WireMessage::kPrecisionConfig,
                   fields->Text(of_instruction::kPrecisionConfig));
  const auto precisions = config.Numbers(kPrecisions);
  if (precisions.empty() ||
      std::any_of(precisions.begin(), precisions.end(),
                  [](int64_t precision) { return precision != 0; })) {
    return false;
  }
  config.Remove(kPrecisions);
  fields->SetText(of_instruction::kPrecisionConfig, config.Serialize());
  return true;
}

// A sharding without metadata, which its elements may have too.
Mixed OfSharding(absl::string_view wire) {
  FieldList fields(WireMessage::kOpSharding, wire);
  Mixed elements;
  for (const absl::string_view element :
       fields.Texts(of_sharding::kTupleShardings)) {
    elements.Add(OfSharding(element));
  }
  return OfFields(std::move(fields),
                  {of_sharding::kTupleShardings, of_sharding::kMetadata})
      .Add(elements);
}

class FingerprintOf {
 public:
  FingerprintOf(const ModuleData& data, const FingerprintOptions& options)
      : data_(data),
        options_(options),
        shapes_(data.pools->shapes().size()),
        attributes_(data.pools->attribute_bytes_count()),
        computations_(data.computations.size()),
        calls_(data.computations.size()) {}

  Mixed Run() {
    Mixed all;
    for (uint32_t c = 0; c < computations_.size(); ++c) {
      computations_[c] = OfComputation(c);
    }
    AddCallers();
    for (const Mixed& computation : computations_) {
      all.AddUnordered(computation);
    }
    std::map<int64_t, Mixed> by_channel;
    for (const ChannelUse& use : channel_uses_) {
      by_channel[use.channel].AddUnordered(
          Mixed(use.user).Add(computations_[use.computation]));
    }
    Mixed channels;
    for (const auto& [id, users] : by_channel) {
      channels.AddUnordered(Mixed().Add(users));
    }
    const bool has_entry = data_.entry < computations_.size();
    return Mixed()
        .Add(all)
        .Add(has_entry ? computations_[data_.entry] : Mixed())
        .Add(channels)
        .Add(OfModule());
  }

 private:
  // An instruction with the number of a channel.
  struct ChannelUse {
    int64_t channel;
    uint32_t computation;
    Mixed user;
  };
  // A call: the caller, and what its instruction and the callee's place are.
  struct Call {
    uint32_t caller;
    Mixed user;
  };

  // Adds to each computation by whom it is called, at any distance: callers
  // come after their callees.
  void AddCallers() {
    for (size_t c = computations_.size(); c > 0; --c) {
      Mixed callers;
      if (c - 1 == data_.entry) callers.Add(1);
      for (const Call& call : calls_[c - 1]) {
        callers.AddUnordered(Mixed(call.user).Add(computations_[call.caller]));
      }
      computations_[c - 1].Add(callers);
    }
  }

  Mixed OfModule() const {
    FieldList fields(WireMessage::kHloModuleProto, data_.other_fields);
    for (const uint32_t number :
         {of_module::kFrontendAttributes, of_module::kInputOutputAlias,
          of_module::kBufferDonor}) {
      if (IsEmpty(fields, number)) fields.Remove(number);
    }
    Mixed mixed = OfFields(
        std::move(fields),
        {of_module::kSchedule, of_module::kProfileInfo,
         of_module::kStackFrameIndex, of_module::kOriginalValueRecoveryTable,
         of_module::kPjrtId, of_module::kDebugAttributes,
         of_module::kDeviceAssignment, of_module::kSpmdOutputSharding,
         of_module::kSpmdParametersShardings});
    for (const auto* kinds :
         {&data_.argument_memory_kinds, &data_.result_memory_kinds}) {
      mixed.Add(uint64_t{kinds->size()});
      for (const auto& [number, kind] : *kinds) {
        mixed.Add(static_cast<uint64_t>(number)).Add(kind);
      }
    }
    FieldList config(WireMessage::kHloModuleConfigProto, data_.config);
    // One device: text has no place for the numbers then.
    for (const uint32_t number :
         {of_config::kReplicaCount, of_config::kNumPartitions}) {
      if (config.Number(number) == 1) config.Remove(number);
    }
    mixed.Add(OfFields(std::move(config),
                       {of_config::kLaunchId, of_config::kFramesInOrder}));
    // The layout of the entry: as it says, or of its parameters and result.
    const absl::StatusOr<ProgramShape> said =
        ParseProgramShapeProto(data_.host_program_shape);
    if (!data_.host_program_shape.empty() && said.ok()) {
      for (const Shape& shape : said->parameters) mixed.Add(TextOf(shape));
      return mixed.Add(TextOf(said->result));
    }
    if (data_.entry >= computations_.size()) return mixed;
    for (const uint32_t i : data_.Parameters(data_.entry)) {
      if (i < data_.computations[data_.entry].count) {
        mixed.Add(ShapeText(data_.Record(data_.entry, i)));
      }
    }
    const ComputationRecord& entry = data_.computations[data_.entry];
    if (entry.count == 0) return mixed;
    return mixed.Add(ShapeText(data_.Record(data_.entry, entry.root)));
  }

  std::string TextOf(const Shape& shape) const {
    return (options_.layouts ? shape : shape.WithoutLayout()).ToString();
  }
  std::string ShapeText(const InstructionRecord& r) const {
    return TextOf(data_.pools->shapes().shape(r.shape));
  }

  // Of a shape or attribute bytes, whose ids are numbers of `known`: made once.
  template <typename Value, typename Make>
  static const Value& Once(std::vector<std::pair<bool, Value>>* known,
                           size_t id, Make make) {
    auto& [is_made, value] = (*known)[id];
    if (!is_made) {
      value = make();
      is_made = true;
    }
    return value;
  }

  // What counts of attribute bytes, and their channel, which is 0 in most.
  struct OfBytes {
    Mixed mixed;
    int64_t channel = 0;
    bool has_comparison_type = false;  // rather than an order, or neither
    bool has_groups = false;
  };
  const OfBytes& Attributes(const InstructionRecord& r) {
    return Once(&attributes_, r.attribute_bytes.value, [&] {
      const AttributeBytesView bytes =
          data_.pools->attribute_bytes(r.attribute_bytes);
      FieldList fields = FieldList::Of(bytes);
      const int64_t channel = fields.Number(of_instruction::kChannelId);
      const bool has_type = fields.has(of_instruction::kComparisonType) &&
                            !fields.has(of_instruction::kComparisonOrder);
      const bool has_groups = HasGroups(fields);
      return OfBytes{OfAttributes(bytes, std::move(fields)), channel, has_type,
                     has_groups};
    });
  }

  // What counts of a comparison's attribute bytes without the comparison_type
  // that older XLA writes: as if they had it. Newer XLA writes an order; where
  // neither is there, the operand decides.
  Mixed OfOrder(uint32_t c, const InstructionRecord& r) {
    const AttributeBytesView bytes =
        data_.pools->attribute_bytes(r.attribute_bytes);
    absl::StatusOr<indim::Attributes> decoded =
        DecodeAttributes(Opcode::kCompare, bytes);
    if (!decoded.ok() || r.operand_count == 0) return Attributes(r).mixed;
    auto& comparison = std::get<CompareAttributes>(*decoded);
    const ShapeId operand = data_.Record(c, data_.Operands(r)[0]).shape;
    comparison.type = ComparisonOf(
        comparison.type, data_.pools->shapes().shape(operand).element_type());
    const OwnedAttributeBytes spelled =
        SpellAttributes(Opcode::kCompare, bytes, *decoded);
    return OfAttributes(spelled.view(), FieldList::Of(spelled.view()));
  }

  static bool HasGroups(const FieldList& fields) {
    return fields.has(of_instruction::kReplicaGroups) ||
           fields.has(of_instruction::kCollectiveDeviceList) ||
           fields.has(of_instruction::kIotaCollectiveDeviceList) ||
           fields.has(of_instruction::kMeshAxesReplicaGroupList);
  }

  // What counts of a collective's attribute bytes without groups, which older
  // XLA writes for no groups: as if they had newer XLA's empty list.
  Mixed OfNoGroups(const InstructionRecord& r) const {
    const AttributeBytesView bytes =
        data_.pools->attribute_bytes(r.attribute_bytes);
    FieldList fields = FieldList::Of(bytes);
    fields.SetText(of_instruction::kCollectiveDeviceList, "");
    const OwnedAttributeBytes spelled = fields.ToAttributeBytes();
    return OfAttributes(spelled.view(), FieldList::Of(spelled.view()));
  }

  // What counts of the attributes of instruction i, however they are spelled.
  Mixed OfSpelling(uint32_t c, uint32_t i) {
    const InstructionRecord& r = data_.Record(c, i);
    const OfBytes& attributes = Attributes(r);
    if (r.opcode == Opcode::kCompare && !attributes.has_comparison_type) {
      return OfOrder(c, r);
    }
    const bool lacks_groups =
        !attributes.has_groups &&
        Info(r.opcode).attributes == AttributesKind::kCollective;
    return lacks_groups ? OfNoGroups(r) : attributes.mixed;
  }

  static Mixed OfAttributes(AttributeBytesView bytes, FieldList fields) {
    Mixed mixed;
    bool is_whole = true;
    // Older XLA wrote groups in fields of their own: newer XLA has a list.
    if (fields.has(of_instruction::kReplicaGroups) ||
        !fields.Text(of_instruction::kCollectiveDeviceList).empty()) {
      SetReplicaGroups(ReplicaGroupsOf(fields), &fields);
      is_whole = false;
    }
    const auto remove = [&](uint32_t number) {
      fields.Remove(number);
      is_whole = false;
    };
    if (fields.has(of_instruction::kSharding)) {
      mixed.Add(OfSharding(fields.Text(of_instruction::kSharding)));
      remove(of_instruction::kSharding);
    }
    for (const uint32_t number : kNothingWhenEmpty) {
      if (IsEmpty(fields, number)) remove(number);
    }
    if (RemoveDefaultPrecisions(&fields)) is_whole = false;
    for (const uint32_t number :
         {of_instruction::kFeatureGroupCount, of_instruction::kBatchGroupCount,
          of_instruction::kPrecisionConfig, of_instruction::kSparsityConfig,
          of_instruction::kBlockScalingConfig}) {
      if (IsDefault(fields, number)) remove(number);
    }
    for (const uint32_t number :
         {of_instruction::kChannelId, of_instruction::kOriginalValue,
          of_instruction::kStatisticsViz}) {
      if (fields.has(number)) remove(number);
    }
    // Constants may be large: they aren't copied.
    if (is_whole) return mixed.Add(bytes.before_id).Add(bytes.after_callees);
    const OwnedAttributeBytes left = fields.ToAttributeBytes();
    return mixed.Add(left.before_id).Add(left.after_callees);
  }

  // What an instruction says without operands and callees.
  Mixed OfSignature(uint32_t c, uint32_t i) {
    const uint32_t position = data_.Position(c, i);
    const InstructionRecord& r = data_.instructions[position];
    const Mixed& shape = Once(&shapes_, r.shape.value,
                              [&] { return Mixed().Add(ShapeText(r)); });
    return Mixed()
        .Add(data_.OpcodeName(position))
        .Add(shape)
        .Add(OfSpelling(c, i))
        .Add(r.operand_count)
        .Add(r.callee_count);
  }

  // The positions, in the computation, of what must run before.
  std::vector<uint32_t> ControlPredecessors(uint32_t c,
                                            const InstructionRecord& r) {
    std::vector<uint32_t> positions;
    const AttributeBytesView bytes =
        data_.pools->attribute_bytes(r.attribute_bytes);
    if (bytes.control.empty()) return positions;
    if (ids_of_ != c) {
      ids_.clear();
      ids_of_ = c;
      for (uint32_t i = 0; i < data_.computations[c].count; ++i) {
        ids_.emplace(data_.InstructionId(data_.Position(c, i)), i);
      }
    }
    for (const int64_t id :
         FieldList::Of(bytes).Numbers(of_instruction::kControlPredecessorIds)) {
      const auto found = ids_.find(id);
      if (found != ids_.end()) positions.push_back(found->second);
    }
    return positions;
  }

  Mixed OfComputation(uint32_t c) {
    const ComputationRecord& record = data_.computations[c];
    // By what each is computed from, then also by whom it is used.
    std::vector<Mixed> up(record.count), down(record.count);
    for (uint32_t i = 0; i < record.count; ++i) {
      const InstructionRecord& r = data_.Record(c, i);
      up[i] = OfSignature(c, i);
      for (const uint32_t operand : data_.Operands(r)) up[i].Add(up[operand]);
      for (const uint32_t callee : data_.Callees(r)) {
        up[i].Add(computations_[callee]);
      }
      Mixed before;
      for (const uint32_t other : ControlPredecessors(c, r)) {
        if (other < i) before.AddUnordered(up[other]);
      }
      up[i].Add(before);
    }
    if (record.count > 0) down[record.root].Add(1);
    Mixed all;
    for (uint32_t n = record.count; n > 0; --n) {
      const InstructionRecord& r = data_.Record(c, n - 1);
      const Mixed user = Mixed().Add(up[n - 1]).Add(down[n - 1]);
      uint64_t number = 0;
      for (const uint32_t operand : data_.Operands(r)) {
        down[operand].AddUnordered(Mixed(user).Add(number++));
      }
      for (const uint32_t other : ControlPredecessors(c, r)) {
        if (other < n - 1) down[other].AddUnordered(Mixed(user).Add(~number));
      }
      for (const uint32_t callee : data_.Callees(r)) {
        calls_[callee].push_back({c, Mixed(user).Add(number++)});
      }
      all.AddUnordered(user);
      const int64_t channel = Attributes(r).channel;
      if (channel > 0) channel_uses_.push_back({channel, c, user});
    }
    return OfFields(FieldList(WireMessage::kHloComputationProto,
                              record.other_fields),
                    {})
        .Add(all)
        .Add(record.count);
  }

  const ModuleData& data_;
  const FingerprintOptions options_;
  std::vector<std::pair<bool, Mixed>> shapes_;        // by ShapeId
  std::vector<std::pair<bool, OfBytes>> attributes_;  // by AttributeBytesId
  std::vector<Mixed> computations_;
  std::vector<std::vector<Call>> calls_;  // of each computation
  std::vector<ChannelUse> channel_uses_;
  absl::flat_hash_map<int64_t, uint32_t> ids_;  // of computation ids_of_
  uint32_t ids_of_ = ~uint32_t{0};
};

}  // namespace

std::string Fingerprint(const Module& module,
                        const FingerprintOptions& options) {
  const Mixed mixed = FingerprintOf(internal::DataOf(module), options).Run();
  return absl::StrFormat("1:%016x%016x", mixed.a, mixed.b);
}

}  // namespace indim
