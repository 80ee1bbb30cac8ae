// SPDX-License-Identifier: Apache-2.0
#include "indim/run/client.h"

#include "absl/strings/str_cat.h"
#include "indim/run/abi/plugin_api.h"
#include "indim/run/client_state.h"
#include "indim/run/plugin_values.h"
#include "indim/run/upload.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/types/suggest.h"

namespace indim::pjrt {
namespace {

struct OptionRow {
  absl::string_view platform;
  absl::string_view name;
  Value kind;  // its alternative
};

const std::vector<OptionRow>& OptionRows() {
  static const auto* const rows = new std::vector<OptionRow>{
#define INDIM_PJRT_CLIENT_OPTION(platform, name, kind) {platform, name, kind},
#include "indim/run/client_options.def"
#undef INDIM_PJRT_CLIENT_OPTION
  };
  return *rows;
}

absl::Status OptionError(absl::string_view message) {
  return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kPjrtOption,
                       message);
}

// The option must be one of some platform, of its kind. The platform is known
// once there is a client, with which `platform` isn't empty.
absl::Status CheckOption(const NamedValue& option, absl::string_view platform) {
  std::vector<absl::string_view> names;
  const OptionRow* found = nullptr;
  for (const OptionRow& row : OptionRows()) {
    if (!platform.empty() && row.platform != platform) continue;
    names.push_back(row.name);
    if (row.name == option.name) found = &row;
  }
  if (found == nullptr) {
    const absl::string_view near = NearestName(option.name, names);
    return OptionError(absl::StrCat("clients", platform.empty() ? "" : " of ",
                                    platform, " have no option \"", option.name,
                                    "\"", near.empty() ? "" : "; did you mean ",
                                    near, near.empty() ? "" : "?"));
  }
  if (found->kind.index() == option.value.index()) return absl::OkStatus();
  return OptionError(absl::StrCat("the client option ", option.name, " is ",
                                  KindName(found->kind), ", not ",
                                  ToString(option.value)));
}

absl::Status CheckOptions(const ClientOptions& options,
                          absl::string_view platform) {
  if (options.allow_unknown) return absl::OkStatus();
  for (const NamedValue& option : options.values) {
    const absl::Status status = CheckOption(option, platform);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Whether the table has rows of the platform: of another one nobody knows what
// it takes.
bool IsInTable(absl::string_view platform) {
  for (const OptionRow& row : OptionRows()) {
    if (row.platform == platform) return true;
  }
  return false;
}

}  // namespace

const ClientPtr& ClientState::Of(const Client& client) { return client.state_; }

absl::StatusOr<Client> Client::Create(Plugin plugin,
                                      const ClientOptions& options) {
  absl::Status status = CheckOptions(options, "");
  if (!status.ok()) return status;
  auto state = std::make_shared<ClientState>(plugin);
  const std::vector<abi::NamedValue> values = ToPlugin(options.values);
  abi::ClientCreateArgs args;
  args.options = values.data();
  args.option_count = values.size();
  status = state->api->Call(&args);
  if (!status.ok()) return status;
  state->client = OwnedClient(state->api, args.client);
  state->options = options.values;
  status = state->Describe();
  if (!status.ok()) return status;
  if (IsInTable(state->platform_name)) {
    status = CheckOptions(options, state->platform_name);
    if (!status.ok()) return status;
  }
  return Client(std::move(state));
}

Plugin Client::plugin() const { return state_->plugin; }
const std::string& Client::platform_name() const {
  return state_->platform_name;
}
const std::string& Client::platform_version() const {
  return state_->platform_version;
}
int Client::process_index() const { return state_->process_index; }

std::vector<Device> Client::devices() const {
  std::vector<Device> devices;
  for (size_t i = 0; i < state_->devices.size(); ++i) {
    devices.push_back(state_->DeviceAt(i));
  }
  return devices;
}

std::vector<Device> Client::addressable_devices() const {
  std::vector<Device> devices;
  for (const Device& device : this->devices()) {
    if (device.is_addressable()) devices.push_back(device);
  }
  return devices;
}

absl::StatusOr<Buffer> Client::BytesToDevice(const Shape& shape,
                                             const void* data, size_t size,
                                             const Device& device) const {
  const absl::StatusOr<size_t> index = state_->Resolve(device);
  if (!index.ok()) return index.status();
  absl::StatusOr<Upload> upload =
      UploadArray(state_, *index, {shape, data, size, abi::kDuringCall});
  if (!upload.ok()) return upload.status();
  return std::move(upload->buffer);
}

absl::StatusOr<Buffer> Client::ToDevice(const Literal& literal,
                                        const Device& device) const {
  const absl::StatusOr<size_t> index = state_->Resolve(device);
  if (!index.ok()) return index.status();
  return UploadLiteral(state_, *index, literal);
}

absl::StatusOr<Buffer> Client::ShareWithDevice(const Shape& shape,
                                               const void* data, size_t size,
                                               std::function<void()> release,
                                               const Device& device) const {
  const absl::StatusOr<size_t> index = state_->Resolve(device);
  if (!index.ok()) return index.status();
  absl::StatusOr<Upload> upload =
      UploadArray(state_, *index, {shape, data, size, abi::kZeroCopy});
  if (!upload.ok()) return upload.status();
  const absl::Status waits = upload->done.OnReady(
      [release = std::move(release)](absl::Status) { release(); });
  if (waits.ok()) return std::move(upload->buffer);
  // Nobody would hear when the plugin is done, so it must be done now.
  const absl::Status deleted = upload->buffer.Delete();
  upload->done.Await().IgnoreError();
  return deleted.ok() ? waits : deleted;
}

}  // namespace indim::pjrt
