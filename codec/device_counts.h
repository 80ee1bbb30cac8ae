// How many devices a module is compiled for. A module's own proto doesn't say
// it: HLO text does in its header, HloModuleProtoWithConfig in its config.

#ifndef INDIM_CODEC_DEVICE_COUNTS_H_
#define INDIM_CODEC_DEVICE_COUNTS_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace indim {

// A count of 1 is not known, as in XLA, and not compared with.
struct DeviceCounts {
  int64_t replicas = 1;
  int64_t partitions = 1;
  // XLA's partitioner cuts the module (use_spmd_partitioning), so that every
  // sharding is of all partitions.
  bool partitioned = false;

  bool known() const { return replicas != 1 || partitions != 1; }
  // How many devices each sharding must be of; 0: nobody says.
  int64_t sharded() const {
    return partitioned && partitions > 1 ? partitions : 0;
  }
};

// What a serialized HloModuleConfigProto says. Counts below 1 are taken for 1,
// and so is all of it where the bytes are no such message.
DeviceCounts ReadDeviceCounts(absl::string_view config);

}  // namespace indim

#endif  // INDIM_CODEC_DEVICE_COUNTS_H_
