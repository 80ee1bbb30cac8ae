// SPDX-License-Identifier: Apache-2.0
#include "indim/run/compile/compile_options.h"

#include <algorithm>

#include "absl/base/casts.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim::pjrt {
namespace {

using wire_fields::AppendBytes;
using wire_fields::AppendNumber;

// Field numbers of XLA's messages: compile_options.proto, xla_data.proto.
enum CompileOptionsField : uint32_t {
  kParameterIsTupled = 2,
  kBuildOptions = 3,
  kFlagOverrides = 7,
};
enum BuildOptionsField : uint32_t {
  kReplicas = 4,
  kPartitions = 5,
  kUseSpmd = 6,
  kDeviceAssignment = 9,
  kUseShardy = 19,
};
enum DeviceAssignmentField : uint32_t {
  kReplicaCount = 1,
  kComputationCount = 2,
  kComputationDevices = 3,
};
enum ComputationDeviceField : uint32_t { kReplicaDeviceIds = 1 };
enum MapEntryField : uint32_t { kKey = 1, kValue = 2 };
enum OverrideField : uint32_t {
  kText = 1,
  kBoolean = 2,
  kInteger = 3,
  kReal = 4,
};

struct OverrideOf {
  std::string operator()(const std::string& text) const {
    std::string out;
    AppendBytes(kText, text, &out);
    return out;
  }
  std::string operator()(bool boolean) const {
    std::string out;
    AppendNumber(kBoolean, boolean ? 1 : 0, &out);
    return out;
  }
  std::string operator()(int64_t number) const {
    std::string out;
    AppendNumber(kInteger, static_cast<uint64_t>(number), &out);
    return out;
  }
  std::string operator()(double number) const {
    std::string out;
    AppendTag(kReal, WireType::kFixed64, &out);
    AppendFixed64(absl::bit_cast<uint64_t>(number), &out);
    return out;
  }
};

// By partition the devices of all replicas.
std::string DeviceAssignment(const std::vector<int64_t>& ids, int64_t replicas,
                             int64_t partitions) {
  std::string out;
  AppendNumber(kReplicaCount, static_cast<uint64_t>(replicas), &out);
  AppendNumber(kComputationCount, static_cast<uint64_t>(partitions), &out);
  for (int64_t p = 0; p < partitions; ++p) {
    std::string packed;
    for (int64_t r = 0; r < replicas; ++r) {
      const size_t at = static_cast<size_t>(r * partitions + p);
      AppendVarint(at < ids.size() ? static_cast<uint64_t>(ids[at]) : 0,
                   &packed);
    }
    std::string devices;
    AppendBytes(kReplicaDeviceIds, packed, &devices);
    AppendBytes(kComputationDevices, devices, &out);
  }
  return out;
}

std::string BuildOptions(const CompileOptions& options) {
  const int64_t replicas = std::max<int64_t>(options.replicas, 1);
  const int64_t partitions = std::max<int64_t>(options.partitions, 1);
  std::string out;
  AppendNumber(kReplicas, static_cast<uint64_t>(replicas), &out);
  AppendNumber(kPartitions, static_cast<uint64_t>(partitions), &out);
  const bool shardy = options.partitioner == Partitioner::kShardy;
  if (shardy || options.partitioner == Partitioner::kSpmd) {
    AppendNumber(kUseSpmd, 1, &out);
  }
  if (!options.device_ids.empty()) {
    AppendBytes(kDeviceAssignment,
                DeviceAssignment(options.device_ids, replicas, partitions),
                &out);
  }
  if (shardy) AppendNumber(kUseShardy, 1, &out);
  return out;
}

}  // namespace

std::string EncodeCompileOptions(const CompileOptions& options, bool tupled) {
  std::string out;
  if (tupled) AppendNumber(kParameterIsTupled, 1, &out);
  // Without these a plugin ends the process.
  AppendBytes(kBuildOptions, BuildOptions(options), &out);
  for (const XlaFlag& flag : options.flags) {
    std::string entry;
    AppendBytes(kKey, flag.name, &entry);
    AppendBytes(kValue, std::visit(OverrideOf(), flag.value), &entry);
    AppendBytes(kFlagOverrides, entry, &out);
  }
  return out;
}

}  // namespace indim::pjrt
