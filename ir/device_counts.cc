#include "indim/ir/device_counts.h"

#include <algorithm>

#include "indim/ir/field_list.h"

namespace indim {
namespace {

// HloModuleConfigProto.
constexpr uint32_t kReplicaCount = 4;
constexpr uint32_t kNumPartitions = 5;
constexpr uint32_t kUsePartitioning = 7;

}  // namespace

DeviceCounts ReadDeviceCounts(absl::string_view config) {
  DeviceCounts counts;
  FieldList fields(WireMessage::kHloModuleConfigProto);
  if (!fields.Append(config)) return counts;
  counts.replicas = std::max<int64_t>(fields.Number(kReplicaCount), 1);
  counts.partitions = std::max<int64_t>(fields.Number(kNumPartitions), 1);
  counts.partitioned = fields.Number(kUsePartitioning) != 0;
  return counts;
}

}  // namespace indim
