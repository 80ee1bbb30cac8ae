// SPDX-License-Identifier: Apache-2.0
// The number of devices that a module is compiled for. It is not in
// HloModuleProto, but in the header of HLO text and in the config of
// HloModuleProtoWithConfig.

#ifndef INDIM_PROTO_CODEC_DEVICE_COUNTS_H_
#define INDIM_PROTO_CODEC_DEVICE_COUNTS_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace indim {

// A count of 1 means unknown, as in XLA, and no check compares with it.
struct DeviceCounts {
  int64_t replicas = 1;
  int64_t partitions = 1;
  // XLA's partitioner splits the module (use_spmd_partitioning), so every
  // sharding must name all partitions.
  bool partitioned = false;

  bool known() const { return replicas != 1 || partitions != 1; }
  // The number of devices that each sharding must name; 0: unknown.
  int64_t sharded() const {
    return partitioned && partitions > 1 ? partitions : 0;
  }
};

// Reads a serialized HloModuleConfigProto. A count below 1 becomes 1; bytes
// that are not such a message give the default.
DeviceCounts ReadDeviceCounts(absl::string_view config);

}  // namespace indim

#endif  // INDIM_PROTO_CODEC_DEVICE_COUNTS_H_
