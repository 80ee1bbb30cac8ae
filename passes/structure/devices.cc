// SPDX-License-Identifier: Apache-2.0
// Checks which devices communicate (XLA: CheckReplicaGroups,
// CheckInplaceCollectivePermute, CheckDuplicatedSourceOrTarget).
// device_counts.cc compares them with the number of devices.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "indim/passes/structure/checks.h"

namespace indim::structure {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

// The groups must name each of 0..n-1 once, where n is their number of members.
void CheckMembers(Context* context, uint32_t c, uint32_t i,
                  const Groups& groups) {
  int64_t count = 0;
  for (size_t k = 0; k < groups.size(); ++k) {
    count += static_cast<int64_t>(groups[k].size());
    if (groups[k].empty()) {
      context->Add(Code::kReplicaGroupEmpty, c, i, static_cast<int64_t>(k));
    }
  }
  absl::flat_hash_set<int64_t> seen;
  for (const auto& group : groups) {
    for (const int64_t id : group) {
      if (!seen.insert(id).second) {
        context->Add(Code::kReplicaGroupTwice, c, i, id);
      } else if (id < 0 || id >= count) {
        context->Add(Code::kReplicaGroupIds, c, i, id, count);
      }
    }
  }
}

void CheckSizes(Context* context, uint32_t c, uint32_t i,
                const Groups& groups) {
  for (size_t k = 1; k < groups.size(); ++k) {
    if (groups[k].size() == groups[0].size()) continue;
    context->Add(Code::kReplicaGroupSizes, c, i, static_cast<int64_t>(k),
                 static_cast<int64_t>(groups[k].size()),
                 static_cast<int64_t>(groups[0].size()));
    return;
  }
}

// How often a device may send, and receive: once; in the in-place form as often
// as the first buffer has offsets (XLA doesn't distinguish several offsets from
// the numbers of one offset).
int64_t PairsPerDevice(const Instruction& permute) {
  if (permute.operand_count() != 4) return 1;
  const Shape* offsets = &permute.operand(2).shape();
  const auto count = [&] {
    return offsets->is_tuple() ? offsets->tuple_size() : 0;
  };
  if (permute.operand(0).shape().is_tuple() && count() > 0) {
    offsets = &offsets->elements()[0];
  }
  return std::max<int64_t>(count(), 1);
}

}  // namespace

void CheckReplicaGroups(Context* context) {
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (Info(r.opcode).attributes != AttributesKind::kCollective) return;
        const auto& collective =
            As<CollectiveAttributes>(context->At(c, i).attributes());
        const ReplicaGroups& groups = collective.replica_groups;
        if (collective.use_global_device_ids &&
            Info(r.opcode).has(kTakesGlobalIds)) {
          if (collective.channel_id <= 0) {
            context->Add(Code::kGlobalIdsChannel, c, i);
          }
          if (groups.groups.empty() && groups.iota_groups == 0) {
            context->Add(Code::kGlobalIdsGroups, c, i);
          }
        }
        // XLA doesn't check the groups of a broadcast (IND0908 warns).
        if (r.opcode == Opcode::kCollectiveBroadcast) return;
        // A formula always gives well-formed groups.
        CheckMembers(context, c, i, groups.groups);
        if (!IsAllReduce(r.opcode) && r.opcode != Opcode::kCollectiveReduce) {
          CheckSizes(context, c, i, groups.groups);
        }
      });
}

void CheckPermutes(Context* context) {
  context->ForEachInstruction([&](uint32_t c, uint32_t i,
                                  const InstructionRecord& r) {
    if (r.opcode != Opcode::kCollectivePermute &&
        r.opcode != Opcode::kCollectivePermuteStart) {
      return;
    }
    const Instruction permute = context->At(c, i);
    const int64_t allowed = PairsPerDevice(permute);
    // The number of pairs of which each device is the source, and the target.
    absl::flat_hash_map<int64_t, int64_t> sources;
    absl::flat_hash_map<int64_t, int64_t> targets;
    const auto count = [&](int64_t id, const char* what,
                           absl::flat_hash_map<int64_t, int64_t>* counts) {
      if (id < 0) context->Add(Code::kPermuteNegative, c, i, id);
      if (++(*counts)[id] != allowed + 1) return;
      context->Add(Code::kPermutePairs, c, i, id, what, allowed + 1, allowed);
    };
    for (const auto& [source, target] :
         As<CollectivePermuteAttributes>(permute.attributes())
             .source_target_pairs) {
      count(source, "source", &sources);
      count(target, "target", &targets);
    }
  });
}

void CheckConstrainLayout(Context* context) {
  bool known = false;
  bool constrained = false;
  std::string first;
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (!IsAllReduce(r.opcode)) return;
        const Instruction here = context->At(c, i);
        const bool is_constrained =
            As<CollectiveAttributes>(here.attributes()).constrain_layout;
        if (!known) {
          known = true;
          constrained = is_constrained;
          first = here.name();
        } else if (is_constrained != constrained) {
          context->Add(Code::kConstrainLayoutMixed, c, i, first);
        }
      });
}

}  // namespace indim::structure
