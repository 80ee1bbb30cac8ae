// SPDX-License-Identifier: Apache-2.0
// Custom calls: functions of this program that compiled programs call.
//
//   absl::Status Double(const pjrt::CustomCall& call) {
//     const absl::Span<const float> x = call.arguments[0].values<float>();
//     const absl::Span<float> y = call.results[0].values<float>();
//     for (size_t i = 0; i < y.size(); ++i) y[i] = 2 * x[i];
//     return absl::OkStatus();
//   }
//   pjrt::RegisterCustomCall<Double>(plugin, "my_double");
//
// In the module it is a custom-call of that target with
// api_version=API_VERSION_TYPED_FFI (TypedCall). Programs compiled by
// CompileIsolated don't have it.

#ifndef INDIM_RUN_CUSTOM_CALL_H_
#define INDIM_RUN_CUSTOM_CALL_H_

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/proto/codec/literal.h"
#include "indim/run/native_element.h"
#include "indim/run/plugin.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"

namespace indim::pjrt {

// An array in the memory of the device, row-major unless the call constrains
// its layout. Types below 8 bits are as the plugin has them.
struct CallArray {
  Shape shape;
  void* data = nullptr;

  // The elements, in the order of memory; none: they are of another type than
  // T, which is a bool, an integer of 8 to 64 bits, a float, a double or a
  // std::complex of these.
  template <typename T>
  absl::Span<T> values() const {
    if (shape.element_type() != internal::NativeElement<T>()) return {};
    return absl::MakeSpan(
        static_cast<T*>(data),
        static_cast<size_t>(shape.ElementCount().value_or(0)));
  }
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

  // The std::string or the Literal of the attribute of that name; null: it has
  // none of this kind.
  template <typename T>
  const T* attribute(absl::string_view name) const {
    for (const CallAttribute& one : attributes) {
      if (one.name == name) return std::get_if<T>(&one.value);
    }
    return nullptr;
  }
};

// The error that it returns becomes the run's error. Any thread may call it,
// several at a time. An exception that it throws ends the process.
using CustomCallFunction = absl::Status (*)(const CustomCall& call);

// The attributes of a custom-call in a module that calls such a function,
// with texts for it to read, by their names.
CustomCallAttributes TypedCall(
    const std::vector<std::pair<std::string, std::string>>& texts = {});

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
