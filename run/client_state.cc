// SPDX-License-Identifier: Apache-2.0
#include "indim/run/client_state.h"

#include "absl/strings/str_cat.h"
#include "indim/run/plugin_values.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

// Texts that a plugin need not have.
template <typename Args>
std::string TextOr(const PluginApi& api, void* object, void* Args::*member) {
  Args args;
  args.*member = object;
  if (!api.Call(&args).ok()) return "";
  return PluginText(args.text, args.text_size);
}

absl::Status DescribeDevice(const PluginApi& api, void* device,
                            ClientState::DeviceRow* row) {
  row->device = device;
  abi::DeviceGetDescriptionArgs get;
  get.device = device;
  absl::Status status = api.Call(&get);
  if (!status.ok()) return status;
  abi::DeviceDescriptionIdArgs id;
  id.description = get.description;
  status = api.Call(&id);
  if (!status.ok()) return status;
  row->id = id.id;
  abi::DeviceDescriptionProcessIndexArgs process;
  process.description = get.description;
  status = api.Call(&process);
  if (!status.ok()) return status;
  row->process_index = process.process_index;
  abi::DeviceIsAddressableArgs addressable;
  addressable.device = device;
  status = api.Call(&addressable);
  if (!status.ok()) return status;
  row->is_addressable = addressable.is_addressable;
  row->kind = TextOr(api, get.description,
                     &abi::DeviceDescriptionKindArgs::description);
  row->text = TextOr(api, get.description,
                     &abi::DeviceDescriptionToStringArgs::description);
  abi::DeviceDescriptionAttributesArgs attributes;
  attributes.description = get.description;
  if (api.Call(&attributes).ok()) {
    row->attributes =
        FromPlugin(attributes.attributes, attributes.attribute_count);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ClientState::Describe() {
  platform_name =
      TextOr(*api, client.get(), &abi::ClientPlatformNameArgs::client);
  platform_version =
      TextOr(*api, client.get(), &abi::ClientPlatformVersionArgs::client);
  abi::ClientProcessIndexArgs process;
  process.client = client.get();
  if (api->Call(&process).ok()) process_index = process.process_index;
  abi::ClientDevicesArgs all;
  all.client = client.get();
  const absl::Status status = api->Call(&all);
  if (!status.ok()) return status;
  devices.resize(all.device_count);
  first_addressable = devices.size();
  for (size_t i = 0; i < devices.size(); ++i) {
    const absl::Status described =
        DescribeDevice(*api, all.devices[i], &devices[i]);
    if (!described.ok()) return described;
    if (devices[i].is_addressable && first_addressable == devices.size()) {
      first_addressable = i;
    }
  }
  if (first_addressable < devices.size()) return absl::OkStatus();
  return ErrorWithCode(
      absl::StatusCode::kNotFound, Code::kPjrtDevices,
      absl::StrCat("the plugin ", plugin.path(),
                   " has no device that this process can use"));
}

size_t ClientState::IndexOf(const void* device) const {
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].device == device) return i;
  }
  return devices.size();
}

absl::StatusOr<size_t> ClientState::Resolve(const Device& device) const {
  if (device.is_none()) return first_addressable;
  if (ClientOf(device).get() == this) return IndexOf(device);
  return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kPjrtDevices,
                       absl::StrCat("device ", device.text(),
                                    " is of another client than this one"));
}

}  // namespace indim::pjrt
