// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/device_counts.h"

#include <algorithm>

#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {
namespace {

using field::HloModuleConfigProto::kNumPartitions;
using field::HloModuleConfigProto::kReplicaCount;
using field::HloModuleConfigProto::kUseSpmdPartitioning;

}  // namespace

DeviceCounts ReadDeviceCounts(absl::string_view config) {
  DeviceCounts counts;
  FieldList fields(WireMessage::kHloModuleConfigProto);
  if (!fields.Append(config)) return counts;
  counts.replicas = std::max<int64_t>(fields.Number(kReplicaCount), 1);
  counts.partitions = std::max<int64_t>(fields.Number(kNumPartitions), 1);
  counts.partitioned = fields.Number(kUseSpmdPartitioning) != 0;
  return counts;
}

}  // namespace indim
