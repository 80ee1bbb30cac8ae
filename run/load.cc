// SPDX-License-Identifier: Apache-2.0
// Executable::Serialize and Client::Load.

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/run/abi/plugin_api.h"
#include "indim/run/client.h"
#include "indim/run/client_state.h"
#include "indim/run/executable.h"
#include "indim/run/saved.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

std::string MadeBy(const ClientState& client) {
  return absl::StrCat(client.platform_name, ", ", client.platform_version,
                      ", PJRT C API ", client.api->major_version(), ".",
                      client.api->minor_version());
}

absl::Status SavedError(absl::StatusCode kind, absl::string_view message) {
  return ErrorWithCode(kind, Code::kPjrtSaved, message);
}

}  // namespace

absl::StatusOr<std::string> Executable::Serialize() const {
  abi::ExecutableSerializeArgs args;
  args.executable = state_->executable.get();
  const absl::Status status = state_->client->api->Call(&args);
  if (!status.ok()) return status;
  Saved saved;
  saved.made_by = MadeBy(*state_->client);
  saved.interface = state_->interface;
  saved.partitions = state_->partitions;
  saved.bytes = absl::string_view(args.bytes, args.bytes_size);
  const std::string bytes = WriteSaved(saved);
  if (args.deleter != nullptr) args.deleter(args.serialized);
  return bytes;
}

absl::StatusOr<Executable> Client::Load(absl::string_view serialized) const {
  Saved saved;
  if (!ReadSaved(serialized, &saved)) {
    return SavedError(absl::StatusCode::kInvalidArgument,
                      "these bytes are no executable that was serialized");
  }
  const std::string here = MadeBy(*state_);
  if (saved.made_by != here) {
    return SavedError(
        absl::StatusCode::kFailedPrecondition,
        absl::StrCat("the executable was made by another plugin (",
                     saved.made_by, "), not this one (", here,
                     "), which might load it and fail to run it"));
  }
  abi::ExecutableDeserializeAndLoadArgs args;
  args.client = state_->client.get();
  args.bytes = saved.bytes.data();
  args.bytes_size = saved.bytes.size();
  const absl::Status status = state_->api->Call(&args);
  if (!status.ok()) return status;
  return ExecutableState::Take(state_, args.executable,
                               std::move(saved.interface), saved.partitions);
}

}  // namespace indim::pjrt
