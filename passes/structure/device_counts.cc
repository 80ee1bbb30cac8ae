// SPDX-License-Identifier: Apache-2.0
// Compares collectives with the numbers of replicas and partitions that a
// module is compiled for (XLA: CheckReplicaGroups, GetSubgroupSize).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::structure {
namespace {

using field::HloModuleProto::kDeviceAssignment;

// a * b; 1, which stands for unknown, where it doesn't fit.
int64_t Times(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? 1 : product;
}

// The number of members of the first group; 0: one group of all devices.
int64_t FirstGroupSize(const ReplicaGroups& groups) {
  if (groups.iota_groups > 0) return groups.iota_group_size;
  return groups.groups.empty() ? 0
                               : static_cast<int64_t>(groups.groups[0].size());
}

// The number of devices in one group, where it depends on the device counts; 0:
// the groups alone determine it, and inference checks it.
int64_t SubgroupSize(const DeviceCounts& devices, Opcode opcode,
                     const CollectiveAttributes& a) {
  const int64_t group = FirstGroupSize(a.replica_groups);
  if (opcode == Opcode::kAllToAll) {
    if (group > 0) return 0;
    return a.channel_id > 0 ? devices.partitions : devices.replicas;
  }
  if (a.use_global_device_ids) return 0;
  if (a.channel_id <= 0) return group > 0 ? 0 : devices.replicas;
  return Times(group > 0 ? group : devices.replicas, devices.partitions);
}

// The first array of a result; null: there is none.
const Shape* FirstArray(const Shape& result) {
  const Shape* shape = &result;
  while (shape->is_tuple() && shape->tuple_size() > 0) {
    shape = &shape->elements()[0];
  }
  return shape->has_rank() ? shape : nullptr;
}

// How many times the larger of operand 0 and its result is the smaller;
// nullopt: their sizes don't tell.
std::optional<int64_t> ShardCount(const Instruction& collective,
                                  const CollectiveAttributes& a) {
  if (collective.operand_count() == 0 || a.dimensions.size() != 1) {
    return std::nullopt;
  }
  const Shape* result = &collective.shape();
  if (collective.opcode() == Opcode::kAllGatherStart) {
    if (!result->is_tuple() || result->tuple_size() != 2) {
      return std::nullopt;
    }
    result = &result->elements()[1];
  }
  result = FirstArray(*result);
  const Shape& operand = collective.operand(0).shape();
  const int64_t dim = a.dimensions[0];
  if (result == nullptr || !operand.has_rank() || dim < 0 ||
      dim >= operand.rank() || dim >= result->rank()) {
    return std::nullopt;
  }
  Dim whole = result->dim(static_cast<int>(dim));
  Dim part = operand.dim(static_cast<int>(dim));
  if (collective.opcode() == Opcode::kReduceScatter) std::swap(whole, part);
  const auto counts = [](Dim d) { return d.is_static() || d.is_bounded(); };
  if (!counts(whole) || !counts(part) || part.size() == 0) return std::nullopt;
  return whole.size() / part.size() + (whole.size() % part.size() != 0 ? 1 : 0);
}

}  // namespace

// CheckReplicaGroups and the checks of collective-permute, for the counts in a
// module's configuration.
void CheckDeviceCounts(Context* context) {
  const int64_t replicas = context->devices.replicas;
  const int64_t partitions = context->devices.partitions;
  if (!context->devices.known()) return;
  struct Count {
    int64_t devices;
    const char* what;
  };
  // The devices that the ids of an operation number.
  const auto named = [&](Opcode opcode, bool channel, bool global) -> Count {
    const bool takes_global_ids = Info(opcode).has(kTakesGlobalIds);
    if (global && takes_global_ids) {
      return {Times(replicas, partitions), "devices in all"};
    }
    if (channel && !takes_global_ids) return {partitions, "partitions"};
    return {replicas, "replicas"};
  };
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        const AttributesKind kind = Info(r.opcode).attributes;
        const Attributes& attributes = context->At(c, i).attributes();
        if (kind == AttributesKind::kCollectivePermute) {
          const auto& permute = As<CollectivePermuteAttributes>(attributes);
          const Count count = named(r.opcode, permute.channel_id > 0, false);
          if (count.devices == 1) return;
          for (const auto& [source, target] : permute.source_target_pairs) {
            const int64_t id = std::max(source, target);
            if (id < count.devices) continue;
            context->Add(Code::kDeviceCount, c, i, absl::StrCat("names ", id),
                         count.devices, count.what);
            return;
          }
        }
        // A broadcast may leave out devices.
        if (kind != AttributesKind::kCollective ||
            r.opcode == Opcode::kCollectiveBroadcast) {
          return;
        }
        const auto& a = As<CollectiveAttributes>(attributes);
        const ReplicaGroups& groups = a.replica_groups;
        int64_t members = groups.iota_groups * groups.iota_group_size;
        for (const auto& group : groups.groups) {
          members += static_cast<int64_t>(group.size());
        }
        const Count count =
            named(r.opcode, a.channel_id > 0, a.use_global_device_ids);
        if (members == 0 || count.devices == 1 || members == count.devices) {
          return;
        }
        context->Add(Code::kDeviceCount, c, i,
                     absl::StrCat("has groups of ", members, " in all"),
                     count.devices, count.what);
      });
}

// DeviceAssignment::Deserialize.
void CheckDeviceAssignment(Context* context) {
  FieldList fields(WireMessage::kHloModuleProto, context->data.other_fields);
  if (!fields.has(kDeviceAssignment)) return;
  FieldList assignment(WireMessage::kDeviceAssignmentProto,
                       fields.Text(kDeviceAssignment));
  const int64_t replicas =
      assignment.Number(field::DeviceAssignmentProto::kReplicaCount);
  const int64_t partitions =
      assignment.Number(field::DeviceAssignmentProto::kComputationCount);
  const auto lists =
      assignment.Texts(field::DeviceAssignmentProto::kComputationDevices);
  const auto say = [&](const std::string& what) {
    context->Add(Code::kDeviceAssignment, kNowhere, kNowhere, what);
  };
  if (replicas <= 0 || partitions <= 0) {
    return say(absl::StrCat("is of ", partitions, " partitions of ", replicas,
                            " replicas"));
  }
  if (static_cast<int64_t>(lists.size()) != partitions) {
    return say(absl::StrCat("is of ", partitions, " partitions, but has ",
                            lists.size(), " lists of devices"));
  }
  for (size_t k = 0; k < lists.size(); ++k) {
    FieldList list(WireMessage::kDeviceAssignmentProto_ComputationDevice,
                   lists[k]);
    const size_t count =
        list.Numbers(field::DeviceAssignmentProto_ComputationDevice::
                         kReplicaDeviceIds)
            .size();
    if (static_cast<int64_t>(count) == replicas) continue;
    return say(absl::StrCat("names ", count,
                            count == 1 ? " device for " : " devices for ",
                            replicas, " replicas of partition ", k));
  }
}

// CheckCommonAllGatherInvariants, HandleReduceScatter, HandleAllToAll, where
// the groups alone don't determine the number of members.
void CheckShardCounts(Context* context) {
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (Info(r.opcode).attributes != AttributesKind::kCollective ||
            !Info(r.opcode).has(kAlongOneDim)) {
          return;
        }
        const Instruction here = context->At(c, i);
        const auto& a = As<CollectiveAttributes>(here.attributes());
        const int64_t members = SubgroupSize(context->devices, r.opcode, a);
        if (members <= 1) return;
        std::optional<int64_t> shards;
        if (r.opcode != Opcode::kAllToAll) {
          shards = ShardCount(here, a);
        } else if (a.dimensions.empty()) {
          shards = here.operand_count();
        }
        if (!shards || *shards == members) return;
        context->Add(Code::kShardGroupSize, c, i, *shards, members);
      });
}

}  // namespace indim::structure
