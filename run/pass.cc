// SPDX-License-Identifier: Apache-2.0
#include "indim/run/pass.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/run/abi/ffi.h"
#include "indim/run/abi/plugin_api.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {

struct RegisteredPass::State {
  State(const Plugin& of, absl::string_view pass_name, PassStage where,
        PassFunction what)
      : plugin(of), name(pass_name), stage(where), function(std::move(what)) {}

  const Plugin plugin;
  const std::string name;
  const PassStage stage;
  const PassFunction function;
  std::atomic<bool> removed{false};
  std::atomic<int64_t> calls{0}, changed{0}, failed{0}, nanoseconds{0};

  // The bytes of the new module; nullopt: the old one.
  absl::StatusOr<std::optional<std::string>> Transform(
      absl::string_view bytes) const;
  // What XLA calls. Counts.
  void Run(abi::PassArgs* args);
};

absl::StatusOr<std::optional<std::string>> RegisteredPass::State::Transform(
    absl::string_view bytes) const {
  absl::StatusOr<Module> module = ReadHloModuleProto(bytes);
  if (!module.ok()) return module.status();
  absl::StatusOr<std::optional<Module>> made = function(*module);
  if (!made.ok()) return made.status();
  if (!*made) return std::nullopt;
  // With a layout for each array: XLA aborts where one lacks it.
  absl::StatusOr<std::string> written = ExportHloModuleProto(**std::move(made));
  if (!written.ok()) {
    return ErrorWithCode(written.status().code(), Code::kPjrtPass,
                         absl::StrCat(name, "'s module isn't right: ",
                                      ErrorText(written.status())));
  }
  if (*written == bytes) return std::nullopt;
  return *std::move(written);
}

void RegisteredPass::State::Run(abi::PassArgs* args) {
  if (removed) return;
  // What is given out has to live until XLA has read it.
  thread_local std::string given_out;
  const absl::Time start = absl::Now();
  absl::StatusOr<std::optional<std::string>> result =
      Transform({args->module.data, args->module.size});
  ++calls;
  if (!result.ok()) {
    ++failed;
    given_out =
        absl::StrCat("the pass ", name, ": ", ErrorText(result.status()));
    args->header.has_error = true;
    args->header.code = static_cast<int>(result.status().code());
    args->header.error = {given_out.data(), given_out.size()};
  } else if (*result) {
    ++changed;
    given_out = **std::move(result);
    args->changed = true;
    args->new_module = {given_out.data(), given_out.size()};
  }
  args->header.data = &given_out;
  args->header.cleanup = [](void* data) {
    static_cast<std::string*>(data)->clear();
    static_cast<std::string*>(data)->shrink_to_fit();
  };
  nanoseconds += absl::ToInt64Nanoseconds(absl::Now() - start);
}

// A function for each pass that can be registered at a time: plugins give it a
// pointer to our callbacks or to a copy of them, so nothing can stand behind.
class PassSlots {
 public:
  // The callbacks of a free slot, which hold `state` until the plugin destroys
  // them; null: there is none.
  static abi::PassCallbacks* Take(
      std::shared_ptr<RegisteredPass::State> state) {
    return TakeOf(std::move(state), std::make_index_sequence<kCount>());
  }
  static void Free(abi::PassCallbacks* callbacks) {
    for (Slot& slot : slots_) {
      if (&slot.callbacks == callbacks) slot.Free();
    }
  }

 private:
  static constexpr size_t kCount = 64;

  struct Slot {
    void Free() {
      state.reset();
      taken = false;
    }
    std::atomic<bool> taken{false};
    // Written before the plugin knows the callbacks, and after it forgot them.
    std::shared_ptr<RegisteredPass::State> state;
    abi::PassCallbacks callbacks;
  };

  template <size_t kNumber>
  static void Transform(void*, void* args) noexcept {
    slots_[kNumber].state->Run(static_cast<abi::PassArgs*>(args));
  }
  template <size_t kNumber>
  static void Destroy(void*) noexcept {
    slots_[kNumber].Free();
  }
  template <size_t... kNumbers>
  static abi::PassCallbacks* TakeOf(
      std::shared_ptr<RegisteredPass::State> state,
      std::index_sequence<kNumbers...>) {
    static constexpr abi::PassCallback kTransform[] = {Transform<kNumbers>...};
    static constexpr abi::PassCleanup kDestroy[] = {Destroy<kNumbers>...};
    for (size_t i = 0; i < kCount; ++i) {
      if (slots_[i].taken.exchange(true)) continue;
      slots_[i].state = std::move(state);
      slots_[i].callbacks.version = abi::kPassVersion;
      slots_[i].callbacks.destroy = kDestroy[i];
      slots_[i].callbacks.transform = kTransform[i];
      return &slots_[i].callbacks;
    }
    return nullptr;
  }

  // Never destroyed: plugins stay loaded.
  static std::array<Slot, kCount>& slots_;
};

std::array<PassSlots::Slot, PassSlots::kCount>& PassSlots::slots_ =
    *new std::array<PassSlots::Slot, PassSlots::kCount>();

namespace {

// Null: the plugin takes no passes.
const abi::PassExtension* ExtensionOf(const Plugin& plugin) {
  const abi::Extension* const found =
      plugin.api().FindExtension(abi::kPassExtension);
  if (found == nullptr ||
      found->size < offsetof(abi::PassExtension, clear_pass)) {
    return nullptr;
  }
  return reinterpret_cast<const abi::PassExtension*>(found);
}

}  // namespace

PassCounts RegisteredPass::counts() const {
  return {state_->calls, state_->changed, state_->failed,
          absl::Nanoseconds(state_->nanoseconds.load())};
}

absl::Status RegisteredPass::Remove() {
  if (state_->removed.exchange(true)) return absl::OkStatus();
  const abi::PassExtension* const extension = ExtensionOf(state_->plugin);
  if (extension->base.size < abi::PassExtension::Size() ||
      extension->clear_pass == nullptr) {
    return absl::OkStatus();
  }
  abi::ClearPassArgs args;
  args.size = abi::ClearPassArgs::Size();
  args.stage = static_cast<int>(state_->stage);
  args.name = state_->name.data();
  args.name_size = state_->name.size();
  return state_->plugin.api().TakeError(extension->clear_pass(&args),
                                        "PJRT_Clear_Xla_Transform");
}

absl::StatusOr<RegisteredPass> RegisterPass(const Plugin& plugin,
                                            absl::string_view name,
                                            PassStage stage,
                                            PassFunction function) {
  const abi::PassExtension* const extension = ExtensionOf(plugin);
  if (extension == nullptr || extension->register_pass == nullptr) {
    return ErrorWithCode(
        absl::StatusCode::kUnimplemented, Code::kPjrtApi,
        absl::StrCat("the plugin ", plugin.path(), " takes no passes"));
  }
  auto state = std::make_shared<RegisteredPass::State>(plugin, name, stage,
                                                       std::move(function));
  abi::PassCallbacks* const callbacks = PassSlots::Take(state);
  if (callbacks == nullptr) {
    return ErrorWithCode(absl::StatusCode::kResourceExhausted, Code::kPjrtApi,
                         "no more passes can be registered; to fix: Remove() "
                         "those that are done");
  }
  abi::RegisterPassArgs args;
  args.size = abi::RegisterPassArgs::Size();
  args.name = state->name.data();
  args.name_size = state->name.size();
  args.stage = static_cast<int>(stage);
  args.callbacks = callbacks;
  const absl::Status status = plugin.api().TakeError(
      extension->register_pass(&args), "PJRT_Register_Xla_Transform");
  if (!status.ok()) {
    PassSlots::Free(callbacks);
    return status;
  }
  return RegisteredPass(std::move(state));
}

}  // namespace indim::pjrt
