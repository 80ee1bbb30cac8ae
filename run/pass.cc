// SPDX-License-Identifier: Apache-2.0
#include "indim/run/pass.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "indim/edit/edit_result.h"
#include "indim/edit/editor.h"
#include "indim/ir/module_access.h"
#include "indim/ir/schedule_field.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/run/abi/ffi.h"
#include "indim/run/abi/plugin_api.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/infer/signature.h"
#include "indim/shape/types/shape.h"

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

namespace {

absl::Status BorderError(absl::string_view message) {
  return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kPjrtPass,
                       message);
}

// What must stay of a signature: one shape of all that it has.
Shape BorderOf(const Signature& signature) {
  return Shape::Tuple({Shape::Tuple(signature.parameters), signature.result})
      .WithDefaultLayout();
}

}  // namespace

absl::StatusOr<std::optional<std::string>> RegisteredPass::State::Transform(
    absl::string_view bytes) const {
  absl::StatusOr<Module> module = ReadHloModuleProto(bytes);
  if (!module.ok()) return module.status();
  absl::StatusOr<std::optional<Module>> made = function(*module);
  if (!made.ok()) return made.status();
  if (!*made) return std::nullopt;
  // XLA's own module, in which arrays may lack layouts.
  const absl::StatusOr<std::string> as_made = SerializeModule(**made);
  if (as_made.ok() && *as_made == bytes) return std::nullopt;
  // With a layout for each array: XLA aborts where one lacks it.
  absl::StatusOr<std::string> written = ExportHloModuleProto(**made);
  if (!written.ok()) {
    return ErrorWithCode(written.status().code(), Code::kPjrtPass,
                         absl::StrCat(name, "'s module isn't right: ",
                                      ErrorText(written.status())));
  }
  const absl::Status border = CheckPassBorder(*module, **made);
  if (!border.ok()) return border;
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
  // Whether such a pass is registered: a plugin takes out the first of a name.
  static bool IsNameInUse(const RegisteredPass::State& wanted) {
    for (Slot& slot : slots_) {
      const std::shared_ptr<RegisteredPass::State> state = slot.State();
      if (state != nullptr && !state->removed &&
          state->plugin == wanted.plugin && state->stage == wanted.stage &&
          state->name == wanted.name) {
        return true;
      }
    }
    return false;
  }
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

  // The lock is held while the pointer is copied, not while a pass runs.
  class Slot {
   public:
    bool Take(const std::shared_ptr<RegisteredPass::State>& state) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (state_ != nullptr) return false;
      state_ = state;
      return true;
    }
    void Free() {
      const std::lock_guard<std::mutex> lock(mutex_);
      state_.reset();
    }
    std::shared_ptr<RegisteredPass::State> State() {
      const std::lock_guard<std::mutex> lock(mutex_);
      return state_;
    }

    abi::PassCallbacks callbacks;

   private:
    std::mutex mutex_;
    std::shared_ptr<RegisteredPass::State> state_;
  };

  template <size_t kNumber>
  static void Transform(void*, void* args) noexcept {
    // Its own reference: the plugin may destroy the callbacks meanwhile.
    const std::shared_ptr<RegisteredPass::State> state =
        slots_[kNumber].State();
    if (state != nullptr) state->Run(static_cast<abi::PassArgs*>(args));
  }
  template <size_t kNumber>
  static void Destroy(void*) noexcept {
    slots_[kNumber].Free();
  }
  template <size_t... kNumbers>
  static abi::PassCallbacks* TakeOf(
      const std::shared_ptr<RegisteredPass::State>& state,
      std::index_sequence<kNumbers...>) {
    static constexpr abi::PassCallback kTransform[] = {Transform<kNumbers>...};
    static constexpr abi::PassCleanup kDestroy[] = {Destroy<kNumbers>...};
    for (size_t i = 0; i < kCount; ++i) {
      if (!slots_[i].Take(state)) continue;
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

PassFunction EditingPass(std::function<absl::Status(Editor&)> edit) {
  return [edit = std::move(edit)](
             const Module& module) -> absl::StatusOr<std::optional<Module>> {
    Editor editor(module);
    const absl::Status edited = edit(editor);
    if (!edited.ok()) return edited;
    EditResult result = editor.Finish();
    if (!result.ok()) return result.status();
    return std::move(result.module);
  };
}

absl::Status CheckPassBorder(const Module& before, const Module& after) {
  if (after.computation_count() == 0) {
    return BorderError("its module is empty");
  }
  const Signature was = before.entry().signature();
  const Signature is = after.entry().signature();
  if (BorderOf(was) != BorderOf(is)) {
    return BorderError(absl::StrCat("the entry was ", was.ToString(),
                                    " and is ", is.ToString(),
                                    "; the program around it is compiled "
                                    "already"));
  }
  const auto is_scheduled = [](const Module& module) {
    return indim::internal::HasSchedule(indim::internal::DataOf(module));
  };
  if (is_scheduled(before) && !is_scheduled(after)) {
    return BorderError(
        "the module has lost its schedule; to fix: edit the module that the "
        "pass gets");
  }
  return absl::OkStatus();
}

PassCounts RegisteredPass::counts() const {
  return {state_->calls, state_->changed, state_->failed,
          absl::Nanoseconds(state_->nanoseconds.load())};
}

absl::Status RegisteredPass::Remove() {
  if (state_->removed.exchange(true)) return absl::OkStatus();
  const abi::PassExtension* const extension = ExtensionOf(state_->plugin);
  if (extension->base.size < abi::PassExtension::Size() ||
      extension->clear_pass == nullptr) {
    return absl::OkStatus();  // it does nothing from now on
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
  if (function == nullptr) {
    return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kPjrtPass,
                         "there is no function");
  }
  auto state = std::make_shared<RegisteredPass::State>(plugin, name, stage,
                                                       std::move(function));
  if (PassSlots::IsNameInUse(*state)) {
    return ErrorWithCode(absl::StatusCode::kAlreadyExists, Code::kPjrtPass,
                         absl::StrCat("one named ", name,
                                      " is registered; to fix: Remove() it"));
  }
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
