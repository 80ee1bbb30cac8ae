#include "indim/shape/replica_groups.h"

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "indim/shape/infer_sizes.h"

namespace indim {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

// No device twice, none negative; all of 0..n-1 unless some may be missing.
bool ExpectEachOnce(InferContext* context, const Groups& groups,
                    GroupRule rule) {
  absl::flat_hash_set<int64_t> seen;
  size_t count = 0;
  for (const std::vector<int64_t>& group : groups) count += group.size();
  for (const std::vector<int64_t>& group : groups) {
    for (int64_t id : group) {
      const bool known =
          id >= 0 && (rule == GroupRule::kSome || id < Number(count));
      if (known && seen.insert(id).second) continue;
      return context->Error(Rule::kReplicaIds).Arg(Number(count)).Arg(id);
    }
  }
  return true;
}

bool ExpectGroups(InferContext* context, const Groups& groups, GroupRule rule) {
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].empty()) {
      return context->Error(Rule::kReplicaGroupEmpty).Arg(Number(i));
    }
    if (rule == GroupRule::kAllEqual && groups[i].size() != groups[0].size()) {
      return context->Error(Rule::kReplicaGroupSizes)
          .Arg(Number(i))
          .Arg(Number(groups[i].size()))
          .Arg(Number(groups[0].size()));
    }
  }
  return ExpectEachOnce(context, groups, rule);
}

}  // namespace

bool ExpectReplicaGroups(InferContext* context, const OpInputs& inputs,
                         GroupRule rule) {
  if (context->is_builder()) return true;
  const auto& a = inputs.attributes_as<CollectiveAttributes>();
  if (a.use_global_device_ids) {
    if (a.channel_id <= 0) return context->Error(Rule::kGlobalIdsNeedChannel);
    if (a.replica_groups.groups.empty() && a.replica_groups.iota_groups == 0) {
      return context->Error(Rule::kGlobalIdsNeedGroups);
    }
  }
  return ExpectGroups(context, a.replica_groups.groups, rule);
}

std::optional<int64_t> GroupSize(const CollectiveAttributes& collective) {
  const ReplicaGroups& all = collective.replica_groups;
  if (collective.channel_id > 0 && !collective.use_global_device_ids) {
    return std::nullopt;
  }
  if (all.iota_groups > 0 && all.iota_group_size > 0) {
    return all.iota_group_size;
  }
  if (all.groups.empty() || all.groups[0].empty()) return std::nullopt;
  for (const std::vector<int64_t>& group : all.groups) {
    if (group.size() != all.groups[0].size()) return std::nullopt;
  }
  return Number(all.groups[0].size());
}

}  // namespace indim
