// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/device_shares.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_access.h"
#include "indim/passes/cost/sizes.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/sharding/tiling/sharding_tiling.h"

namespace indim::internal {
namespace {

// A sharding that has a fault, or whose devices each hold a part of a sum, cuts
// nothing.
double ShareOf(const absl::StatusOr<Tiling>& tiling, const Shape& shape) {
  if (!tiling.ok() || tiling->is_whole()) return 1;
  const Amount all = BytesOf(shape);
  const Amount tile = BytesOf(TileShape(*tiling, shape));
  return all.is_number() && all.number() > 0 ? tile.number() / all.number() : 1;
}

// The shardings of a value's leaves, Shardy's before XLA's.
struct LeafShardings {
  std::vector<std::string> texts;
  bool is_shardy = false;
  bool is_all = false;  // one for all leaves
};
LeafShardings ShardingsOf(const Instruction& node) {
  const FieldList fields = FieldsOf(node);
  LeafShardings found;
  const std::optional<std::string> shardy = FrontendAttribute(
      fields.Text(field::HloInstructionProto::kFrontendAttributes),
      kSdySharding);
  if (shardy) {
    found.is_shardy = true;
    found.texts = ShardyShardings(*shardy);
  } else if (fields.has(field::HloInstructionProto::kSharding)) {
    const absl::string_view sharding =
        fields.Text(field::HloInstructionProto::kSharding);
    const auto parts = TupleParts(sharding);
    found.is_all = !parts || parts->empty();
    if (found.is_all) {
      found.texts.emplace_back(sharding);
    } else {
      found.texts = std::vector<std::string>(parts->begin(), parts->end());
    }
  }
  return found;
}

// How many devices the shardings of a value name; 1: none.
int64_t DevicesOf(const Instruction& node, const std::string& meshes) {
  const LeafShardings shardings = ShardingsOf(node);
  int64_t devices = 1;
  const auto add = [&](const Sharding& sharding) {
    if (sharding.Fault().empty()) {
      devices = std::max(devices, sharding.DeviceCount());
    }
  };
  for (const std::string& text : shardings.texts) {
    if (!shardings.is_shardy) {
      add(ParseSharding(text));
      continue;
    }
    const auto named = ReadShardyShardings(text, [&](absl::string_view name) {
      return FindShardyMesh(meshes, name);
    });
    if (!named.ok()) continue;
    for (const Sharding::Named& of_leaf : *named) {
      Sharding sharding;
      sharding.named = of_leaf;
      add(sharding);
    }
  }
  return devices;
}

// The shares by the value's own sharding; empty: it has none.
std::vector<double> OwnShares(const Instruction& node,
                              const std::string& meshes, int64_t devices) {
  const LeafShardings shardings = ShardingsOf(node);
  std::vector<double> shares;
  if (shardings.texts.empty()) return shares;
  ForEachLeaf(node.shape(), [&](const Shape& leaf) {
    const size_t i = shardings.is_all ? 0 : shares.size();
    double share = 1;
    if (i < shardings.texts.size() && leaf.is_array()) {
      const std::string& text = shardings.texts[i];
      share = ShareOf(shardings.is_shardy
                          ? TilingOfShardy(text, meshes, leaf, devices)
                          : TilingOfSharding(text, leaf, devices),
                      leaf);
    }
    shares.push_back(share);
  });
  return shares;
}

}  // namespace

DeviceShares::DeviceShares(const Module& module, bool is_partitioned)
    : shares_(static_cast<size_t>(module.instruction_count())) {
  const ModuleData& data = DataOf(module);
  devices_ = std::max<int64_t>(
      1, FieldList(WireMessage::kHloModuleConfigProto, data.config)
             .Number(field::HloModuleConfigProto::kNumPartitions));
  const std::string meshes = ShardyMeshes(data.other_fields);
  // JAX leaves the number to who compiles; the shardings of arguments and
  // results have it too.
  const Computation entry = module.entry();
  for (const Instruction node : entry.instructions()) {
    if (devices_ > 1) break;
    if (node.opcode() != Opcode::kParameter && !(node == entry.root()))
      continue;
    devices_ = DevicesOf(node, meshes);
  }
  if (devices_ == 1 || is_partitioned) return;
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      Add(node, meshes);
    }
  }
}

void DeviceShares::Add(const Instruction& node, const std::string& meshes) {
  std::vector<double>& shares = shares_[node.position()];
  shares = OwnShares(node, meshes, devices_);
  if (!shares.empty()) {
    any_cut_ = any_cut_ || std::any_of(shares.begin(), shares.end(),
                                       [](double share) { return share < 1; });
    return;
  }
  if (node.opcode() == Opcode::kTuple) {
    for (const Instruction operand : node.operands()) {
      const size_t count = LeafCount(operand.shape());
      for (size_t i = 0; i < count; ++i) shares.push_back(Of(operand, i));
    }
  } else if (node.opcode() == Opcode::kGetTupleElement &&
             node.operand_count() == 1) {
    const Instruction tuple = node.operand(0);
    const int64_t index =
        As<GetTupleElementAttributes>(node.attributes()).index;
    const LeafRange leaves = LeavesAt(tuple.shape(), {index});
    for (size_t i = 0; i < leaves.count; ++i) {
      shares.push_back(Of(tuple, leaves.first + i));
    }
  } else if (Info(node.opcode()).has(kElementwise)) {
    double share = 1;
    for (const Instruction operand : node.operands()) {
      share = std::min(share, Of(operand, 0));
    }
    if (share < 1) shares.push_back(share);
  }
}

}  // namespace indim::internal
