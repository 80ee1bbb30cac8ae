// SPDX-License-Identifier: Apache-2.0
// Custom calls: functions of this program that compiled programs call.
//
//   absl::Status Double(const pjrt::CustomCall& call) {
//     const auto* x = static_cast<const float*>(call.arguments[0].data);
//     auto* y = static_cast<float*>(call.results[0].data);
//     for (int64_t i = 0; i < *call.results[0].shape.ElementCount(); ++i) {
//       y[i] = 2 * x[i];
//     }
//     return absl::OkStatus();
//   }
//   pjrt::RegisterCustomCall<Double>(plugin, "my_double");
//
// In the module it is a custom-call of that target with
// api_version=API_VERSION_TYPED_FFI. Programs compiled by CompileIsolated don't
// have it.

#ifndef INDIM_RUN_CUSTOM_CALL_H_
#define INDIM_RUN_CUSTOM_CALL_H_

#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/proto/codec/literal.h"
#include "indim/run/plugin.h"
#include "indim/shape/types/shape.h"

namespace indim::pjrt {

// An array in the memory of the device, row-major unless the call constrains
// its layout. Types below 8 bits are as the plugin has them.
struct CallArray {
  Shape shape;
  void* data = nullptr;
};

// An entry of the call's backend_config, {lower = true, n = 3 : i64}. One of a
// dictionary in it has the names of both: "options.lower".
struct CallAttribute {
  std::string name;
  std::variant<std::string, Literal> value;  // a text, a scalar, f32[n] ...
};

struct CustomCall {
  std::vector<CallArray> arguments;  // of a tuple each array
  std::vector<CallArray> results;    // to be written
  std::vector<CallAttribute> attributes;
};

// The error that it returns becomes the run's error. Any thread may call it,
// several at a time. An exception that it throws ends the process.
using CustomCallFunction = absl::Status (*)(const CustomCall& call);

namespace internal {
// A handler as XLA calls it: calls `function` with the frame's arguments,
// results and attributes.
void* HandleCall(void* frame, CustomCallFunction function) noexcept;
absl::Status RegisterHandler(const Plugin& plugin, absl::string_view target,
                             absl::string_view platform,
                             void* (*handler)(void*));
}  // namespace internal

// Registers the function for programs that the plugin compiles from now on.
// `platform`: as XLA calls it, "Host" for the CPU, "CUDA". Unimplemented,
// IND1101: the plugin doesn't offer it. IND1102: its error, such as the one for
// a target that is taken.
template <CustomCallFunction kFunction>
absl::Status RegisterCustomCall(const Plugin& plugin, absl::string_view target,
                                absl::string_view platform = "Host") {
  return internal::RegisterHandler(
      plugin, target, platform, [](void* frame) -> void* {
        return internal::HandleCall(frame, kFunction);
      });
}

}  // namespace indim::pjrt

#endif  // INDIM_RUN_CUSTOM_CALL_H_
