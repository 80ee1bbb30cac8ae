// SPDX-License-Identifier: Apache-2.0
// Device: one of a client's devices.

#ifndef INDIM_RUN_DEVICE_H_
#define INDIM_RUN_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/run/named_value.h"

namespace indim::pjrt {

struct ClientState;

// How a device's memory is used, in bytes; nullopt: it doesn't tell.
struct MemoryStats {
  int64_t bytes_in_use = 0;
  std::optional<int64_t> peak_bytes_in_use;
  std::optional<int64_t> bytes_limit;
};

// A handle, which may be copied, and keeps the client. Any thread may use it.
class Device {
 public:
  // No device: stands for the client's first one in calls that take a device.
  Device() = default;

  bool is_none() const { return client_ == nullptr; }
  // -1, "" and false of no device.
  int id() const;
  int process_index() const;
  // Whether this process can use it; others may be of other processes.
  bool is_addressable() const;
  // "cpu", "NVIDIA H100 80GB HBM3"
  const std::string& kind() const;
  // The plugin's name for it: "TFRT_CPU_0".
  const std::string& text() const;
  const std::vector<NamedValue>& attributes() const;

  // IND1101, IND1102: the plugin doesn't tell.
  absl::StatusOr<MemoryStats> memory_stats() const;

  friend bool operator==(const Device& a, const Device& b) {
    return a.client_ == b.client_ && a.index_ == b.index_;
  }
  friend bool operator!=(const Device& a, const Device& b) { return !(a == b); }

 private:
  friend struct ClientState;
  Device(std::shared_ptr<const ClientState> client, size_t index)
      : client_(std::move(client)), index_(index) {}

  std::shared_ptr<const ClientState> client_;
  size_t index_ = 0;
};

}  // namespace indim::pjrt

#endif  // INDIM_RUN_DEVICE_H_
