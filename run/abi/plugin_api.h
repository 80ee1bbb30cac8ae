// SPDX-License-Identifier: Apache-2.0
// Calls of a plugin's functions: whether they are there, and their errors as
// absl::Status.

#ifndef INDIM_RUN_ABI_PLUGIN_API_H_
#define INDIM_RUN_ABI_PLUGIN_API_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/run/abi/abi.h"

namespace indim::pjrt {

// A plugin's table of functions, which lives as long as the process. Any thread
// may call.
class PluginApi {
 public:
  explicit PluginApi(const abi::Api* api) : api_(api) {}

  int major_version() const { return api_->major_version; }
  int minor_version() const { return api_->minor_version; }
  const abi::Api* api() const { return api_; }

  // Whether the plugin has the function that takes Args.
  template <typename Args>
  bool Has() const {
    return Find(Args::kSlot) != nullptr;
  }

  // Calls the function that takes Args. The plugin's own error: its kind, and
  // its text behind the function's name, IND1102. Unimplemented, IND1101: the
  // plugin lacks the function.
  template <typename Args>
  absl::Status Call(Args* args) const {
    const abi::Function function = Find(Args::kSlot);
    if (function == nullptr) return Missing(Args::kName);
    void* const error = function(args);
    if (error == nullptr) return absl::OkStatus();
    return TakeError(error, Args::kName);
  }

  // The plugin's extension of this number (extensions.def); null: it has none.
  const abi::Extension* FindExtension(int type) const;

  // The plugin's error as a Status; null: OK. It takes the error, which the
  // caller owned.
  absl::Status TakeError(void* error, absl::string_view function) const;

 private:
  abi::Function Find(size_t slot) const {
    if (api_->head.size < abi::EndOfFunctions(slot + 1)) return nullptr;
    return api_->functions[slot];
  }
  absl::Status Missing(absl::string_view function) const;

  const abi::Api* api_;
};

// An object of a plugin, destroyed with its owner; null: none. An error of its
// destruction is ignored: there is no caller to return it to.
template <typename DestroyArgs, void* DestroyArgs::*kObject>
class Owned {
 public:
  Owned() = default;
  Owned(const PluginApi* api, void* object) : api_(api), object_(object) {}
  Owned(Owned&& other) noexcept
      : api_(other.api_), object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      Reset();
      api_ = other.api_;
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }
  ~Owned() { Reset(); }

  void* get() const { return object_; }
  const PluginApi* api() const { return api_; }

 private:
  void Reset() {
    if (object_ == nullptr) return;
    DestroyArgs args;
    args.*kObject = object_;
    object_ = nullptr;
    api_->Call(&args).IgnoreError();
  }

  const PluginApi* api_ = nullptr;
  void* object_ = nullptr;
};

using OwnedEvent = Owned<abi::EventDestroyArgs, &abi::EventDestroyArgs::event>;
using OwnedClient =
    Owned<abi::ClientDestroyArgs, &abi::ClientDestroyArgs::client>;
using OwnedBuffer =
    Owned<abi::BufferDestroyArgs, &abi::BufferDestroyArgs::buffer>;
using OwnedExecutable =
    Owned<abi::ExecutableDestroyArgs, &abi::ExecutableDestroyArgs::executable>;
using OwnedLoadedExecutable =
    Owned<abi::LoadedExecutableDestroyArgs,
          &abi::LoadedExecutableDestroyArgs::executable>;

// Waits for an event and takes its error; null: nothing to wait for.
absl::Status AwaitEvent(const OwnedEvent& event);

// A text that a plugin gives with its size; null: empty.
inline std::string PluginText(const char* text, size_t size) {
  return text == nullptr ? std::string() : std::string(text, size);
}

}  // namespace indim::pjrt

#endif  // INDIM_RUN_ABI_PLUGIN_API_H_
