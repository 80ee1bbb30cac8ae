// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/exchange.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "indim/eval/ops/custom_calls.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/ops/opcode.h"
#include "indim/sharding/values/replica_groups.h"

namespace indim {
namespace {

// What the numbers in an operation's groups name.
enum class Naming {
  kReplicas,      // those of one partition
  kPartitions,    // those of one replica
  kAllOfReplica,  // replicas with all their partitions
  kDevices,
};

const char* NameOf(Naming naming) {
  switch (naming) {
    case Naming::kPartitions:
      return "partition";
    case Naming::kDevices:
      return "device";
    default:
      return "replica";
  }
}

Naming NamingOf(const Evaluation& e, int64_t channel, bool global) {
  if (!Info(e.opcode()).has(kTakesGlobalIds)) {
    return channel > 0 ? Naming::kPartitions : Naming::kReplicas;
  }
  if (global) return Naming::kDevices;
  return channel > 0 ? Naming::kAllOfReplica : Naming::kReplicas;
}

using IdLists = std::vector<std::vector<int64_t>>;

// The ids that pairs connect, directly or through others.
IdLists Connected(const std::vector<std::pair<int64_t, int64_t>>& pairs,
                  int64_t count) {
  std::vector<int64_t> root(static_cast<size_t>(count));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int64_t id) {
    while (root[static_cast<size_t>(id)] != id) {
      id = root[static_cast<size_t>(id)];
    }
    return id;
  };
  for (const auto& [source, target] : pairs) {
    root[static_cast<size_t>(find(source))] = find(target);
  }
  IdLists lists(static_cast<size_t>(count));
  for (int64_t id = 0; id < count; ++id) {
    lists[static_cast<size_t>(find(id))].push_back(id);
  }
  lists.erase(std::remove_if(lists.begin(), lists.end(),
                             [](const auto& list) { return list.empty(); }),
              lists.end());
  return lists;
}

std::nullopt_t FailAbsent(Evaluation& e, Naming naming, int64_t id,
                          int64_t count) {
  return e.Fail(absl::StrCat("it needs ", NameOf(naming), " ", id,
                             ", but there ", count == 1 ? "is " : "are ", count,
                             " (", SettingText(Setting::kDevices),
                             " gives more)"));
}

// The ids in the pairs of a permute, or in the groups of another collective.
std::optional<IdLists> ListIds(Evaluation& e, Naming naming, int64_t count) {
  if (Info(e.opcode()).attributes == AttributesKind::kCollectivePermute) {
    const auto& pairs =
        e.attributes_as<CollectivePermuteAttributes>().source_target_pairs;
    for (const auto& [source, target] : pairs) {
      for (const int64_t id : {source, target}) {
        if (id < 0 || id >= count) return FailAbsent(e, naming, id, count);
      }
    }
    return Connected(pairs, count);
  }
  if (Info(e.opcode()).attributes != AttributesKind::kCollective) {
    return ListGroups({}, count);
  }
  const ReplicaGroups& groups =
      e.attributes_as<CollectiveAttributes>().replica_groups;
  std::optional<IdLists> lists = ListGroups(groups, count);
  if (lists) return lists;
  ReplicaGroups counted = groups;
  if (CountMeshGroups(&counted) && counted.iota_groups > 0 &&
      counted.iota_group_size > count / counted.iota_groups) {
    return FailAbsent(e, naming, count, count);
  }
  return e.Fail("its groups can't be listed");
}

// Adds those that no list names, each alone.
std::optional<IdLists> AddLeftOut(Evaluation& e, Naming naming, int64_t count,
                                  IdLists* lists) {
  std::vector<bool> seen(static_cast<size_t>(count));
  for (const std::vector<int64_t>& list : *lists) {
    for (const int64_t id : list) {
      if (id < 0 || id >= count) return FailAbsent(e, naming, id, count);
      if (seen[static_cast<size_t>(id)]) {
        return e.Fail(absl::StrCat("it names ", NameOf(naming), " ", id,
                                   " more than once"));
      }
      seen[static_cast<size_t>(id)] = true;
    }
  }
  IdLists left_out;
  for (int64_t id = 0; id < count; ++id) {
    if (!seen[static_cast<size_t>(id)]) left_out.push_back({id});
  }
  return left_out;
}

void AddGroups(const EvalDevices& devices, Naming naming,
               const std::vector<int64_t>& ids, bool left_out,
               std::vector<ExchangeGroup>* groups) {
  const auto add = [&](int64_t others, auto device) {
    for (int64_t other = 0; other < others; ++other) {
      ExchangeGroup& group = groups->emplace_back();
      group.left_out = left_out;
      group.ids = ids;
      for (const int64_t id : ids) group.devices.push_back(device(id, other));
    }
  };
  switch (naming) {
    case Naming::kReplicas:
      return add(devices.partitions, [&](int64_t id, int64_t partition) {
        return devices.device(id, partition);
      });
    case Naming::kPartitions:
      return add(devices.replicas, [&](int64_t id, int64_t replica) {
        return devices.device(replica, id);
      });
    case Naming::kDevices:
      return add(1,
                 [](int64_t id, int64_t) { return static_cast<size_t>(id); });
    case Naming::kAllOfReplica:
      break;
  }
  ExchangeGroup& group = groups->emplace_back();
  group.left_out = left_out;
  for (const int64_t id : ids) {
    for (int64_t partition = 0; partition < devices.partitions; ++partition) {
      group.ids.push_back(id);
      group.devices.push_back(devices.device(id, partition));
    }
  }
}

Naming NamingOf(const Evaluation& e) {
  switch (Info(e.opcode()).attributes) {
    case AttributesKind::kCollective: {
      const auto& a = e.attributes_as<CollectiveAttributes>();
      return NamingOf(e, a.channel_id, a.use_global_device_ids);
    }
    case AttributesKind::kCollectivePermute:
      return NamingOf(
          e, e.attributes_as<CollectivePermuteAttributes>().channel_id, false);
    default:
      // Calls that put a partitioned array together.
      return Naming::kPartitions;
  }
}

}  // namespace

std::optional<std::vector<ExchangeGroup>> GroupsOf(Evaluation& e,
                                                   const EvalDevices& devices) {
  if (devices.count() == 0) return e.Fail("it depends on the devices");
  const Naming naming = NamingOf(e);
  const int64_t count = naming == Naming::kPartitions ? devices.partitions
                        : naming == Naming::kDevices
                            ? static_cast<int64_t>(devices.count())
                            : devices.replicas;
  std::optional<IdLists> lists = ListIds(e, naming, count);
  if (!lists) return std::nullopt;
  const std::optional<IdLists> left_out = AddLeftOut(e, naming, count, &*lists);
  if (!left_out) return std::nullopt;
  std::vector<ExchangeGroup> groups;
  for (const auto& ids : *lists) {
    AddGroups(devices, naming, ids, false, &groups);
  }
  for (const auto& ids : *left_out) {
    AddGroups(devices, naming, ids, true, &groups);
  }
  return groups;
}

bool Exchange::ExpectAlike(size_t count) const {
  for (size_t i = 0; i < count; ++i) {
    const Value& first = operand(0, i);
    for (size_t m = 0; m < size(); ++m) {
      const Value& here = operand(m, i);
      if (!here.is_array()) {
        e_.FailType(static_cast<int>(i));
        return false;
      }
      if (size() > 1 && here.memory() != nullptr) {
        e_.Fail("sizes that are known only at run time may differ by device");
        return false;
      }
      if (here.type() == first.type() && here.sizes() == first.sizes()) {
        continue;
      }
      e_.Fail(absl::StrCat("device ", group_.devices[0], " has ",
                           first.shape().ToString(), ", device ",
                           group_.devices[m], " ", here.shape().ToString()));
      return false;
    }
  }
  return true;
}

ExchangeFunction FindExchange(Opcode opcode, const Attributes& attributes) {
  if (opcode != Opcode::kCustomCall) return GetEvaluation(opcode).exchange;
  const KnownCustomCall* const known =
      FindCustomCall(As<CustomCallAttributes>(attributes).target);
  return known != nullptr ? known->exchange : nullptr;
}

}  // namespace indim
