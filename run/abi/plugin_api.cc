// SPDX-License-Identifier: Apache-2.0
#include "indim/run/abi/plugin_api.h"

#include "absl/strings/str_cat.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {

absl::Status PluginApi::Missing(absl::string_view function) const {
  return ErrorWithCode(
      absl::StatusCode::kUnimplemented, Code::kPjrtApi,
      absl::StrCat("the plugin, of the PJRT C API ", major_version(), ".",
                   minor_version(), ", has no function ", function));
}

const abi::Extension* PluginApi::FindExtension(int type) const {
  for (const abi::Extension* e = api_->head.extensions; e != nullptr;
       e = e->next) {
    if (e->type == type) return e;
  }
  return nullptr;
}

absl::Status PluginApi::TakeError(void* error,
                                  absl::string_view function) const {
  if (error == nullptr) return absl::OkStatus();
  // Every plugin has these three (Plugin::Load). Two give nothing back.
  const auto call = [this](size_t slot, void* args) {
    abi::ToSilent(Find(slot))(args);
  };
  abi::ErrorMessageArgs message;
  message.error = error;
  call(abi::ErrorMessageArgs::kSlot, &message);
  abi::ErrorGetCodeArgs code;
  code.error = error;
  void* const no_code = Find(abi::ErrorGetCodeArgs::kSlot)(&code);
  const auto destroy = [&call](void* taken) {
    abi::ErrorDestroyArgs args;
    args.error = taken;
    call(abi::ErrorDestroyArgs::kSlot, &args);
  };
  if (no_code != nullptr) destroy(no_code);
  const bool is_known = no_code == nullptr && code.code >= 1 && code.code <= 16;
  const absl::Status status =
      ErrorWithCode(is_known ? static_cast<absl::StatusCode>(code.code)
                             : absl::StatusCode::kUnknown,
                    Code::kPjrtPlugin,
                    absl::StrCat(function, ": ",
                                 PluginText(message.text, message.text_size)));
  destroy(error);
  return status;
}

absl::Status AwaitEvent(const OwnedEvent& event) {
  if (event.get() == nullptr) return absl::OkStatus();
  abi::EventAwaitArgs args;
  args.event = event.get();
  return event.api()->Call(&args);
}

}  // namespace indim::pjrt
