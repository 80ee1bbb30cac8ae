// SPDX-License-Identifier: Apache-2.0
// Client: a plugin at work, with its devices. It compiles programs and makes
// buffers.

#ifndef INDIM_RUN_CLIENT_H_
#define INDIM_RUN_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"
#include "indim/run/buffer.h"
#include "indim/run/compile/compile_options.h"
#include "indim/run/compile/program.h"
#include "indim/run/device.h"
#include "indim/run/executable.h"
#include "indim/run/named_value.h"
#include "indim/run/native_element.h"
#include "indim/run/plugin.h"

namespace indim::pjrt {

struct ClientOptions {
  // For the plugin: {"cpu_device_count", 8}. Plugins ignore names that they
  // don't know; Create refuses names that client_options.def lacks.
  std::vector<NamedValue> values;
  // Pass on names that client_options.def lacks, to a plugin that has others.
  bool allow_unknown = false;
};

// A handle, which may be copied; buffers, devices and executables keep the
// client as well. Several clients, of one plugin or of several, may live in one
// process. Any thread may use it, many at a time.
class Client {
 public:
  // InvalidArgument, IND1103: an option that isn't known, or of the wrong kind.
  // NotFound, IND1108: the plugin has no device. IND1102: the plugin's error,
  // such as CUDA's "No visible GPU devices".
  static absl::StatusOr<Client> Create(Plugin plugin,
                                       const ClientOptions& options = {});

  Plugin plugin() const;
  // "cpu", "cuda", "tpu"
  const std::string& platform_name() const;
  const std::string& platform_version() const;
  int process_index() const;
  // Those of other processes too (Device::is_addressable).
  std::vector<Device> devices() const;
  std::vector<Device> addressable_devices() const;

  // Compiles a module. It is inferred, verified, expanded and laid out first
  // (passes/export/export.h), so a builder's may be given as it is. Errors: the
  // errors of ExportModule, InterfaceOf and Preflight; IND1102, XLA's error,
  // with the source lines of the instructions that it names.
  absl::StatusOr<Executable> Compile(const Module& module,
                                     const CompileOptions& options = {}) const;
  // Compiles a program of another origin. Errors as above; kByModule is kNone.
  absl::StatusOr<Executable> CompileProgram(
      const Program& program, const CompileOptions& options = {}) const;

  // Loads what Executable::Serialize gave. InvalidArgument, IND1109: other
  // bytes. FailedPrecondition, IND1109: another plugin or another version of it
  // made them, whose programs may load and fail when they run.
  absl::StatusOr<Executable> Load(absl::string_view serialized) const;

  // Copies an array to a device (none: the first addressable one).
  // InvalidArgument, IND1110: no array of static sizes, or of a type that
  // buffers don't have. IND1102: the plugin's error.
  absl::StatusOr<Buffer> ToDevice(const Literal& literal,
                                  const Device& device = {}) const;
  // Likewise from elements, row-major: as many as `sizes` have.
  template <typename T>
  absl::StatusOr<Buffer> ToDevice(absl::Span<const T> values,
                                  absl::Span<const int64_t> sizes,
                                  const Device& device = {}) const {
    return BytesToDevice(Shape::Of(internal::NativeElement<T>(), sizes),
                         values.data(), values.size() * sizeof(T), device);
  }
  // Likewise from the bytes of a literal (proto/codec/literal.h).
  absl::StatusOr<Buffer> BytesToDevice(const Shape& shape, const void* data,
                                       size_t size,
                                       const Device& device = {}) const;

  // A buffer over the host's memory itself, which must not change until
  // `release` is called: once the plugin needs it no more, in any thread. Where
  // the memory isn't aligned to kHostAlignment, or the device has a memory of
  // its own, the plugin copies. `data` as in BytesToDevice. After an error
  // `release` isn't called.
  absl::StatusOr<Buffer> ShareWithDevice(const Shape& shape, const void* data,
                                         size_t size,
                                         std::function<void()> release,
                                         const Device& device = {}) const;
  static constexpr size_t kHostAlignment = 64;

 private:
  friend struct ClientState;
  explicit Client(std::shared_ptr<const ClientState> state)
      : state_(std::move(state)) {}

  std::shared_ptr<const ClientState> state_;
};

}  // namespace indim::pjrt

#endif  // INDIM_RUN_CLIENT_H_
