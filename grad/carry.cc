// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/carry.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attributes.h"
#include "indim/sharding/sharding.h"

namespace indim::internal {
namespace {

// One flag holds for all parameters (or results); one for each doesn't.
void KeepOnlyOneFlag(uint32_t field, FieldList* config) {
  if (config->Numbers(field).size() > 1) config->Remove(field);
}

template <typename T>
int64_t ChannelIn(const Attributes& attributes) {
  return As<T>(attributes).channel_id;
}

}  // namespace

Module WithPropertiesOf(const Module& module, Module derivative) {
  namespace of = field::HloModuleProto;
  namespace config_of = field::HloModuleConfigProto;
  const ModuleData& from = DataOf(module);
  FieldList config(WireMessage::kHloModuleConfigProto, from.config);
  KeepOnlyOneFlag(config_of::kAllowSpmdShardingPropagationToOutput, &config);
  KeepOnlyOneFlag(config_of::kAllowSpmdShardingPropagationToParameters,
                  &config);
  config.Remove(config_of::kFramesInOrder);
  const FieldList all(WireMessage::kHloModuleProto, from.other_fields);
  FieldList fields(WireMessage::kHloModuleProto);
  for (const uint32_t field :
       {of::kDeviceAssignment, of::kFrontendAttributes, of::kDeviceType}) {
    if (all.has(field)) fields.SetText(field, all.Text(field));
  }
  if (all.has(of::kUseAutoSpmdPartitioning)) {
    fields.SetNumber(of::kUseAutoSpmdPartitioning, 1);
  }
  const std::shared_ptr<ModuleData> data = TakeData(std::move(derivative));
  data->config = config.Serialize();
  data->other_fields = fields.Serialize();
  return ModuleOf(data);
}

std::optional<std::string> ShardingOf(const Instruction& instruction) {
  bool present = false;  // a replicated one has no bytes
  const absl::string_view bytes =
      AttributeBytesField(AttributeBytesOf(instruction),
                          field::HloInstructionProto::kSharding, &present);
  return present ? std::optional<std::string>(bytes) : std::nullopt;
}

std::optional<std::string> NoteOf(const Instruction& instruction,
                                  absl::string_view key) {
  return FrontendAttribute(
      FieldsOf(instruction)
          .Text(field::HloInstructionProto::kFrontendAttributes),
      key);
}

std::optional<std::string> ShardingOfLeaf(const Instruction& root, size_t i,
                                          size_t count) {
  if (const std::optional<std::string> whole = ShardingOf(root)) {
    return std::string(LeafShardings(*whole, count)[i]);
  }
  if (root.opcode() != Opcode::kTuple ||
      static_cast<size_t>(root.operand_count()) != count) {
    return std::nullopt;
  }
  return ShardingOf(root.operand(static_cast<int>(i)));
}

int64_t ChannelBeforeFreeOnes(const Module& module) {
  std::vector<int64_t> channels = {0};
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      const AttributesKind kind = Info(node.opcode()).attributes;
      if (kind != AttributesKind::kCollective &&
          kind != AttributesKind::kCollectivePermute &&
          kind != AttributesKind::kChannel) {
        continue;
      }
      const Attributes& attributes = node.attributes();
      channels.push_back(
          std::max({int64_t{0}, ChannelIn<CollectiveAttributes>(attributes),
                    ChannelIn<CollectivePermuteAttributes>(attributes),
                    ChannelIn<ChannelAttributes>(attributes)}));
    }
  }
  std::sort(channels.rbegin(), channels.rend());
  constexpr int64_t kFree = int64_t{1} << 32;
  int64_t above = std::numeric_limits<int64_t>::max();
  for (const int64_t channel : channels) {
    if (above - channel > kFree) return channel;
    above = channel;
  }
  return 0;
}

}  // namespace indim::internal
