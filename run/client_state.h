// SPDX-License-Identifier: Apache-2.0
// The states behind the handles of device.h, event.h, buffer.h and
// executable.h.

#ifndef INDIM_RUN_CLIENT_STATE_H_
#define INDIM_RUN_CLIENT_STATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/run/abi/plugin_api.h"
#include "indim/run/buffer.h"
#include "indim/run/compile/interface.h"
#include "indim/run/device.h"
#include "indim/run/event.h"
#include "indim/run/executable.h"
#include "indim/run/named_value.h"
#include "indim/run/plugin.h"

namespace indim::pjrt {

class Client;

// Everything that belongs to a client holds a shared pointer to it, declared
// before its own object, so that the client is destroyed last.
struct ClientState : std::enable_shared_from_this<ClientState> {
  struct DeviceRow {
    void* device = nullptr;
    int id = -1;
    int process_index = -1;
    bool is_addressable = false;
    std::string kind;
    std::string text;
    std::vector<NamedValue> attributes;
  };

  explicit ClientState(Plugin p) : plugin(p), api(&p.api()) {}
  // Asks the client for everything below.
  absl::Status Describe();

  Device DeviceAt(size_t index) const {
    return Device(shared_from_this(), index);
  }
  // The row of a plugin's device; its size where there is none.
  size_t IndexOf(const void* device) const;
  // The device of a handle; of none the first addressable one. InvalidArgument,
  // IND1108: it is of another client.
  absl::StatusOr<size_t> Resolve(const Device& device) const;
  static const std::shared_ptr<const ClientState>& ClientOf(
      const Device& device) {
    return device.client_;
  }
  static size_t IndexOf(const Device& device) { return device.index_; }
  static const std::shared_ptr<const ClientState>& Of(const Client& client);

  const Plugin plugin;
  const PluginApi* const api;
  OwnedClient client;
  std::vector<NamedValue> options;  // with which it was made
  std::string platform_name;
  std::string platform_version;
  int process_index = 0;
  std::vector<DeviceRow> devices;
  size_t first_addressable = 0;
};

using ClientPtr = std::shared_ptr<const ClientState>;

struct EventState {
  EventState(ClientPtr c, OwnedEvent e)
      : client(std::move(c)), event(std::move(e)) {}
  // Takes the plugin's event; null: it has happened.
  static Event Take(const ClientPtr& client, void* event);

  const ClientPtr client;
  const OwnedEvent event;
};

struct BufferState {
  BufferState(ClientPtr c, size_t d, Shape s, OwnedBuffer b)
      : client(std::move(c)),
        device(d),
        shape(std::move(s)),
        buffer(std::move(b)) {}
  // Takes the plugin's buffer.
  static Buffer Take(const ClientPtr& client, size_t device, Shape shape,
                     void* buffer);
  static const std::shared_ptr<BufferState>& Of(const Buffer& buffer) {
    return buffer.state_;
  }

  const ClientPtr client;
  const size_t device;
  const Shape shape;
  const OwnedBuffer buffer;
};

struct ExecutableState {
  // Takes the plugin's executable. An error: its results aren't as many as the
  // interface says, or the plugin's own.
  static absl::StatusOr<Executable> Take(const ClientPtr& client, void* loaded,
                                         Interface interface,
                                         int64_t partitions);
  // Sets what the plugin knows.
  absl::Status Describe();

  ClientPtr client;
  OwnedLoadedExecutable loaded;
  OwnedExecutable executable;
  Interface interface;
  int64_t partitions = 1;
  std::vector<size_t> devices;  // of the client: by replica, then partition
  // Of what a device has of each input.
  std::vector<Shape> input_shapes;
};

}  // namespace indim::pjrt

#endif  // INDIM_RUN_CLIENT_STATE_H_
