// SPDX-License-Identifier: Apache-2.0
#include "indim/run/device.h"

#include "indim/run/client_state.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

const ClientState::DeviceRow& NoDevice() {
  static const auto* const row = new ClientState::DeviceRow();
  return *row;
}

const ClientState::DeviceRow& RowOf(const Device& device) {
  const ClientPtr& client = ClientState::ClientOf(device);
  return client == nullptr ? NoDevice()
                           : client->devices[ClientState::IndexOf(device)];
}

}  // namespace

int Device::id() const { return RowOf(*this).id; }
int Device::process_index() const { return RowOf(*this).process_index; }
bool Device::is_addressable() const { return RowOf(*this).is_addressable; }
const std::string& Device::kind() const { return RowOf(*this).kind; }
const std::string& Device::text() const { return RowOf(*this).text; }
const std::vector<NamedValue>& Device::attributes() const {
  return RowOf(*this).attributes;
}

absl::StatusOr<MemoryStats> Device::memory_stats() const {
  if (is_none()) {
    return ErrorWithCode(absl::StatusCode::kFailedPrecondition,
                         Code::kPjrtDevices,
                         "there is no device whose memory could be told");
  }
  abi::DeviceMemoryStatsArgs args;
  args.device = RowOf(*this).device;
  const absl::Status status = client_->api->Call(&args);
  if (!status.ok()) return status;
  MemoryStats stats;
  stats.bytes_in_use = args.bytes_in_use;
  if (args.peak_bytes_in_use.known) {
    stats.peak_bytes_in_use = args.peak_bytes_in_use.value;
  }
  if (args.bytes_limit.known) stats.bytes_limit = args.bytes_limit.value;
  return stats;
}

}  // namespace indim::pjrt
