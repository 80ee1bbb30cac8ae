// SPDX-License-Identifier: Apache-2.0
#include "indim/run/plugin.h"

#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/run/abi/plugin_api.h"
#include "indim/run/abi/shared_library.h"
#include "indim/run/plugin_values.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {

struct Plugin::State {
  explicit State(const abi::Api* table) : api(table) {}

  std::string path;
  PluginApi api;
  std::vector<NamedValue> attributes;
  std::vector<std::string> extensions;
};

namespace {

// The last function without which nothing works.
constexpr size_t kFunctionsNeeded =
    abi::BufferOpaqueDeviceMemoryDataPointerArgs::kSlot + 1;

absl::Status CheckVersion(const std::string& path, const abi::Api* api) {
  if (api == nullptr) {
    return ErrorWithCode(
        absl::StatusCode::kNotFound, Code::kPjrtNoPlugin,
        absl::StrCat(path, ": it gives no table of functions"));
  }
  const size_t size = api->head.size;
  const bool has_version = size >= abi::EndOfFunctions(0);
  if (has_version && api->major_version == 0 &&
      size >= abi::EndOfFunctions(kFunctionsNeeded)) {
    return absl::OkStatus();
  }
  return ErrorWithCode(
      absl::StatusCode::kUnimplemented, Code::kPjrtApi,
      absl::StrCat(path, ": its PJRT C API is ",
                   has_version ? absl::StrCat(api->major_version, ".",
                                              api->minor_version)
                               : "none that we know",
                   " with ", size, " bytes of functions, but a version 0 with ",
                   abi::EndOfFunctions(kFunctionsNeeded), " is needed"));
}

std::string ExtensionName(int number) {
  switch (number) {
#define INDIM_PJRT_EXTENSION(number, name) \
  case number:                             \
    return name;
#include "indim/run/abi/extensions.def"
#undef INDIM_PJRT_EXTENSION
    default:
      return absl::StrCat("extension ", number);
  }
}

std::vector<std::string> ExtensionNames(const abi::Api* api) {
  std::vector<std::string> names;
  for (const abi::Extension* e = api->head.extensions; e != nullptr;
       e = e->next) {
    names.push_back(ExtensionName(e->type));
  }
  return names;
}

// Guards the list of plugins that are loaded.
std::mutex& RegistryMutex() {
  static auto* const mutex = new std::mutex();
  return *mutex;
}

}  // namespace

absl::StatusOr<Plugin> Plugin::Load(const std::string& path) {
  // Each library is started once; its State lives as long as it.
  static auto* const states =
      new std::vector<std::unique_ptr<State>>();  // guarded by RegistryMutex
  const std::lock_guard<std::mutex> lock(RegistryMutex());
  SetEnvironmentDefault("TF_CPP_MIN_LOG_LEVEL", "1");
  const absl::StatusOr<void*> get_api = LoadSymbol(path, "GetPjrtApi");
  if (!get_api.ok()) {
    return ErrorWithCode(absl::StatusCode::kNotFound, Code::kPjrtNoPlugin,
                         absl::StrCat("can't load the PJRT plugin ", path, ": ",
                                      get_api.status().message()));
  }
  const abi::Api* const api =
      reinterpret_cast<const abi::Api* (*)()>(*get_api)();
  const absl::Status version = CheckVersion(path, api);
  if (!version.ok()) return version;
  for (const std::unique_ptr<State>& state : *states) {
    if (state->api.api() == api) return Plugin(state.get());
  }
  auto state = std::make_unique<State>(api);
  state->path = path;
  abi::PluginInitializeArgs initialize;
  const absl::Status started = state->api.Call(&initialize);
  if (!started.ok()) return started;
  abi::PluginAttributesArgs attributes;
  // A plugin that has nothing to say of itself may say that it can't.
  if (state->api.Call(&attributes).ok()) {
    state->attributes =
        FromPlugin(attributes.attributes, attributes.attribute_count);
  }
  state->extensions = ExtensionNames(api);
  states->push_back(std::move(state));
  return Plugin(states->back().get());
}

absl::StatusOr<Plugin> Plugin::Find(absl::string_view name) {
  const absl::StatusOr<std::string> path = FindPath(name);
  if (!path.ok()) return path.status();
  return Load(*path);
}

const std::string& Plugin::path() const { return state_->path; }
int Plugin::major_version() const { return state_->api.major_version(); }
int Plugin::minor_version() const { return state_->api.minor_version(); }
const std::vector<NamedValue>& Plugin::attributes() const {
  return state_->attributes;
}
const std::vector<std::string>& Plugin::extensions() const {
  return state_->extensions;
}
const PluginApi& Plugin::api() const { return state_->api; }

}  // namespace indim::pjrt
